#pragma once
// A command line run in this process, and what it said.

#include "gang/app/cli/cli.hpp"
#include "tests/support/text.hpp"

#include <sstream>
#include <string>
#include <vector>

namespace tests {

struct Outcome {
    int code;
    std::string out;
    std::string err;
};

inline Outcome cli(const std::vector<std::string>& arguments) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = gang::app::run_cli(arguments, out, err);
    return {code, out.str(), err.str()};
}

}  // namespace tests
