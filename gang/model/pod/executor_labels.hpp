#pragma once
// What the labels and annotations of an executor say of it: its profile, and our own word on its
// slot.

#include "core/base/text.hpp"
#include "gang/model/application.hpp"

#include <cstdint>
#include <string_view>

namespace gang {

/// The profile label of an executor, 0 if there is none.
std::int32_t profile_of(const core::Pod& executor);

/// What the annotation of an executor says of its slot; valid as long as the pod.
struct SlotNote {
    SlotAnnotation kind = SlotAnnotation::none;
    std::string_view gang;  ///< Application::gang_uid() of the gang whose slot it is; else empty
};
SlotNote read_slot_annotation(const core::Pod& executor);

/// The entry says of its slot what its annotations say now.
void read_slot(PodEntry& entry, core::Texts& texts);

}  // namespace gang
