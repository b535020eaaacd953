#include "k8s/codec/pod/pod_spec.hpp"

#include "core/value/image/node_images.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace k8s {
namespace {

using rapidjson::Value;

core::ContainerRequest decode_container(Fields& fields, const Value& container) {
    core::ContainerRequest result;
    result.name = fields.text(container, "name");
    result.restartable = fields.text(container, "restartPolicy") == "Always";
    if (const Value* resources = fields.object(container, "resources")) {
        result.requests = fields.requests(*resources);
    }
    return result;
}

/// The API server admits 1 to this.
constexpr std::int64_t preferred_weight_max = 100;

constexpr std::array<std::pair<std::string_view, core::SelectorOperator>, 6> selector_operators = {
    {{"In", core::SelectorOperator::in},
     {"NotIn", core::SelectorOperator::not_in},
     {"Exists", core::SelectorOperator::exists},
     {"DoesNotExist", core::SelectorOperator::does_not_exist},
     {"Gt", core::SelectorOperator::greater},
     {"Lt", core::SelectorOperator::less}}};

std::vector<core::NodeSelectorRequirement> decode_requirements(
    Fields& fields, const Value& term, const char* name) {
    std::vector<core::NodeSelectorRequirement> result;
    for (const Value& expression : fields.objects(term, name)) {
        auto& requirement = result.emplace_back();
        requirement.key = fields.text(expression, "key");
        requirement.values = fields.texts(expression, "values");
        const std::string op = fields.text(expression, "operator");
        const auto* found = std::find_if(
            selector_operators.begin(), selector_operators.end(), [&](const auto& pair) { return pair.first == op; });
        if (found == selector_operators.end()) {
            fields.wrong("operator", "In, NotIn, Exists, DoesNotExist, Gt or Lt");
            continue;
        }
        requirement.op = found->second;
    }
    return result;
}

void decode_affinity(Fields& fields, const Value& spec, core::Constraints& into) {
    const Value* affinity = fields.object(spec, "affinity");
    const Value* node = affinity ? fields.object(*affinity, "nodeAffinity") : nullptr;
    if (node == nullptr) {
        return;
    }
    if (const Value* required =
            fields.object(*node, "requiredDuringSchedulingIgnoredDuringExecution")) {
        into.has_required_affinity = true;
        for (const Value& term : fields.objects(*required, "nodeSelectorTerms")) {
            into.required_affinity.push_back(decode_node_term(fields, term));
        }
    }
    for (const Value& preferred :
         fields.objects(*node, "preferredDuringSchedulingIgnoredDuringExecution")) {
        auto& result = into.preferred_affinity.emplace_back();
        result.weight = static_cast<std::int32_t>(
            std::clamp<std::int64_t>(fields.integer(preferred, "weight"), 0, preferred_weight_max));
        if (const Value* term = fields.object(preferred, "preference")) {
            result.term = decode_node_term(fields, *term);
        }
    }
}

core::Toleration decode_toleration(Fields& fields, const Value& toleration) {
    core::Toleration result;
    result.key = fields.text(toleration, "key");
    result.value = fields.text(toleration, "value");
    result.seconds = fields.integer(toleration, "tolerationSeconds", -1);
    const std::string op = fields.text(toleration, "operator", "Equal");
    result.exists = op == "Exists";
    if (op != "Exists" && op != "Equal" && !op.empty()) {
        fields.wrong("operator of a toleration", "Exists or Equal");
    }
    const std::string effect = fields.text(toleration, "effect");
    result.any_effect = effect.empty();
    if (const auto known = parse_effect(effect)) {
        result.effect = *known;
    } else if (!result.any_effect) {
        fields.wrong("effect", "NoSchedule, PreferNoSchedule or NoExecute");
    }
    return result;
}

}  // namespace

std::optional<core::TaintEffect> parse_effect(std::string_view text) {
    if (text == "NoSchedule") {
        return core::TaintEffect::no_schedule;
    }
    if (text == "PreferNoSchedule") {
        return core::TaintEffect::prefer_no_schedule;
    }
    if (text == "NoExecute") {
        return core::TaintEffect::no_execute;
    }
    return std::nullopt;
}

const char* effect_name(core::TaintEffect effect) {
    switch (effect) {
        case core::TaintEffect::no_schedule:
            return "NoSchedule";
        case core::TaintEffect::prefer_no_schedule:
            return "PreferNoSchedule";
        case core::TaintEffect::no_execute:
            return "NoExecute";
    }
    return "";
}

core::NodeSelectorTerm decode_node_term(Fields& fields, const Value& term) {
    return {
        decode_requirements(fields, term, "matchExpressions"),
        decode_requirements(fields, term, "matchFields")};
}

core::PodRequests decode_pod_requests(Fields& fields, const Value& spec) {
    core::PodRequests result;
    const auto containers = fields.objects(spec, "containers");
    result.containers.reserve(containers.Size());
    for (const Value& container : containers) {
        result.containers.push_back(decode_container(fields, container));
    }
    for (const Value& container : fields.objects(spec, "initContainers")) {
        result.init_containers.push_back(decode_container(fields, container));
    }
    result.overhead = fields.quantities(spec, "overhead");
    if (const Value* resources = fields.object(spec, "resources")) {
        result.pod_level = fields.requests(*resources);
    }
    return result;
}

void read_host_ports(
    Fields& fields, const Value& container, bool host_network, std::vector<core::HostPort>& into) {
    constexpr std::array<std::string_view, 3> protocols = {"TCP", "UDP", "SCTP"};
    for (const Value& port : fields.objects(container, "ports")) {
        const std::int64_t own = host_network ? fields.integer(port, "containerPort") : 0;
        core::HostPort found;
        found.port = fields.integer(port, "hostPort", own);
        if (found.port == 0) {
            continue;
        }
        found.ip = fields.text(port, "hostIP");
        found.protocol = fields.text(port, "protocol", "TCP");
        if (found.port < 1 || found.port > 65535) {
            fields.wrong("hostPort", "a port from 1 to 65535");
        }
        if (std::find(protocols.begin(), protocols.end(), found.protocol) == protocols.end()) {
            fields.wrong("protocol", "TCP, UDP or SCTP");
        }
        into.push_back(std::move(found));
    }
}

/// Those that count for a driver's limit, and that any number of a node's pods may have.
void read_counted_disk(
    Fields& fields, const Value& volume, std::vector<core::InTreeDisk>& disks) {
    struct Source {
        const char* name;
        const char* identity;
        const char* plugin;
    };
    constexpr std::array sources = {
        Source{"azureDisk", "diskURI", "azure-disk "},
        Source{"cinder", "volumeID", "cinder "},
        Source{"portworxVolume", "volumeID", "portworx-volume "}};
    for (const Source& one : sources) {
        if (const Value* disk = fields.object(volume, one.name)) {
            disks.push_back({one.plugin + fields.text(*disk, one.identity), true});
        }
    }
}

std::vector<core::InTreeDisk> decode_disks(Fields& fields, const Value& spec) {
    std::vector<core::InTreeDisk> disks;
    for (const Value& volume : fields.objects(spec, "volumes")) {
        if (const Value* gce = fields.object(volume, "gcePersistentDisk")) {
            disks.push_back(
                {"gce-pd " + fields.text(*gce, "pdName"), fields.flag(*gce, "readOnly")});
        } else if (const Value* ebs = fields.object(volume, "awsElasticBlockStore")) {
            disks.push_back({"aws-ebs " + fields.text(*ebs, "volumeID"), false});
        } else if (const Value* iscsi = fields.object(volume, "iscsi")) {
            disks.push_back(
                {"iscsi " + fields.text(*iscsi, "iqn"), fields.flag(*iscsi, "readOnly")});
        } else if (const Value* rbd = fields.object(volume, "rbd")) {
            const std::string image =
                fields.text(*rbd, "pool", "rbd") + "/" + fields.text(*rbd, "image");
            for (const std::string& monitor : fields.texts(*rbd, "monitors")) {
                disks.push_back({"rbd " + monitor + "/" + image, fields.flag(*rbd, "readOnly")});
            }
        } else {
            read_counted_disk(fields, volume, disks);
        }
    }
    return disks;
}

std::vector<core::HostPort> decode_host_ports(Fields& fields, const Value& spec) {
    std::vector<core::HostPort> ports;
    for (const Value& container : fields.objects(spec, "containers")) {
        read_host_ports(fields, container, false, ports);
    }
    for (const Value& container : fields.objects(spec, "initContainers")) {
        if (fields.text_view(container, "restartPolicy") == "Always") {
            read_host_ports(fields, container, false, ports);
        }
    }
    return ports;
}

std::string decode_image(Fields& fields, const Value& container) {
    std::string image = fields.text(container, "image");
    return image.empty() ? image : core::full_image_name(std::move(image));
}

std::vector<std::string> decode_images(Fields& fields, const Value& spec, const char* list) {
    std::vector<std::string> images;
    for (const Value& container : fields.objects(spec, list)) {
        if (std::string image = decode_image(fields, container); !image.empty()) {
            images.push_back(std::move(image));
        }
    }
    return images;
}

std::vector<std::string> decode_image_volumes(Fields& fields, const Value& spec) {
    std::vector<std::string> images;
    for (const Value& volume : fields.objects(spec, "volumes")) {
        const Value* const image = fields.object(volume, "image");
        std::string name = image == nullptr ? std::string() : fields.text(*image, "reference");
        if (!name.empty()) images.push_back(core::full_image_name(std::move(name)));
    }
    return images;
}

core::Constraints decode_constraints(Fields& fields, const Value& spec) {
    core::Constraints result;
    result.node_selector = fields.map(spec, "nodeSelector");
    decode_affinity(fields, spec, result);
    const auto tolerations = fields.objects(spec, "tolerations");
    result.tolerations.reserve(tolerations.Size());
    for (const Value& toleration : tolerations) {
        result.tolerations.push_back(decode_toleration(fields, toleration));
    }
    return result;
}

}  // namespace k8s
