#include "gang/model/group/group_records.hpp"

#include "core/value/pod.hpp"
#include "gang/model/group/pod_groups.hpp"
#include "gang/reservation/format/reservation.hpp"

namespace gang {
namespace {

/// Of a compacted pod only an anchor's text is remembered.
const std::string* text_of(const Pods& pods, PodId id) {
    return pods.is_compacted(id) && !pods[id].is_driver() ? nullptr : pods[id].reservation();
}

std::optional<RecordAge> age_of(const Model& model, PodId id) {
    const std::string* const text = text_of(model.pods, id);
    if (text == nullptr) {
        return std::nullopt;
    }
    const auto read = decode_reservation(*text, model.schema.gang.max_gang_size - 1);
    if (!read || read->anchor != model.pods.uid(id)) {
        return std::nullopt;
    }
    return RecordAge{read->epoch, read->generation};
}

}  // namespace

std::optional<GroupRecord> newest_record(const Model& model, const std::string& group) {
    const PodGroup* const known = model.groups.find(group);
    if (known == nullptr || !model.schema.is_sealed() || !model.reader.reads_gangs()) {
        return std::nullopt;
    }
    std::optional<GroupRecord> newest;
    for (const PodId id : known->members) {
        const auto age = age_of(model, id);
        if (age && (!newest || age > newest->age ||
                    (age == newest->age && model.pods.uid(id) < model.pods.uid(newest->bearer)))) {
            newest = GroupRecord{id, *age};
        }
    }
    return newest;
}

bool bears_newest_record(const Model& model, const PodEntry& entry) {
    const auto newest = newest_record(model, entry.group);
    if (!newest || newest->bearer != entry.id) {
        return false;
    }
    const PodGroup& group = *model.groups.find(entry.group.str());
    const Application* const gang = group.anchor.empty() ? nullptr : model.gangs.find(group.anchor);
    const bool is_ours = model.term.leads && gang != nullptr && gang->uid != entry.pod.uid &&
                         gang->phase == Phase::running && gang->published.reserved;
    return !is_ours || newest->age > RecordAge{gang->published.epoch, gang->published.generation};
}

Application* find_anchored(Model& model, PodId member) {
    return model.pods[member].is_driver() ? model.gangs.find(model.pods.uid(member)) : nullptr;
}

Application& make_anchor(Model& model, PodEntry& entry) {
    Application* const owner = model.gangs.find_owner(entry);
    if (owner != nullptr && entry.slot >= 0) {
        model.ledger.release(*owner, entry);
    }
    if (owner != nullptr) {
        owner->remove_pending(entry.rank());
    }
    model.gangs.leave_owner(entry);
    model.gangs.erase(entry.pod.uid);  // it may have stood in the line by itself
    entry.is_driver = true;
    entry.declares_anew = false;
    entry.alone = Alone::no;
    Application& gang = model.gangs.ensure(entry, true);
    gang.declared.conf_needed = false;
    model.ledger.pod_allocations().settle(entry);
    return gang;
}

void unmake_anchor(Model& model, PodEntry& entry) {
    entry.is_driver = false;
    if (const Application* const gang = model.gangs.find(entry.pod.uid)) {
        model.worklist.forget(gang->rank());
        model.gangs.erase(entry.pod.uid);
    }
}

}  // namespace gang
