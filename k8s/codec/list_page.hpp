#pragma once
// A page of a list, as far as it is the same for all kinds that have few objects.

#include "core/base/result.hpp"
#include "k8s/json/json_fields.hpp"

#include <string>

namespace k8s {

/// The page, whose items have been read, with the list's version and continue token. An error: it
/// has no version, or something is wrong that was read with `fields`. `kind` is for what is said.
template <typename Page>
core::Result<Page> finish_page(
    Fields& fields, const rapidjson::Value& document, const std::string& kind, Page page) {
    if (const rapidjson::Value* metadata = fields.object(document, "metadata")) {
        page.version = fields.text(*metadata, "resourceVersion");
        page.continue_token = fields.text(*metadata, "continue");
    }
    if (!fields.problem().empty()) return core::Error{kind + ": " + fields.problem()};
    if (page.version.empty()) return core::Error{kind + ": a list without resourceVersion"};
    return page;
}

}  // namespace k8s
