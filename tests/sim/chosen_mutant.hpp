#pragma once
// The switch of the mutants that scripts/random_mutants_plant.py plants: GANG_CHOSEN_MUTANT is the number of the one
// that is switched on. GANG_REACHED_MUTANTS names a file where the byte of each that the program comes by is set.

#include <array>
#include <cstddef>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace mutants {

inline constexpr std::size_t chosen_max = 1 << 16;

inline const int chosen = [] {
    const char* number = std::getenv("GANG_CHOSEN_MUTANT");
    return number == nullptr ? 0 : std::atoi(number);
}();

/// Null: nobody asks. The file is shared, so that processes which the program forks count as well.
inline char* const reached = [] {
    const char* name = std::getenv("GANG_REACHED_MUTANTS");
    const int file = name == nullptr ? -1 : open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0 || ftruncate(file, chosen_max) != 0) {
        return static_cast<char*>(nullptr);
    }
    void* bytes = mmap(nullptr, chosen_max, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return bytes == MAP_FAILED ? nullptr : static_cast<char*>(bytes);
}();

/// Not constexpr: where the compiler needs a constant, the mutant does not compile, and is built alone.
inline bool is_on(int number) {
    if (reached != nullptr) {
        reached[number] = 1;
    }
    return number == chosen;
}

/// In functions that the compiler may also run itself, where the mutant is never on.
constexpr bool is_on_at_run_time(int number) {
    return !__builtin_is_constant_evaluated() && is_on(number);
}

}  // namespace mutants
