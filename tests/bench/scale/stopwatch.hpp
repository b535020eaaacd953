#pragma once
// Time per kind of operation, summed up: the thread's own CPU time, which other processes hardly
// move.

#include <cstdint>
#include <ctime>
#include <map>
#include <string>

namespace scale {

struct Spent {
    std::uint64_t count = 0;
    double ns = 0;
};

class Stopwatch {
public:
    /// Runs `work`, which does `count` operations of this kind.
    template <typename Work>
    void run(const std::string& kind, std::uint64_t count, Work work) {
        const double begin = now_ns();
        work();
        Spent& spent = spent_[kind];
        spent.ns += now_ns() - begin;
        spent.count += count;
    }

    const std::map<std::string, Spent>& spent() const { return spent_; }

private:
    static double now_ns() {
        timespec now{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
    }

    std::map<std::string, Spent> spent_;
};

}  // namespace scale
