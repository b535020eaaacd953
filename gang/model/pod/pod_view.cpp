#include "gang/model/pod/pod_view.hpp"

#include "gang/declare/declaration.hpp"
#include "gang/reservation/format/reservation.hpp"

namespace gang {

std::string PodView::full_name() const {
    if (record_.active != nullptr) {
        return record_.active->pod.namespace_name + "/" + record_.active->pod.name;
    }
    return kin().namespace_name.str() + "/" + kin().stem.str() + record_.suffix.str();
}

int PodView::match_name(std::string_view question) const {
    const bool is_compacted = record_.active == nullptr;
    const std::string& space = namespace_name();
    const std::string& stem = is_compacted ? kin().stem.str() : record_.active->pod.name;
    const std::string& suffix = record_.suffix.str();
    const auto is_name = [&](std::string_view text) {
        return text.size() == stem.size() + suffix.size() && text.starts_with(stem) &&
               text.ends_with(suffix);
    };
    const bool in_space = question.size() > space.size() && question.starts_with(space) &&
                          question[space.size()] == '/';
    if (in_space && is_name(question.substr(space.size() + 1))) {
        return 3;
    }
    return is_name(question) ? 2 : 0;
}

const std::string& PodView::namespace_name() const {
    return record_.active != nullptr ? record_.active->pod.namespace_name
                                     : kin().namespace_name.str();
}

const std::string& PodView::scheduler_name() const {
    return record_.active != nullptr ? record_.active->pod.scheduler_name
                                     : kin().scheduler_name.str();
}

const core::Resources& PodView::requests() const {
    return record_.active != nullptr ? record_.active->pod.requests : details_.amounts(record_);
}

std::int64_t PodView::created() const {
    return record_.active != nullptr ? record_.active->pod.created : record_.created;
}

std::int32_t PodView::priority() const {
    return record_.active != nullptr ? record_.active->pod.priority : kin().priority;
}

const std::string& PodView::node() const {
    return record_.active != nullptr ? record_.active->node() : record_.node.str();
}

core::PodPhase PodView::phase() const {
    return record_.active != nullptr ? record_.active->pod.phase : record_.phase;
}

bool PodView::holds_capacity() const {
    return record_.active != nullptr ? record_.active->holds_capacity()
                                     : record_.phase != core::PodPhase::succeeded &&
                                           record_.phase != core::PodPhase::failed;
}

bool PodView::is_executor() const {
    return record_.active != nullptr ? record_.active->is_executor : record_.is_executor;
}

bool PodView::is_driver() const {
    return record_.active != nullptr ? record_.active->is_driver : record_.is_driver;
}

bool PodView::is_hand_made() const {
    return record_.active != nullptr ? record_.active->hand_made : record_.hand_made;
}

std::int32_t PodView::profile() const {
    return record_.active != nullptr ? record_.active->profile : kin().profile;
}

const std::string& PodView::application_key() const {
    return record_.active != nullptr ? record_.active->application_key.str()
                                     : kin().application_key.str();
}

const std::string& PodView::group() const {
    return record_.active != nullptr ? record_.active->group.str() : kin().group.str();
}

const std::string& PodView::owner() const {
    return record_.active != nullptr ? record_.active->owner.str() : kin().owner.str();
}

std::int32_t PodView::slot() const {
    return record_.active != nullptr ? record_.active->slot : record_.slot;
}

SlotAnnotation PodView::annotated_slot() const {
    return record_.active != nullptr ? record_.active->annotated_slot : record_.annotated_slot;
}

const std::string& PodView::slot_gang() const {
    return record_.active != nullptr ? record_.active->slot_gang.str() : kin().slot_gang.str();
}

const std::string& PodView::application() const {
    return record_.active != nullptr ? application_id(record_.active->pod)
                                     : details_.driver(record_).application.str();
}

const std::string& PodView::app_name() const {
    return record_.active != nullptr ? spark_app_name(record_.active->pod)
                                     : details_.driver(record_).app_name.str();
}

const std::string& PodView::resource_version() const {
    return record_.active != nullptr ? record_.active->pod.resource_version : details_.version(id_);
}

const std::string* PodView::reservation() const {
    if (record_.active != nullptr) {
        return core::find_value(record_.active->pod.annotations, reservation_annotation);
    }
    const CompactDriver& kept = details_.driver(record_);
    return kept.has_reservation ? &kept.reservation.str() : nullptr;
}

}  // namespace gang
