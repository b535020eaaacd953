#include "gang/durations/run_times.hpp"

namespace gang {

const Run* RunTimes::find(std::string_view uid) const {
    const auto run = runs_.find(uid);
    return run == runs_.end() ? nullptr : &run->second;
}

Run* RunTimes::find(std::string_view uid) {
    const auto run = runs_.find(uid);
    return run == runs_.end() ? nullptr : &run->second;
}

Run& RunTimes::ensure(std::string_view uid) {
    const auto run = runs_.find(uid);
    if (run != runs_.end()) {
        return run->second;
    }
    ++version_;
    return runs_.emplace(std::string(uid), Run{}).first->second;
}

void RunTimes::erase(std::string_view uid) {
    const auto run = runs_.find(uid);
    if (run != runs_.end()) {
        runs_.erase(run);
        ++version_;
    }
}

std::optional<RunTime> RunTimes::expected(const Run& run) const {
    return run.said_ms > 0 ? std::optional(RunTime{run.said_ms, run.said_ms, 0})
                           : book_.find(run.name);
}

std::optional<RunTime> RunTimes::expected(std::string_view uid) const {
    const Run* const run = find(uid);
    return run == nullptr ? std::nullopt : expected(*run);
}

}  // namespace gang
