#pragma once
// What `size` prints: a derivation as a table for people or as JSON for machines.

#include "core/value/pod.hpp"
#include "gang/declare/spark/executor/derive.hpp"
#include "k8s/codec/codec_manifest.hpp"

#include <string>
#include <vector>

namespace gang::app {

struct SizeReport {
    core::Pod driver;
    spark::Derivation gang;
};

/// What Spark will ask for; the driver and its config maps are in the manifest. A problem names what is not.
spark::Derivation derive_gang(
    const k8s::Manifest& manifest, const core::Pod& driver, const spark::Limits& limits);

/// {"driver": {...}, "executors": [{count, max, requests, nodeSelector, ...}], "notes": [...]} and,
/// if any, "foreignExecutors" and "problem". Requests are those of a whole pod, as Kubernetes
/// quantities; max is null when dynamic allocation has no bound. Of several drivers: {"items":
/// [...]} of such objects.
std::string size_as_json(const std::vector<SizeReport>& reports);

/// Tables and sentences; of several drivers each under its name. Of one with a problem nothing.
std::string size_as_text(const std::vector<SizeReport>& reports);

}  // namespace gang::app
