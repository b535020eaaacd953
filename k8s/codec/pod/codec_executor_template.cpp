#include "k8s/codec/pod/codec_executor_template.hpp"

#include "core/value/device/card_ask.hpp"
#include "core/value/device/card_dialect.hpp"
#include "k8s/codec/pod/pod_rules.hpp"
#include "k8s/codec/pod/pod_spec.hpp"
#include "k8s/json/json_fields.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace k8s {
namespace {

using rapidjson::Document;
using rapidjson::SizeType;
using rapidjson::Value;

constexpr std::size_t depth_max = 64;
/// Aliases unfold while the tree is built, so that is what must be bounded.
constexpr int nodes_max = 100'000;

/// YAML to JSON in one pass, with the types that a plain scalar has in YAML. Throws
/// YAML::Exception.
class Builder : public YAML::EventHandler {
public:
    explicit Builder(Document& document) : allocator_(document.GetAllocator()) {}

    Value take_root() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        add(mark, Value(), anchor, 1);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchored_.find(anchor);
        if (found == anchored_.end()) {
            throw YAML::Exception(mark, "an alias inside of what it stands for");
        }
        count(mark, found->second.nodes);
        add(mark, Value(found->second.value, allocator_), 0, found->second.nodes);
    }
    void OnScalar(
        const YAML::Mark& mark,
        const std::string& tag,
        YAML::anchor_t anchor,
        const std::string& text) override {
        if (takes_key()) {
            take_key(mark, text);
        } else {
            add(mark, scalar(tag, text), anchor, 1);
        }
    }
    void OnSequenceStart(
        const YAML::Mark& mark,
        const std::string&,
        YAML::anchor_t anchor,
        YAML::EmitterStyle::value) override {
        open(mark, rapidjson::kArrayType, anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(
        const YAML::Mark& mark,
        const std::string&,
        YAML::anchor_t anchor,
        YAML::EmitterStyle::value) override {
        open(mark, rapidjson::kObjectType, anchor);
    }
    void OnMapEnd() override { close(); }

private:
    /// A map or sequence that is not finished.
    struct Open {
        Value value;
        YAML::Mark mark;
        YAML::anchor_t anchor = 0;
        int nodes = 1;
        bool has_key = false;
        std::string key;
        std::set<std::string> keys;
    };
    struct Anchored {
        Value value;
        int nodes = 0;
    };

    bool takes_key() const {
        return !open_.empty() && open_.back().value.IsObject() && !open_.back().has_key;
    }

    void take_key(const YAML::Mark& mark, const std::string& key) {
        if (key == "<<") {
            throw YAML::Exception(mark, "merge keys are not supported");
        }
        if (!open_.back().keys.insert(key).second) {
            throw YAML::Exception(mark, "the key \"" + key + "\" comes twice");
        }
        open_.back().key = key;
        open_.back().has_key = true;
    }

    void count(const YAML::Mark& mark, int nodes) {
        nodes_ += nodes;
        if (nodes_ > nodes_max) {
            throw YAML::Exception(mark, "too large once its aliases are unfolded");
        }
    }

    void open(const YAML::Mark& mark, rapidjson::Type type, YAML::anchor_t anchor) {
        if (takes_key()) {
            throw YAML::Exception(mark, "a key that is no scalar");
        }
        if (open_.size() > depth_max) {
            throw YAML::Exception(mark, "nested too deep");
        }
        count(mark, 1);
        Open& opened = open_.emplace_back();
        opened.value = Value(type);
        opened.mark = mark;
        opened.anchor = anchor;
    }

    void close() {
        Open closed = std::move(open_.back());
        open_.pop_back();
        add(closed.mark, std::move(closed.value), closed.anchor, closed.nodes);
    }

    /// A finished value goes into what is open around it.
    void add(const YAML::Mark& mark, Value value, YAML::anchor_t anchor, int nodes) {
        if (takes_key()) {
            throw YAML::Exception(mark, "a key that is no scalar");
        }
        if (anchor != 0) {
            anchored_[anchor] = {Value(value, allocator_), nodes};
        }
        if (open_.empty()) {
            root_ = std::move(value);
            return;
        }
        Open& around = open_.back();
        around.nodes += nodes;
        if (around.value.IsArray()) {
            around.value.PushBack(value, allocator_);
        } else {
            around.value.AddMember(string(around.key), value, allocator_);
            around.has_key = false;
        }
    }

    /// A quoted scalar carries the tag "!" and stays a string whatever it looks like.
    Value scalar(const std::string& tag, const std::string& text) {
        if (tag == "!" || tag == "tag:yaml.org,2002:str") {
            return string(text);
        }
        if (text == "true" || text == "false") {
            return Value(text == "true");
        }
        const char* const end = text.data() + text.size();
        std::int64_t integer = 0;
        const auto [rest, error] = std::from_chars(text.data(), end, integer);
        const bool is_integer = error == std::errc{} && rest == end;
        // What does not print as it was written (007, 1.50) is kept as the user wrote it.
        return is_integer && std::to_string(integer) == text ? Value(integer) : string(text);
    }

    Value string(const std::string& text) {
        return Value(text.data(), static_cast<SizeType>(text.size()), allocator_);
    }

    Document::AllocatorType& allocator_;
    Value root_;
    std::vector<Open> open_;
    std::map<YAML::anchor_t, Anchored> anchored_;
    int nodes_ = 0;
};

/// Never by YAML::LoadAll: on a text such as "," it makes empty documents without end.
core::Result<core::Done> read_yaml(const std::string& text, Document& into) {
    try {
        std::istringstream in(text);
        YAML::Parser parser(in);
        Builder builder(into);
        if (!parser.HandleNextDocument(builder)) {
            return core::Error{"expected one YAML document"};
        }
        Value root = builder.take_root();
        Document ignored;
        Builder second(ignored);
        if (parser.HandleNextDocument(second)) {
            return core::Error{"expected one YAML document"};
        }
        root.Swap(into);
    } catch (const YAML::Exception& exception) {
        return core::Error{std::string("not a YAML document: ") + exception.what()};
    }
    return core::Done{};
}

std::string dump(const Value* value) {
    if (value == nullptr) {
        return {};
    }
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    value->Accept(writer);
    return {buffer.GetString(), buffer.GetSize()};
}

void decode_limits(Fields& fields, const Value& container, core::TemplateContainer& into) {
    const Value* resources = fields.object(container, "resources");
    const Value* limits = resources ? fields.object(*resources, "limits") : nullptr;
    if (limits == nullptr) {
        return;
    }
    const core::Resources amounts = fields.quantities(*resources, "limits");
    if (find_member(*limits, "cpu") != nullptr) {
        into.cpu_limit_milli = amounts.cpu_milli;
    }
    if (find_member(*limits, "memory") != nullptr) {
        into.memory_limit_bytes = amounts.memory_bytes;
    }
}

/// Whether every node can bring the volume.
bool is_everywhere(const Value& volume) {
    constexpr std::array kinds = {
        "emptyDir", "configMap", "secret", "projected", "downwardAPI", "hostPath", "nfs"};
    return std::any_of(kinds.begin(), kinds.end(), [&](const char* kind) {
        return find_member(volume, kind) != nullptr;
    });
}

std::string dump_volumes(Fields& fields, const Value& spec) {
    Document document;
    Value kept(rapidjson::kArrayType);
    for (const Value& volume : fields.objects(spec, "volumes")) {
        if (!is_everywhere(volume)) {
            kept.PushBack(Value(volume, document.GetAllocator()), document.GetAllocator());
        }
    }
    return kept.Empty() ? "" : dump(&kept);
}

std::string dump_array(Fields& fields, const Value& spec, const char* name) {
    return fields.objects(spec, name).Empty() ? "" : dump(find_member(spec, name));
}

void decode_containers(Fields& fields, const Value& spec, core::PodTemplate& into) {
    into.requests = decode_pod_requests(fields, spec);
    for (const Value& container : fields.objects(spec, "containers")) {
        auto& read = into.containers.emplace_back();
        decode_limits(fields, container, read);
        read_host_ports(fields, container, into.host_network, read.host_ports);
        read.image = decode_image(fields, container);
    }
    for (const Value& container : fields.objects(spec, "initContainers")) {
        if (fields.text(container, "restartPolicy") == "Always") {
            read_host_ports(fields, container, into.host_network, into.sidecar_ports);
        }
    }
}

core::PodTemplate decode_spec(Fields& fields, const Value& spec) {
    core::PodTemplate result;
    result.host_network = fields.flag(spec, "hostNetwork");
    decode_containers(fields, spec, result);
    result.constraints = decode_constraints(fields, spec);
    result.constraints.images = decode_images(fields, spec, "initContainers");
    for (std::string& image : decode_image_volumes(fields, spec)) {
        result.constraints.images.push_back(std::move(image));
    }
    result.rules = decode_template_rules(fields, spec);
    result.constraints.has_host_ports =
        !result.sidecar_ports.empty() ||
        std::any_of(result.containers.begin(), result.containers.end(), [](const auto& container) {
            return !container.host_ports.empty();
        });
    result.scheduler_name = fields.text(spec, "schedulerName");
    result.node_name = fields.text(spec, "nodeName");
    result.priority_class_name = fields.text(spec, "priorityClassName");
    result.preemption_policy = fields.text(spec, "preemptionPolicy");
    result.runtime_class_name = fields.text(spec, "runtimeClassName");
    result.affinity_json = dump(fields.object(spec, "affinity"));
    result.topology_spread_json = dump_array(fields, spec, "topologySpreadConstraints");
    result.scheduling_gates_json = dump_array(fields, spec, "schedulingGates");
    result.volumes_json = dump_volumes(fields, spec);
    result.disks = decode_disks(fields, spec);
    return result;
}

/// By annotations that executors would have.
std::string refused_by(Fields& fields, const Value& metadata, const core::PodRequests& requests) {
    const auto annotations = fields.map(metadata, "annotations", core::names_cards);
    core::Resources all;
    for (const core::ContainerRequest& container : requests.containers) {
        all = core::larger(all, container.requests);
    }
    return core::refused_card_words(annotations, all);
}

core::Result<core::PodTemplate> decode_document(const Value& root) {
    if (!root.IsObject()) {
        return core::Error{"expected a pod, found something that is no map"};
    }
    Fields fields(Scalars::coerced);
    const std::string kind = fields.text(root, "kind", "Pod");
    if (kind != "Pod") {
        return core::Error{"kind: expected Pod"};
    }
    const Value* spec = fields.object(root, "spec");
    core::PodTemplate result = spec ? decode_spec(fields, *spec) : core::PodTemplate{};
    std::string refused = core::check_asking_containers(result.requests);
    if (const Value* metadata = fields.object(root, "metadata")) {
        result.labels = fields.map(*metadata, "labels");
        if (refused.empty()) refused = refused_by(fields, *metadata, result.requests);
    }
    if (spec != nullptr && !fields.objects(*spec, "resourceClaims").Empty()) {
        refused = no_resource_claims;
    }
    if (!refused.empty()) {
        return core::Error{refused};
    }
    if (!fields.problem().empty()) {
        return core::Error{fields.problem()};
    }
    return result;
}

}  // namespace

core::Result<core::PodTemplate> decode_executor_template(std::string_view yaml) {
    if (yaml.size() > executor_template_max) {
        return core::Error{
            "executor template: more than " + std::to_string(executor_template_max) + " bytes"};
    }
    std::string text(yaml);
    Document document;
    const auto read = read_yaml(text, document);
    auto result = read ? decode_document(document) : core::Result<core::PodTemplate>(read.error());
    if (!result) {
        return core::Error{"executor template: " + result.error().message};
    }
    return result;
}

}  // namespace k8s
