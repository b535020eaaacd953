#include "gang/decision.hpp"

namespace gang {

static_assert(
    std::is_nothrow_move_constructible_v<DecisionKinds> && std::is_nothrow_move_assignable_v<DecisionKinds>);

Decision::Decision() noexcept = default;
Decision::Decision(const Decision& other) = default;
Decision::Decision(Decision&& other) noexcept = default;
Decision& Decision::operator=(const Decision& other) = default;
Decision& Decision::operator=(Decision&& other) noexcept = default;
Decision::~Decision() = default;

}  // namespace gang
