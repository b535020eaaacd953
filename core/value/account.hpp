#pragma once
// What a collection holds, beside what the owners of what it holds add up to. The two differ only
// when something was not given back, or was given back twice: for tests, which may add up all of
// it after every step.

#include <cstdint>
#include <string_view>

namespace core {

struct Account {
    std::string_view what;
    std::uint64_t held = 0;
    std::uint64_t owned = 0;

    bool adds_up() const { return held == owned; }
};

}  // namespace core
