#include "k8s/embedded/discovery/openapi_schemas.hpp"

#include "k8s/embedded/schema/schema_types.hpp"

#include <charconv>
#include <set>
#include <string>
#include <utility>

namespace k8s::embedded {

namespace {

/// Collects each type once, in the order in which it is first needed.
class Collector {
public:
    void add(std::size_t number);
    Json take() { return std::move(schemas_); }

private:
    Json form_of(std::string_view type);

    Json schemas_{Json::Object()};
    std::set<std::size_t> known_;
};

Json typed(std::string_view type) {
    Json schema{Json::Object()};
    schema.set("type", type);
    return schema;
}

Json kinds_of(std::string_view kind) {
    const auto first = kind.find('/');
    const auto second = kind.find('/', first + 1);
    Json one{Json::Object()};
    one.set("group", kind.substr(0, first));
    one.set("version", kind.substr(first + 1, second - first - 1));
    one.set("kind", kind.substr(second + 1));
    return Json::Array{std::move(one)};
}

void Collector::add(std::size_t number) {
    if (!known_.insert(number).second) return;
    const auto& type = schema_types()[number];
    Json properties{Json::Object()};
    for (const auto& field : type.fields) properties.set(field.name, form_of(field.type));
    Json schema = typed("object");
    schema.set("properties", std::move(properties));
    if (!type.kind.empty()) schema.set("x-kubernetes-group-version-kind", kinds_of(type.kind));
    schemas_.set(type.name, std::move(schema));
}

Json Collector::form_of(std::string_view type) {
    const char form = type.front();
    const auto inner = type.size() < 2 ? std::string_view() : type.substr(1, type.size() - 2);
    switch (form) {
        case 's':
            return typed("string");
        case 'i':
            return typed("integer");
        case 'n':
            return typed("number");
        case 'b':
            return typed("boolean");
        case '[': {
            Json schema = typed("array");
            return schema.set("items", form_of(inner));
        }
        case '<': {
            Json schema = typed("object");
            return schema.set("additionalProperties", form_of(inner));
        }
        case '*':
            return Json(Json::Object());
        default:
            break;
    }
    std::size_t number = 0;
    std::from_chars(type.data(), type.data() + type.size(), number);
    add(number);
    Json schema{Json::Object()};
    return schema.set(
        "$ref", "#/components/schemas/" + std::string(schema_types()[number].name));
}

}  // namespace

Json openapi_schemas(const std::vector<const Kind*>& kinds) {
    Collector collector;
    for (const auto* kind : kinds) {
        if (const auto number = find_schema(*kind)) collector.add(*number);
    }
    return collector.take();
}

}  // namespace k8s::embedded
