#include "k8s/codec/group/codec_group_status.hpp"

#include "k8s/base/time.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/json/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace k8s {
namespace {

using core::GroupCondition;
using core::GroupDialect;
using core::GroupPhase;
using core::PodGroupStatus;
using GroupJson = rapidjson::Writer<rapidjson::StringBuffer>;

constexpr std::size_t group_message_max = 1024;

struct PhaseWord {
    GroupPhase phase;
    const char* word;
};
constexpr std::array coscheduling_phases = {
    PhaseWord{GroupPhase::pending, "Pending"},
    PhaseWord{GroupPhase::scheduling, "Scheduling"},
    PhaseWord{GroupPhase::running, "Running"},
    PhaseWord{GroupPhase::unknown, "Unknown"},
    PhaseWord{GroupPhase::finished, "Finished"},
    PhaseWord{GroupPhase::failed, "Failed"}};
constexpr std::array volcano_phases = {
    PhaseWord{GroupPhase::pending, "Pending"},
    PhaseWord{GroupPhase::inqueue, "Inqueue"},
    PhaseWord{GroupPhase::running, "Running"},
    PhaseWord{GroupPhase::unknown, "Unknown"},
    PhaseWord{GroupPhase::finished, "Completed"}};

std::span<const PhaseWord> phases_of(GroupDialect dialect) {
    if (dialect == GroupDialect::coscheduling) return coscheduling_phases;
    if (dialect == GroupDialect::volcano) return volcano_phases;
    return {};
}

/// Kubernetes 1.36 and 1.37 name it differently. The others have one type for each state.
std::string_view condition_type(const GroupStatusWrite& write) {
    if (write.dialect == GroupDialect::kubernetes) {
        return write.api_version == "scheduling.k8s.io/v1alpha2" ? "PodGroupScheduled"
                                                                 : "PodGroupInitiallyScheduled";
    }
    return write.status.condition == GroupCondition::scheduled ? "Scheduled" : "Unschedulable";
}

void put_text(GroupJson& json, const char* key, std::string_view value) {
    json.Key(key);
    json.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void put_condition(GroupJson& json, const GroupStatusWrite& write) {
    const PodGroupStatus& status = write.status;
    const bool is_native = write.dialect == GroupDialect::kubernetes;
    const bool is_true = !is_native || status.condition == GroupCondition::scheduled;
    json.Key("conditions");
    json.StartArray();
    json.StartObject();
    put_text(json, "type", condition_type(write));
    put_text(json, "status", is_true ? "True" : "False");
    put_text(json, "reason", status.reason);
    put_text(json, "message", one_line(status.message, group_message_max));
    put_text(json, "lastTransitionTime", format_time(status.since_ms));
    // Which of its turns found it so is of interest to Volcano's own logs alone.
    if (!is_native) put_text(json, "transitionID", fmt::format("{}", status.since_ms));
    json.EndObject();
    json.EndArray();
}

void put_count(GroupJson& json, const char* key, std::int64_t count) {
    json.Key(key);
    json.Int64(count);
}

}  // namespace

std::string encode_group_status(const GroupStatusWrite& write) {
    const PodGroupStatus& status = write.status;
    rapidjson::StringBuffer buffer;
    GroupJson json(buffer);
    json.StartObject();
    put_text(json, "apiVersion", write.api_version);
    put_text(json, "kind", "PodGroup");
    json.Key("metadata");
    json.StartObject();
    put_text(json, "name", write.name);
    put_text(json, "namespace", write.namespace_name);
    put_text(json, "uid", write.uid);
    if (!write.resource_version.empty()) put_text(json, "resourceVersion", write.resource_version);
    json.EndObject();
    json.Key("status");
    json.StartObject();
    for (const PhaseWord& one : phases_of(write.dialect)) {
        if (one.phase == status.phase) put_text(json, "phase", one.word);
    }
    if (write.dialect != GroupDialect::kubernetes) {
        put_count(json, "running", status.running);
        put_count(json, "succeeded", status.succeeded);
        put_count(json, "failed", status.failed);
    }
    if (!status.occupied_by.empty()) put_text(json, "occupiedBy", status.occupied_by);
    if (status.condition != GroupCondition::none) put_condition(json, write);
    json.EndObject();
    json.EndObject();
    return std::string(buffer.GetString(), buffer.GetSize());
}

PodGroupStatus decode_group_status(
    GroupDialect dialect, std::string_view api_version, const rapidjson::Value& object) {
    PodGroupStatus status;
    Fields fields;
    const rapidjson::Value* const found = fields.object(object, "status");
    if (found == nullptr) return status;
    const std::string phase = fields.text(*found, "phase");
    for (const PhaseWord& one : phases_of(dialect)) {
        if (phase == one.word) status.phase = one.phase;
    }
    status.running = fields.integer(*found, "running", 0);
    status.succeeded = fields.integer(*found, "succeeded", 0);
    status.failed = fields.integer(*found, "failed", 0);
    status.occupied_by = fields.text(*found, "occupiedBy");
    GroupStatusWrite as_written;
    as_written.dialect = dialect;
    as_written.api_version = api_version;
    for (const rapidjson::Value& condition : fields.objects(*found, "conditions")) {
        const bool is_true = fields.text(condition, "status") == "True";
        const std::string type = fields.text(condition, "type");
        for (const GroupCondition one :
             {GroupCondition::unschedulable, GroupCondition::scheduled}) {
            as_written.status.condition = one;
            const bool is_one =
                dialect == GroupDialect::kubernetes
                    ? is_true == (one == GroupCondition::scheduled)
                    : is_true;
            if (!is_one || type != condition_type(as_written)) continue;
            status.condition = one;
            status.reason = fields.text(condition, "reason");
            status.message = fields.text(condition, "message");
            status.since_ms =
                parse_time(fields.text(condition, "lastTransitionTime")).value_or(0);
        }
    }
    return status;
}

}  // namespace k8s
