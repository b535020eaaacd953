#pragma once
// The size of a gang from all that is known of it before its executors exist: what the driver
// declares, and what its Spark conf foretells. The count is the declaration's, if there is one; of
// two sizes the larger one counts, for a slot that is too small holds a place for nobody.

#include "core/value/pod.hpp"
#include "gang/declare/declaration.hpp"
#include "gang/declare/spark/executor/derive.hpp"

#include <string>
#include <vector>

namespace gang {

struct GangSize {
    std::vector<spark::ExecutorShape> executors;
    std::string problem;      ///< not empty: unknown, nothing else counts
    std::string source;       ///< "label executors, the Spark conf": what count and size come from
    std::vector<std::string> warnings;
    std::vector<std::string> notes;
};

/// What the driver is reserved as: its own request, or what it declares where that is more.
core::Resources driver_request(const core::Pod& driver, const Declaration& declaration);

/// `derived` is nullptr when there is no Spark conf to read. Constraints are the conf's, else the
/// driver's own: executors that nobody has described go where their driver may go.
GangSize size_gang(
    const core::Pod& driver,
    const Declaration& declaration,
    const spark::Derivation* derived,
    const spark::Limits& limits);

}  // namespace gang
