#include "tests/bench/load/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace load {
namespace {

std::string take_field(std::string& line) {
    const auto tab = line.find('\t');
    if (tab == std::string::npos) throw std::runtime_error("four fields are needed");
    std::string field = line.substr(0, tab);
    line.erase(0, tab + 1);
    return field;
}

void add(Script& script, std::string line) {
    const std::string when = take_field(line);
    Step step;
    step.method = take_field(line);
    step.path = take_field(line);
    step.body = std::move(line);
    if (when.empty()) {
        script.at_once.push_back(std::move(step));
    } else if (when.front() == '@') {
        script.timed.push_back({std::stoll(when.substr(1)), std::move(step)});
    } else {
        script.when_bound[when].push_back(std::move(step));
    }
}

}  // namespace

std::size_t Script::size() const {
    std::size_t total = at_once.size() + timed.size();
    for (const auto& [pod, steps] : when_bound) total += steps.size();
    return total;
}

Script read_script(std::istream& in) {
    Script script;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        try {
            add(script, std::move(line));
        } catch (const std::exception& error) {
            throw std::runtime_error(fmt::format("line {}: {}", number, error.what()));
        }
    }
    std::stable_sort(script.timed.begin(), script.timed.end(), [](const auto& a, const auto& b) {
        return a.after_us < b.after_us;
    });
    return script;
}

}  // namespace load
