#include "k8s/codec_executor_template.hpp"

#include "k8s/json_fields.hpp"
#include "k8s/pod_spec.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <charconv>
#include <set>
#include <sstream>
#include <utility>

namespace k8s {
namespace {

using rapidjson::Document;
using rapidjson::SizeType;
using rapidjson::Value;

constexpr int depth_max = 64;
/// Aliases unfold while the tree is copied, so the copy is what must be bounded.
constexpr int nodes_max = 100'000;

/// YAML to JSON, with the types that a plain scalar has in YAML. Throws YAML::Exception.
class Converter {
public:
    explicit Converter(Document& document) : allocator_(document.GetAllocator()) {}

    Value convert(const YAML::Node& node, int depth) {
        if (depth > depth_max) {
            throw YAML::Exception(node.Mark(), "nested too deep");
        }
        if (++nodes_ > nodes_max) {
            throw YAML::Exception(node.Mark(), "too large once its aliases are unfolded");
        }
        switch (node.Type()) {
            case YAML::NodeType::Map:
                return convert_map(node, depth);
            case YAML::NodeType::Sequence:
                return convert_sequence(node, depth);
            case YAML::NodeType::Scalar:
                return convert_scalar(node);
            case YAML::NodeType::Null:
            case YAML::NodeType::Undefined:
                break;
        }
        return Value();
    }

private:
    Value convert_map(const YAML::Node& node, int depth) {
        Value result(rapidjson::kObjectType);
        std::set<std::string> seen;
        for (const auto& pair : node) {
            if (!pair.first.IsScalar()) {
                throw YAML::Exception(pair.first.Mark(), "a key that is no scalar");
            }
            const std::string& key = pair.first.Scalar();
            if (key == "<<") {
                throw YAML::Exception(pair.first.Mark(), "merge keys are not supported");
            }
            if (!seen.insert(key).second) {
                throw YAML::Exception(pair.first.Mark(), "the key \"" + key + "\" comes twice");
            }
            Value value = convert(pair.second, depth + 1);
            result.AddMember(string(key), value, allocator_);
        }
        return result;
    }

    Value convert_sequence(const YAML::Node& node, int depth) {
        Value result(rapidjson::kArrayType);
        for (const auto& element : node) {
            Value value = convert(element, depth + 1);
            result.PushBack(value, allocator_);
        }
        return result;
    }

    /// A quoted scalar carries the tag "!" and stays a string whatever it looks like.
    Value convert_scalar(const YAML::Node& node) {
        const std::string& text = node.Scalar();
        if (node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str") {
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
    int nodes_ = 0;
};

/// Looks at documents without building them.
class Ignore : public YAML::EventHandler {
public:
    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
    void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
    void OnScalar(
        const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
    void OnSequenceStart(
        const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    }
    void OnSequenceEnd() override {}
    void OnMapStart(
        const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    }
    void OnMapEnd() override {}
};

/// Never by YAML::LoadAll: on a text such as "," it makes empty documents without end.
bool is_one_document(const std::string& text) {
    std::istringstream in(text);
    YAML::Parser parser(in);
    Ignore ignore;
    return parser.HandleNextDocument(ignore) && !parser.HandleNextDocument(ignore);
}

core::Result<core::Done> read_yaml(const std::string& text, Document& into) {
    try {
        if (!is_one_document(text)) {
            return core::Error{"expected one YAML document"};
        }
        Value root = Converter(into).convert(YAML::Load(text), 0);
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

ExecutorTemplate decode_spec(Fields& fields, const Value& spec) {
    ExecutorTemplate result;
    result.requests = decode_pod_requests(fields, spec);
    result.constraints = decode_constraints(fields, spec);
    result.scheduler_name = fields.text(spec, "schedulerName");
    result.priority_class_name = fields.text(spec, "priorityClassName");
    result.runtime_class_name = fields.text(spec, "runtimeClassName");
    result.affinity_json = dump(fields.object(spec, "affinity"));
    if (!fields.objects(spec, "topologySpreadConstraints").Empty()) {
        result.topology_spread_json = dump(find_member(spec, "topologySpreadConstraints"));
    }
    return result;
}

core::Result<ExecutorTemplate> decode_document(const Value& root) {
    if (!root.IsObject()) {
        return core::Error{"expected a pod, found something that is no map"};
    }
    Fields fields(Scalars::coerced);
    const std::string kind = fields.text(root, "kind", "Pod");
    if (kind != "Pod") {
        return core::Error{"kind: expected Pod"};
    }
    const Value* spec = fields.object(root, "spec");
    ExecutorTemplate result = spec ? decode_spec(fields, *spec) : ExecutorTemplate{};
    if (!fields.problem().empty()) {
        return core::Error{fields.problem()};
    }
    return result;
}

}  // namespace

core::Result<ExecutorTemplate> decode_executor_template(std::string_view yaml) {
    if (yaml.size() > executor_template_max) {
        return core::Error{
            "executor template: more than " + std::to_string(executor_template_max) + " bytes"};
    }
    std::string text(yaml);
    Document document;
    const auto read = read_yaml(text, document);
    auto result = read ? decode_document(document) : core::Result<ExecutorTemplate>(read.error());
    if (!result) {
        return core::Error{"executor template: " + result.error().message};
    }
    return result;
}

}  // namespace k8s
