#pragma once
// Sums of what pods ask for, wide enough that whatever was added can be taken back exactly. What
// pods have of a node to themselves (core/value/exclusive.hpp) is nothing that queues share.

#include "core/cluster/node_columns.hpp"
#include "core/value/resources.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gang {

struct Amounts {
    core::Wide cpu_milli = 0;
    core::Wide memory_bytes = 0;
    core::Wide ephemeral_bytes = 0;
    std::vector<std::pair<std::string, core::Wide>> extended;  ///< by name; none of 0

    /// `count` times what one asks; a negative count takes it away.
    void add(const core::Resources& one, std::int64_t count);
    void add(const Amounts& other, std::int64_t count);
    /// By its Kubernetes name.
    core::Wide of(std::string_view resource) const;
    bool is_zero() const { return *this == Amounts{}; }
    /// visit(name, amount) for all but those that are 0.
    template <typename Visit>
    void for_each(const Visit& visit) const {
        if (cpu_milli != 0) visit(std::string_view("cpu"), cpu_milli);
        if (memory_bytes != 0) visit(std::string_view("memory"), memory_bytes);
        if (ephemeral_bytes != 0) visit(std::string_view("ephemeral-storage"), ephemeral_bytes);
        for (const auto& [name, amount] : extended) visit(std::string_view(name), amount);
    }
    friend bool operator==(const Amounts&, const Amounts&) = default;

private:
    void add_extended(const std::string& name, core::Wide amount);
};

/// The nearest that 64 bits hold, for what is shown and for shares.
std::int64_t to_int64(core::Wide amount);
/// For people and views: as to_int64() has it.
core::Resources to_resources(const Amounts& amounts);

}  // namespace gang
