#pragma once
// One pod of ours as it is asked about, whether it is active or compacted. Made by Pods for a
// question or two; what it answers with lives as long as the pod stays as it is.

#include "gang/model/pod/compact_details.hpp"
#include "gang/model/pod/pod_record.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gang {

class PodView {
public:
    PodView(PodId id, const PodRecord& record, const CompactDetails& details)
        : id_(id), record_(record), details_(details) {}

    /// "namespace/name".
    std::string full_name() const;
    /// How it answers to a question (see GangViews::find_pod): 3 namespace/name, 2 name, 0 not.
    int match_name(std::string_view question) const;
    const std::string& namespace_name() const;
    const std::string& scheduler_name() const;
    const core::Resources& requests() const;
    std::int64_t created() const;
    std::int32_t priority() const;

    const std::string& node() const;
    core::PodPhase phase() const;
    bool holds_capacity() const;

    bool is_executor() const;
    bool is_driver() const;
    bool is_hand_made() const;
    std::int32_t profile() const;
    const std::string& application_key() const;
    const std::string& group() const;
    /// Uid of the driver that it belongs to, or of the pod of its group that bears the reservation.
    const std::string& owner() const;
    std::int32_t slot() const;
    SlotAnnotation annotated_slot() const;
    /// Whose slot that is: Application::gang_uid(). Empty: the annotation names no gang.
    const std::string& slot_gang() const;

    // Of drivers, and the version of members of pod groups as well:
    /// The application's id that its labels say; empty: none.
    const std::string& application() const;
    /// See spark_app_name().
    const std::string& app_name() const;
    const std::string& resource_version() const;
    /// nullptr: it carries none.
    const std::string* reservation() const;

private:
    const PodKin& kin() const { return details_.kin(record_); }

    PodId id_;
    const PodRecord& record_;
    const CompactDetails& details_;
};

}  // namespace gang
