#pragma once
// Time per kind of operation, summed up.

#include <chrono>
#include <cstdint>
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
        const auto begin = std::chrono::steady_clock::now();
        work();
        const auto end = std::chrono::steady_clock::now();
        Spent& spent = spent_[kind];
        spent.count += count;
        spent.ns += std::chrono::duration<double, std::nano>(end - begin).count();
    }

    const std::map<std::string, Spent>& spent() const { return spent_; }

private:
    std::map<std::string, Spent> spent_;
};

}  // namespace scale
