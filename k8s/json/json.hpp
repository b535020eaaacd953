#pragma once
// The one door to RapidJSON: every codec includes this file, so that a newer checkout of the
// library can be swapped in at one place. Included only from .cpp files.
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
