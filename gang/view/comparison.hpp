#pragma once
// What is believed, compared with what the API server lists.

#include "core/value/node.hpp"
#include "core/value/pod.hpp"
#include "gang/drift.hpp"
#include "gang/model/model.hpp"

#include <functional>
#include <optional>
#include <string_view>

namespace gang {

class Comparison {
public:
    explicit Comparison(Model& model) : model_(model) {}

    /// How the listed pod differs from what is believed of it; nothing: not at all.
    std::optional<Drift> compare(const core::Pod& listed) const;
    /// The same of a node.
    std::optional<Drift> compare(const core::Node& listed) const;
    /// Every pod that is known or counted; of pods of others only the uid is known.
    void for_each_pod(
        const std::function<void(std::string_view uid, std::string_view name)>& visit) const;

private:
    std::optional<Drift> compare_other(const core::Pod& listed) const;
    std::optional<Drift> compare_ours(const core::Pod& listed) const;
    std::optional<Drift> compare_reservation(const core::Pod& listed) const;

    Model& model_;
};

}  // namespace gang
