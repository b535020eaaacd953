#include "gang/event.hpp"

namespace gang {

static_assert(
    std::is_nothrow_move_constructible_v<EventKinds> && std::is_nothrow_move_assignable_v<EventKinds>);

Event::Event() noexcept = default;
Event::Event(const Event& other) = default;
Event::Event(Event&& other) noexcept = default;
Event& Event::operator=(const Event& other) = default;
Event& Event::operator=(Event&& other) noexcept = default;
Event::~Event() = default;

}  // namespace gang
