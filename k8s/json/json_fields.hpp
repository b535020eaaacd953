#pragma once
// Reading objects of the Kubernetes API: members by name, with the type checked, the first mistake
// remembered. Included only from .cpp files, because RapidJSON's types are in it.

#include "core/base/result.hpp"
#include "core/value/constraints.hpp"
#include "core/value/resources.hpp"
#include "k8s/json/json.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace k8s {

/// Parses the text in place, so strings of the document point into `text`: keep it, and do not
/// touch it, as long as the document. Nesting cannot exhaust the stack. Arrays that no codec reads
/// (managedFields, env, ports, container statuses) are dropped while reading.
core::Result<core::Done> parse_in_place(std::string& text, rapidjson::Document& into);

/// The member, or nullptr if it is missing or null, or if `object` is no object.
const rapidjson::Value* find_member(const rapidjson::Value& object, std::string_view name);

/// A Status whose details name this cause.
bool has_cause(const rapidjson::Value& status, std::string_view reason);

inline std::string_view view(const rapidjson::Value& string) {
    return {string.GetString(), string.GetStringLength()};
}

/// What user-written YAML may do and the API server's JSON may not: `value: 1` where a string is
/// due.
enum class Scalars : std::uint8_t { strict, coerced };

/// A missing member gives the fallback and is fine; a member of the wrong type gives the fallback
/// and is the problem.
class Fields {
public:
    explicit Fields(Scalars scalars = Scalars::strict) : scalars_(scalars) {}

    std::string text(
        const rapidjson::Value& object, std::string_view name, std::string_view fallback = {});
    /// The same where it lies, for what is looked at and not kept; `strict` ones only.
    std::string_view text_view(
        const rapidjson::Value& object, std::string_view name, std::string_view fallback = {});
    bool flag(const rapidjson::Value& object, std::string_view name);
    std::int64_t integer(
        const rapidjson::Value& object, std::string_view name, std::int64_t fallback = 0);
    /// An object, or nullptr.
    const rapidjson::Value* object(const rapidjson::Value& object, std::string_view name);
    /// An array of objects, possibly empty.
    rapidjson::Value::ConstArray objects(const rapidjson::Value& object, std::string_view name);
    /// An array of strings.
    std::vector<std::string> texts(const rapidjson::Value& object, std::string_view name);
    /// A map of strings, sorted; only keys with the prefix, or that `is_kept` wants.
    core::StringMap map(
        const rapidjson::Value& object, std::string_view name, std::string_view key_prefix = {});
    core::StringMap map(
        const rapidjson::Value& object, std::string_view name, bool (*is_kept)(std::string_view));
    /// `requests` of the object, and of `limits` what `requests` does not name: the API server
    /// fills in the same when the pod is created.
    core::Resources requests(const rapidjson::Value& object);
    /// A map of quantities.
    core::Resources quantities(const rapidjson::Value& object, std::string_view name);

    /// Remembers "name: expected ..." unless there is a problem already.
    void wrong(std::string_view name, const char* expected);
    const std::string& problem() const { return problem_; }

private:
    template <typename IsKept>
    core::StringMap read_map(
        const rapidjson::Value& object, std::string_view name, const IsKept& is_kept);
    void add_quantity(core::Resources& into, const rapidjson::Value::Member& member);
    /// The scalar as a string; false if it is none.
    bool read_text(const rapidjson::Value& value, std::string& into) const;

    Scalars scalars_;
    std::string problem_;
};

}  // namespace k8s
