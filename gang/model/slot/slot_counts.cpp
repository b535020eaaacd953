#include "gang/model/slot/slot_counts.hpp"

#include <algorithm>
#include <cstddef>

namespace gang {

void SlotCounts::note_unfilled(const Application& app) {
    if (app.count(SlotState::open) > 0) {
        unfilled_.insert(app.rank());
    } else {
        unfilled_.erase(app.rank());
    }
}

void SlotCounts::set_state(Application& app, Slot& slot, SlotState state) {
    const bool had_open = app.count(SlotState::open) > 0;
    --app.slots_in[static_cast<std::size_t>(slot.state)];
    ++app.slots_in[static_cast<std::size_t>(state)];
    slot.state = state;
    if (had_open != (app.count(SlotState::open) > 0)) {
        note_unfilled(app);
    }
    const auto index = static_cast<std::size_t>(&slot - app.slots.data());
    if (state == SlotState::open) {
        app.open_from = std::min(app.open_from, index);
    } else if (app.count(SlotState::open) == 0) {
        app.open_from = app.slots.size();
    } else if (index == app.open_from) {
        const auto next = std::find_if(
            app.slots.begin() + static_cast<std::ptrdiff_t>(index),
            app.slots.end(),
            [](const Slot& other) { return other.state == SlotState::open; });
        app.open_from = static_cast<std::size_t>(next - app.slots.begin());
    }
}

void SlotCounts::add_unplaced(Application& app, std::int64_t count) {
    app.slots_in[static_cast<std::size_t>(SlotState::unplaced)] +=
        static_cast<std::uint32_t>(count);
}

void SlotCounts::count_anew(Application& app) {
    app.slots_in = {};
    app.open_from = 0;
    for (const Slot& slot : app.slots) {
        ++app.slots_in[static_cast<std::size_t>(slot.state)];
    }
    note_unfilled(app);
}

std::int64_t SlotCounts::open_milli(const Slot& slot) const {
    return slot.state == SlotState::open && !slot.allocation.is_none()
               ? cluster_.allocations().resources_of(slot.allocation).cpu_milli
               : 0;
}

}  // namespace gang
