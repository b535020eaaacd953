#include "gang/model/pod/executor_labels.hpp"

#include "gang/reservation/format/reservation.hpp"

#include <charconv>
#include <string>

namespace gang {

std::int32_t profile_of(const core::Pod& executor) {
    const std::string* label = core::find_value(executor.labels, "spark-exec-resourceprofile-id");
    std::int32_t profile = 0;
    if (label != nullptr) {
        std::from_chars(label->data(), label->data() + label->size(), profile);
    }
    return profile;
}

SlotNote read_slot_annotation(const core::Pod& executor) {
    const std::string* value = core::find_value(executor.annotations, slot_annotation);
    if (value == nullptr) {
        return {};
    }
    if (*value == surplus_slot) {
        return {SlotAnnotation::surplus, {}};
    }
    return {SlotAnnotation::slot, std::string_view(*value).substr(0, value->find('/'))};
}

void read_slot(PodEntry& entry, core::Texts& texts) {
    const SlotNote note = read_slot_annotation(entry.pod);
    entry.annotated_slot = note.kind;
    entry.slot_gang = note.gang.empty() ? core::Text{} : texts.keep(note.gang);
}

}  // namespace gang
