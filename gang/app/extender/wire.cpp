#include "gang/app/extender/wire.hpp"

#include "gang/app/base/json_text.hpp"
#include "k8s/json/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

namespace gang::app {
namespace {

namespace json = rapidjson;

bool is_key(std::string_view key, std::string_view name) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return std::equal(key.begin(), key.end(), name.begin(), name.end(), [&](char a, char b) {
        return lower(a) == lower(b);
    });
}

/// Counts how deep it is; what is of no interest to the reader derived from it costs nothing.
template <typename Derived>
class Reader : public json::BaseReaderHandler<json::UTF8<>, Derived> {
public:
    explicit Reader(const std::string& body) : body_(body), in_(body.c_str()) {}

    core::Result<core::Done> run() {
        json::Reader reader;
        constexpr unsigned flags = json::kParseIterativeFlag | json::kParseValidateEncodingFlag;
        const json::ParseResult result = reader.Parse<flags>(in_, static_cast<Derived&>(*this));
        if (!problem_.empty()) {
            return core::Error{problem_};
        }
        if (result.IsError()) {
            return core::Error{fmt::format(
                "the body is no JSON: {} (at byte {})",
                json::GetParseError_En(result.Code()),
                result.Offset())};
        }
        return core::Done{};
    }

    bool Default() { return depth_ > 0 || fail("the body is no JSON object"); }
    bool Key(const char* text, json::SizeType size, bool /*copy*/) {
        self().key({text, size});
        return true;
    }
    bool String(const char* text, json::SizeType size, bool /*copy*/) {
        self().string({text, size});
        return Default();
    }
    bool StartObject() {
        self().begins(true);
        ++depth_;
        return true;
    }
    bool EndObject(json::SizeType /*members*/) {
        --depth_;
        self().ends(true);
        return true;
    }
    bool StartArray() {
        self().begins(false);
        ++depth_;
        return depth_ > 1 || fail("the body is no JSON object");
    }
    bool EndArray(json::SizeType /*elements*/) {
        --depth_;
        self().ends(false);
        return true;
    }

protected:
    /// Containers that are open.
    int depth() const { return depth_; }
    /// Where an object begins that has just been met, and its text when it has just ended: the
    /// iterative parser says so before it takes the brace.
    std::size_t begin() const { return in_.Tell(); }
    std::string_view from(std::size_t begin) const {
        return std::string_view(body_).substr(begin, in_.Tell() + 1 - begin);
    }
    bool fail(const char* why) {
        problem_ = why;
        return false;
    }

private:
    Derived& self() { return static_cast<Derived&>(*this); }

    const std::string& body_;
    json::StringStream in_;
    int depth_ = 0;
    std::string problem_;
};

class ArgsReader : public Reader<ArgsReader> {
public:
    using Reader::Reader;

    void key(std::string_view key) {
        if (depth() == 1) {
            section_ = is_key(key, "Pod")         ? Section::pod
                       : is_key(key, "Nodes")     ? Section::nodes
                       : is_key(key, "NodeNames") ? Section::names
                                                  : Section::other;
        } else if (section_ == Section::nodes && depth() <= 5) {
            is_items_ = depth() == 2 ? is_key(key, "items") : is_items_;
            is_metadata_ = depth() == 4 ? key == "metadata" : is_metadata_;
            is_name_ = depth() == 5 && key == "name";
        }
    }
    void string(std::string_view text) {
        if (section_ == Section::names && depth() == 2) {
            args.nodes.emplace_back(text);
        } else if (in_node(5) && is_metadata_ && is_name_) {
            name_ = text;
        }
    }
    void begins(bool is_object) {
        if (depth() == 1) {
            has_nodes = has_nodes || (section_ == Section::nodes && is_object);
            has_names = has_names || (section_ == Section::names && !is_object);
        }
        if (is_object && (is_pod() || in_node(3))) {
            begin_ = begin();
        }
    }
    void ends(bool is_object) {
        if (is_object && is_pod()) {
            args.pod = from(begin_);
        } else if (is_object && in_node(3)) {
            args.objects.push_back(from(begin_));
            args.nodes.push_back(std::exchange(name_, {}));
        }
    }

    ExtenderArgs args;
    bool has_nodes = false;
    bool has_names = false;

private:
    enum class Section : std::uint8_t { other, pod, nodes, names };

    bool is_pod() const { return section_ == Section::pod && depth() == 1; }
    bool in_node(int depth_there) const {
        return section_ == Section::nodes && is_items_ && depth() == depth_there;
    }

    Section section_ = Section::other;
    bool is_items_ = false;
    bool is_metadata_ = false;
    bool is_name_ = false;
    std::size_t begin_ = 0;
    std::string name_;
};

class BindingReader : public Reader<BindingReader> {
public:
    using Reader::Reader;

    void key(std::string_view key) {
        into_ = nullptr;
        if (depth() == 1) {
            into_ = is_key(key, "PodName")        ? &args.pod_name
                    : is_key(key, "PodNamespace") ? &args.pod_namespace
                    : is_key(key, "PodUID")       ? &args.pod_uid
                    : is_key(key, "Node")         ? &args.node
                                                  : nullptr;
        }
    }
    void string(std::string_view text) {
        if (into_ != nullptr && depth() == 1) {
            *into_ = text;
        }
    }
    void begins(bool /*is_object*/) { into_ = nullptr; }
    void ends(bool /*is_object*/) {}

    BindingArgs args;

private:
    std::string* into_ = nullptr;
};

class PreemptionReader : public Reader<PreemptionReader> {
public:
    using Reader::Reader;

    bool Int(int number) { return count(number); }
    bool Uint(unsigned number) { return count(number); }
    bool Int64(std::int64_t number) { return count(number); }

    void key(std::string_view key) {
        if (depth() == 1) {
            is_pod_ = is_key(key, "Pod");
            is_victims_ = is_key(key, "NodeNameToVictims") || is_key(key, "NodeNameToMetaVictims");
        } else if (is_victims_ && depth() == 2) {
            args.victims.push_back({std::string(key), {}, 0});
        } else if (is_victims_ && depth() == 3) {
            is_pods_ = is_key(key, "Pods");
            is_violations_ = is_key(key, "NumPDBViolations");
        } else if (is_victims_ && is_pods_ && depth() == 5) {
            is_metadata_ = key == "metadata";
            is_uid_ = is_key(key, "UID");
        } else if (is_victims_ && is_pods_ && depth() == 6) {
            is_uid_ = is_metadata_ && key == "uid";
        }
    }
    void string(std::string_view text) {
        const bool is_place = depth() == 5 || (depth() == 6 && is_metadata_);
        if (is_victims_ && is_pods_ && is_uid_ && is_place) {
            args.victims.back().uids.emplace_back(text);
        }
    }
    void begins(bool is_object) {
        if (is_object && is_pod_ && depth() == 1) {
            begin_ = begin();
        }
    }
    void ends(bool is_object) {
        if (is_object && is_pod_ && depth() == 1) {
            args.pod = from(begin_);
        }
    }

    PreemptionArgs args;

private:
    bool count(std::int64_t number) {
        if (is_victims_ && is_violations_ && depth() == 3) {
            args.victims.back().pdb_violations = number;
        }
        return Default();
    }

    std::size_t begin_ = 0;
    bool is_pod_ = false;
    bool is_victims_ = false;
    bool is_pods_ = false;
    bool is_violations_ = false;
    bool is_metadata_ = false;
    bool is_uid_ = false;
};

std::string uids_json(const std::vector<std::string>& uids) {
    std::string out = "[";
    for (const std::string& uid : uids) {
        out += fmt::format("{}{{\"UID\":{}}}", out.size() > 1 ? "," : "", json_string(uid));
    }
    return out + "]";
}

}  // namespace

core::Result<ExtenderArgs> read_extender_args(const std::string& body) {
    ArgsReader reader(body);
    if (auto done = reader.run(); !done) {
        return done.error();
    }
    if (reader.args.pod.empty()) {
        return core::Error{"there is no Pod in the body"};
    }
    if (!reader.has_nodes && !reader.has_names) {
        return core::Error{"there are neither Nodes nor NodeNames in the body"};
    }
    if (reader.has_nodes && reader.has_names) {
        return core::Error{"there are both Nodes and NodeNames in the body"};
    }
    const auto& nodes = reader.args.nodes;
    if (std::any_of(nodes.begin(), nodes.end(), [](const auto& name) { return name.empty(); })) {
        return core::Error{"there is a node without a name in the body"};
    }
    reader.args.has_names_alone = reader.has_names;
    return std::move(reader.args);
}

std::string filter_result(const ExtenderArgs& asked, const FilterAnswer& answer) {
    const std::set<std::string_view> passed(answer.passed.begin(), answer.passed.end());
    const std::string message = json_string(answer.message);
    std::vector<std::string> names;
    std::string objects;
    std::string failed;
    for (std::size_t i = 0; i < asked.nodes.size(); ++i) {
        const std::string& name = asked.nodes[i];
        if (!passed.contains(name)) {
            failed += (failed.empty() ? "" : ",") + json_string(name) + ":" + message;
        } else if (asked.has_names_alone) {
            names.push_back(name);
        } else {
            objects += objects.empty() ? "" : ",";
            objects += asked.objects[i];
        }
    }
    const std::string nodes =
        asked.has_names_alone ? "null" : "{\"metadata\":{},\"items\":[" + objects + "]}";
    return "{\"Nodes\":" + nodes +
           ",\"NodeNames\":" + (asked.has_names_alone ? json_strings(names) : "null") +
           ",\"FailedNodes\":{" + failed + "},\"FailedAndUnresolvableNodes\":null,\"Error\":\"\"}";
}

std::string filter_error(std::string_view why) {
    return "{\"Nodes\":null,\"NodeNames\":null,\"FailedNodes\":null,"
           "\"FailedAndUnresolvableNodes\":null,\"Error\":" +
           json_string(why) + "}";
}

std::string host_priorities(const std::vector<HostScore>& scores) {
    std::string out = "[";
    for (const HostScore& one : scores) {
        out += fmt::format(
            "{}{{\"Host\":{},\"Score\":{}}}",
            out.size() > 1 ? "," : "",
            json_string(one.host),
            one.score);
    }
    return out + "]";
}

core::Result<BindingArgs> read_binding_args(const std::string& body) {
    BindingReader reader(body);
    if (auto done = reader.run(); !done) {
        return done.error();
    }
    const BindingArgs& args = reader.args;
    if (args.pod_name.empty() || args.pod_namespace.empty() || args.pod_uid.empty() ||
        args.node.empty()) {
        return core::Error{"PodName, PodNamespace, PodUID and Node are wanted"};
    }
    return std::move(reader.args);
}

std::string binding_result(std::string_view error) {
    return "{\"Error\":" + json_string(error) + "}";
}

core::Result<PreemptionArgs> read_preemption_args(const std::string& body) {
    PreemptionReader reader(body);
    if (auto done = reader.run(); !done) {
        return done.error();
    }
    if (reader.args.pod.empty()) {
        return core::Error{"there is no Pod in the body"};
    }
    return std::move(reader.args);
}

std::string preemption_result(const std::vector<Victims>& left) {
    std::string nodes;
    for (const Victims& victims : left) {
        nodes += fmt::format(
            "{}{}:{{\"Pods\":{},\"NumPDBViolations\":{}}}",
            nodes.empty() ? "" : ",",
            json_string(victims.node),
            uids_json(victims.uids),
            victims.pdb_violations);
    }
    return "{\"NodeNameToMetaVictims\":{" + nodes + "}}";
}

}  // namespace gang::app
