#pragma once
// What a gang holds, as the text of the driver's annotation `gang-scheduler/reservation`: all that
// a restarted scheduler needs to give the gang back exactly what it had. Format v1, one line of
// ASCII:
//
//   v1 generation=3 epoch=7 queue=default profile=gang-scheduler anchor=<uid>;
//   shape profile=0 max=20 min=2 cpu=4000 memory=9663676416 selector=pool:batch nodes=n1:3,n2:2;
//   shape ...
//
// A pod group's gang that goes on with another anchor has gang=<uid> in the first record as well.
// Strings are percent-encoded, so that the separators ; space , : = | & never appear in them.
// Unknown fields are skipped (a later version may add some), unknown record words too; anything
// else that does not parse refuses the whole text. A tenant may write this annotation: the reader
// is bounded in bytes, shapes, nodes and slots, and never trusts a number.

#include "core/base/result.hpp"
#include "core/value/constraints.hpp"
#include "core/value/resources.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gang {

inline constexpr std::string_view reservation_annotation = "gang-scheduler/reservation";
/// On executors: "<uid>/<number>", or surplus_slot for one beyond its gang's slots. The uid is the
/// driver's, in a pod group that of the gang's first anchor.
inline constexpr std::string_view slot_annotation = "gang-scheduler/slot";
inline constexpr std::string_view surplus_slot = "elastic";
/// In the place of the number: of a gang whose slots were lost, and will be made anew.
inline constexpr std::string_view unnumbered_slot = "-";

/// The longest text written or read. All annotations of a pod together may have 256 KiB, and past
/// that the API server lets nobody write the pod again; half of it is left to everybody else.
inline constexpr std::size_t reservation_bytes_max = 128 * 1024;
inline constexpr std::size_t reservation_shapes_max = 16;

/// Executors that are alike, and how many slots of them are on which node.
struct ReservedShape {
    std::int32_t profile = 0;  ///< Spark's resource profile id
    std::int64_t max = 0;      ///< executors that may run at most; -1: no limit
    core::Resources requests;
    core::Constraints constraints;
    std::vector<std::pair<std::string, std::int64_t>> slots_per_node;  ///< by node name, counts > 0
    std::int64_t unplaced = 0;             ///< slots that have no node now (their node was lost)
    std::optional<std::int32_t> min = {};  ///< of dynamic allocation; nothing: all are needed
    friend bool operator==(const ReservedShape&, const ReservedShape&) = default;
};

struct Reservation {
    std::int64_t generation = 1;  ///< grows with every rewrite
    std::int64_t epoch = 0;       ///< of the leader that wrote it
    std::string queue = "default";
    std::string profile;  ///< scheduler name under which the gang was admitted
    std::string anchor;   ///< uid of the pod that carries it: a text copied to another pod is void
    std::vector<ReservedShape> shapes;
    /// Uid of the pod that carried the gang's first text: slot annotations name it. Empty:
    /// `anchor`.
    std::string gang = {};
    friend bool operator==(const Reservation&, const Reservation&) = default;
};

/// All slots of all shapes.
std::int64_t slot_count(const Reservation& reservation);

/// The annotation's text.
std::string encode_reservation(const Reservation& reservation);

/// Reads an annotation that anybody may have written. `slots_max` bounds the sum of all counts.
core::Result<Reservation> decode_reservation(std::string_view text, std::int64_t slots_max);

}  // namespace gang
