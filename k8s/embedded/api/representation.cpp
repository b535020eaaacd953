#include "k8s/embedded/api/representation.hpp"

#include "k8s/embedded/query/events_view.hpp"

#include <algorithm>
#include <memory>

namespace k8s::embedded {

namespace {

constexpr std::string_view offered = "application/json";

std::string_view trim(std::string_view text) {
    while (!text.empty() && text.front() == ' ') {
        text.remove_prefix(1);
    }
    while (!text.empty() && text.back() == ' ') {
        text.remove_suffix(1);
    }
    return text;
}

/// The first of the accepted types that can be JSON, with its parameters; empty when there is none.
std::string_view first_json(std::string_view accept) {
    if (trim(accept).empty()) {
        return offered;
    }
    while (!accept.empty()) {
        const auto end = std::min(accept.find(','), accept.size());
        const auto one = trim(accept.substr(0, end));
        const auto type = trim(one.substr(0, one.find(';')));
        if (type == offered || type == "*/*" || type == "application/*") {
            return one;
        }
        accept.remove_prefix(std::min(end + 1, accept.size()));
    }
    return {};
}

/// Objects of a list carry no kind of their own; stored texts begin with it (see arrange()).
std::string_view item_text(const Kind& kind, const StoredPtr& object) {
    const auto head = "{\"kind\":\"" + std::string(kind.kind) + "\",\"apiVersion\":\"" +
                      kind.api_version() + "\",";
    const std::string_view text = object->text();
    return text.substr(0, head.size()) == head ? text.substr(head.size()) : text.substr(1);
}

std::string plain_text(const Kind& kind, const StoredPtr& object) {
    return &kind.stored_view() == &kind ? object->text() : to_view(kind, object->json).dump();
}

Json bare_metadata(const Json& object) {
    Json bare{Json::Object()};
    bare.set("kind", "PartialObjectMetadata").set("apiVersion", "meta.k8s.io/v1");
    const Json* metadata = object.find("metadata");
    bare.set("metadata", metadata == nullptr ? Json(Json::Object()) : *metadata);
    return bare;
}

Json list_metadata(const Page& page, const std::string& next) {
    Json metadata{Json::Object()};
    metadata.set("resourceVersion", std::to_string(page.revision));
    if (!next.empty()) {
        metadata.set("continue", next);
    }
    if (page.remaining > 0) {
        metadata.set("remainingItemCount", static_cast<std::int64_t>(page.remaining));
    }
    return metadata;
}

std::string list_head(std::string_view kind, const std::string& version, const Json& metadata) {
    return "{\"kind\":\"" + std::string(kind) + "List\",\"apiVersion\":\"" + version +
           "\",\"metadata\":" + metadata.dump() + ",\"items\":[";
}

}  // namespace

Outcome<Representation> Representation::choose(const Call& call, std::int64_t now_ms) {
    const auto chosen = first_json(call.request->accept);
    if (chosen.empty()) {
        return not_acceptable(offered);
    }
    Representation result;
    result.kind_ = call.kind;
    result.now_ms_ = now_ms;
    if (chosen.find("as=PartialObjectMetadata") != std::string_view::npos) {
        result.form_ = Form::metadata;
    } else if (auto table = wanted_table(chosen, call.param("includeObject"))) {
        result.form_ = Form::table;
        result.table_ = *table;
    }
    return result;
}

std::string Representation::one(const StoredPtr& object) const {
    switch (form_) {
        case Form::plain:
            return plain_text(*kind_, object);
        case Form::table:
            return as_table(*kind_, to_view(*kind_, object->json), table_, now_ms_).dump();
        case Form::metadata:
            return bare_metadata(object->json).dump();
    }
    return {};
}

std::string Representation::list(const Page& page, const std::string& next) const {
    const Json metadata = list_metadata(page, next);
    if (form_ == Form::table) {
        Json::Array items;
        for (const auto& object : page.objects) {
            items.push_back(to_view(*kind_, object->json));
        }
        Json all{Json::Object()};
        all.set("kind", std::string(kind_->kind) + "List");
        all.set("apiVersion", kind_->api_version());
        all.set("metadata", metadata).set("items", std::move(items));
        return as_table(*kind_, all, table_, now_ms_).dump();
    }
    const bool is_bare = form_ == Form::metadata;
    std::string text = is_bare ? list_head("PartialObjectMetadata", "meta.k8s.io/v1", metadata)
                               : list_head(kind_->kind, kind_->api_version(), metadata);
    const bool is_stored_view = &kind_->stored_view() == kind_;
    for (const auto& object : page.objects) {
        text += &object == &page.objects.front() ? "" : ",";
        if (is_bare) {
            text += bare_metadata(object->json).dump();
        } else if (is_stored_view) {
            text += "{";
            text += item_text(*kind_, object);
        } else {
            text += plain_text(*kind_, object);
        }
    }
    return text + "]}";
}

Render Representation::for_watch(std::function<std::int64_t()> now_ms) const {
    auto shown = std::make_shared<Representation>(*this);
    return [shown, now_ms = std::move(now_ms)](const StoredPtr& object) {
        shown->now_ms_ = now_ms();
        auto text = shown->one(object);
        shown->table_.with_columns = false;
        return text;
    };
}

}  // namespace k8s::embedded
