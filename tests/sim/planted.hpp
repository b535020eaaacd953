#pragma once
// Which mutant of tests/sim/mutants is switched on; at most one is. A program that is built of the
// sources as they stand has none. One that is built of their copies (GANG_MUTATED) has all.

#ifdef GANG_MUTATED
#include "mutant_names.hpp"
#else
#define MUTANT_NAMES(ROW)
#endif

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

/// Whether this one is switched on.
#define MUTANT(name) (mutants::planted == mutants::Mutant::name)

namespace mutants {

#define MUTANT_ROW(name) name,
enum class Mutant : std::uint8_t { none, MUTANT_NAMES(MUTANT_ROW) };
#undef MUTANT_ROW

inline Mutant planted = Mutant::none;

/// Every mutant but `none`, in the order of the enumeration.
inline std::span<const std::string_view> names() {
#define MUTANT_ROW(name) , #name
    static constexpr std::string_view all[] = {"none" MUTANT_NAMES(MUTANT_ROW)};
#undef MUTANT_ROW
    return std::span(all).subspan(1);
}

/// Switches on the mutant of this name; false: there is none.
inline bool plant(std::string_view name) {
    const auto found = std::find(names().begin(), names().end(), name);
    if (found == names().end()) {
        return false;
    }
    planted = static_cast<Mutant>(found - names().begin() + 1);
    return true;
}

}  // namespace mutants
