#include "gang/durations/run_time_book.hpp"

#include <algorithm>

namespace gang {
namespace {

/// The least of the sorted times by which so many of a hundred runs were done (nearest rank).
std::int64_t quantile(const std::vector<std::int64_t>& sorted, std::size_t percent) {
    const std::size_t rank = (sorted.size() * percent + 99) / 100;
    return sorted[rank - 1];
}

}  // namespace

void RunTimeBook::learn(std::string_view name, std::int64_t ended_ms, std::int64_t run_ms) {
    if (run_ms <= 0) {
        return;
    }
    auto runs = names_.find(name);
    if (runs == names_.end()) {
        if (names_.size() == names_max) {
            names_.erase(by_heard_.begin()->second);
            by_heard_.erase(by_heard_.begin());
        }
        runs = names_.emplace(std::string(name), Runs{}).first;
    }
    auto& samples = runs->second.samples;
    const Sample sample{ended_ms, run_ms};
    const auto at = std::lower_bound(samples.begin(), samples.end(), sample);
    if (at != samples.end() && *at == sample) {
        return;
    }
    samples.insert(at, sample);
    if (samples.size() > samples_max) {
        samples.erase(samples.begin());
    }
    count(runs->second);
    hear(runs);
}

void RunTimeBook::count(Runs& runs) const {
    if (runs.samples.size() < samples_min) {
        return;
    }
    std::vector<std::int64_t> times;
    for (const Sample& sample : runs.samples) {
        times.push_back(sample.run_ms);
    }
    std::sort(times.begin(), times.end());
    runs.expected = RunTime{
        quantile(times, 50), quantile(times, 90), static_cast<std::int32_t>(times.size())};
}

void RunTimeBook::hear(Names::iterator runs) {
    by_heard_.erase(runs->second.heard);
    runs->second.heard = ++heard_;
    by_heard_.emplace(heard_, runs);
}

std::optional<RunTime> RunTimeBook::find(std::string_view name) const {
    const auto runs = names_.find(name);
    return runs == names_.end() ? std::nullopt : runs->second.expected;
}

}  // namespace gang
