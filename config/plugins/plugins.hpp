#pragma once
// Names of filters and scores, as our own file and kube-scheduler's files write them. A name that
// is known but has no effect here is a warning.

#include "config/tree.hpp"
#include "core/base/result.hpp"
#include "core/score/weighted_score.hpp"
#include "core/value/filter_set.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace config {

using Warnings = std::vector<Complaint>;

/// One name of a filter, or of a predicate.
core::Result<core::FilterSet> read_filter(const Tree& tree, Warnings& warnings);
/// A list of them, each once, with NodeResourcesFit among them.
core::Result<core::FilterSet> read_filters(const Tree& tree, Warnings& warnings);

/// A score by any of its names.
core::Result<core::ScoreId> read_score(const Tree& tree, Warnings& warnings);
/// cpu, memory, or an extended resource.
core::Result<std::string> read_scored_resource(const Tree& tree);
/// kube-scheduler writes 0 to 10 for what counts 0 to 100.
core::Result<std::int64_t> read_shape_score(const Tree& tree);

/// One warning for each filter that is not built, and one for such a score.
void warn_of_unbuilt(core::FilterSet filters, const Tree& at, Warnings& warnings);
void warn_if_unbuilt(
    core::ScoreId score, std::string_view name, const Tree& at, Warnings& warnings);

/// Why a profile cannot do without NodeResourcesFit.
std::string_view why_resources_stay();

/// What is wrong with the arguments of one score; empty: nothing.
std::string find_score_problem(const core::WeightedScore& score);

}  // namespace config
