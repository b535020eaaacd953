#include "k8s/codec/namespaces/codec_namespace.hpp"

#include "k8s/codec/list_page.hpp"
#include "k8s/json/json_fields.hpp"

#include <utility>

namespace k8s {
namespace {

core::NamespaceLabels read_namespace(Fields& fields, const rapidjson::Value& object) {
    core::NamespaceLabels one;
    if (const rapidjson::Value* const metadata = fields.object(object, "metadata")) {
        one.name = fields.text(*metadata, "name");
        one.labels = fields.map(*metadata, "labels");
    }
    return one;
}

core::Result<core::Done> parse_namespaces(std::string& json, rapidjson::Document& into) {
    auto parsed = parse_in_place(json, into);
    if (parsed && !into.IsObject()) return core::Error{"Namespace: expected an object"};
    return parsed;
}

}  // namespace

core::Result<NamespacePage> decode_namespaces(std::string json) {
    rapidjson::Document document;
    if (auto parsed = parse_namespaces(json, document); !parsed) return parsed.error();
    Fields fields;
    NamespacePage page;
    for (const rapidjson::Value& item : fields.objects(document, "items")) {
        page.namespaces.push_back(read_namespace(fields, item));
    }
    return finish_page(fields, document, "Namespaces", std::move(page));
}

core::Result<NamespaceLine> decode_namespace_line(std::string text) {
    rapidjson::Document document;
    if (auto parsed = parse_namespaces(text, document); !parsed) return parsed.error();
    Fields fields;
    const auto read = read_watch_line(fields, document, "Namespace");
    if (!read) return read.error();
    NamespaceLine line{read->type, {}};
    if (line.type == NamespaceLine::Type::changed || line.type == NamespaceLine::Type::gone) {
        line.one = read_namespace(fields, *read->object);
    }
    if (!fields.problem().empty()) return core::Error{"Namespace: " + fields.problem()};
    return line;
}

}  // namespace k8s
