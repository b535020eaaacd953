#pragma once
// How device plugins and pods speak of cards: one row for each dialect, and what is read by it.
// Alnair's vGPU scheduler, and the two device plugins that Volcano serves.

#include "core/value/constraints.hpp"
#include "core/value/device/cards.hpp"
#include "core/value/resources.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// A node with more cards than this says something else than its cards.
inline constexpr std::size_t cards_max = 64;
/// Nor has a card more units.
inline constexpr std::int64_t card_units_max = 1'000'000;
/// Of a card's id, bytes.
inline constexpr std::size_t card_id_max = 128;

/// What we write of a pod's cards with its Binding: "U1:4".
inline constexpr std::string_view cards_annotation = "gang-scheduler/cards";
/// Nanoseconds since 1970, 19 digits, written with the Binding: by it Alnair's device plugin tells
/// which of several pods of one size came first.
inline constexpr std::string_view scheduler_timestamp = "ai.centaurus.io/scheduler-timestamp";

/// Of a time to be written with a Binding: the edge knows it. Alnair's, and Volcano's for both of
/// its plugins, which serve the pod with the smallest first. Volcano itself writes whole seconds
/// for its vGPUs, in which two pods may be alike.
bool is_bind_time(std::string_view key);

/// Units of it are parts of cards, which a node may list.
bool is_card_resource(std::string_view extended_name);

/// Whether a node's annotation says something of its cards.
bool is_card_annotation(std::string_view key);
/// Whether a pod's annotation names its cards.
bool names_cards(std::string_view key);

/// Nothing: the node says nothing of cards. What is malformed is a problem, and no card.
std::optional<NodeCards> read_node_cards(
    const StringMap& annotations, const Resources& allocatable = {});

/// Which cards the pod has by the word of the device plugin or, with `trusts_own`, by what we wrote
/// before that. Empty: nobody has said it, or not in amounts that add up to the request.
std::vector<ExtendedResource> read_pod_cards(
    const StringMap& annotations, const Resources& requests, bool trusts_own);

/// As cards_annotation has it: "U1:4".
std::string describe_cards(const std::vector<ExtendedResource>& cards);

/// What the device plugin must find on a pod with these requests, on these cards of the node,
/// beside our own annotation; is_bind_time() ones are empty.
StringMap bind_words(
    const Resources& requests, const std::vector<ExtendedResource>& cards, const std::string& node);

/// Why a pod that asks for GPUs by such an annotation is not served; empty: it has none.
std::string refused_card_words(const StringMap& annotations, const Resources& requests);

}  // namespace core
