#pragma once
// What a run has found, as one line of JSON.

#include "tests/bench/load/pod_watch.hpp"
#include "tests/bench/load/sender.hpp"

#include <map>
#include <string>

namespace load {

/// Times are stamps of clock.hpp in microseconds. With `all_pods` every pod is listed as
/// [name, seen, bound, node].
std::string to_json(const Sent& sent, const std::map<std::string, SeenPod>& pods, bool all_pods);

}  // namespace load
