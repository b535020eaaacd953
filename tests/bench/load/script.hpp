#pragma once
// What the load generator is to send: one request a line, four fields between tabs.
//
//   WHEN  METHOD  PATH  BODY
//
// WHEN is empty (at once, in order), `@N` (N microseconds after the start, whether or not earlier
// ones are answered: an open loop), or the name of a pod (as soon as the watch shows it bound).

#include <cstdint>
#include <deque>
#include <istream>
#include <map>
#include <string>
#include <vector>

namespace load {

struct Step {
    std::string method;
    std::string path;
    std::string body;
};

struct TimedStep {
    std::int64_t after_us = 0;
    Step step;
};

struct Script {
    std::deque<Step> at_once;
    std::vector<TimedStep> timed;  ///< by time
    std::map<std::string, std::vector<Step>, std::less<>> when_bound;

    std::size_t size() const;
};

/// Throws std::runtime_error with the number of the line.
Script read_script(std::istream& in);

}  // namespace load
