#pragma once
// The resources that the embedded API server serves, as one table. Discovery, routing, storage and
// the texts of errors all read it, so a resource that is in the table is complete.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::embedded {

/// One path segment below an object, as discovery lists it ("pods/binding").
struct Subresource {
    std::string_view name;     ///< "status", "binding", ...
    std::string_view group;    ///< of the object that goes over the wire
    std::string_view version;  ///< likewise
    std::string_view kind;     ///< likewise
    std::vector<std::string_view> verbs;
};

/// A resource: where it is served, how it is named, what may be done with it.
struct Kind {
    std::string_view group;  ///< empty for the core group
    std::string_view version;
    std::string_view plural;
    std::string_view singular;
    std::string_view kind;
    bool namespaced = true;
    std::vector<std::string_view> short_names = {};
    std::vector<std::string_view> categories = {};
    std::vector<Subresource> subresources = {};
    std::vector<std::string_view> fields =
        {};                 ///< field labels beyond metadata.name and .namespace
    bool is_stored = true;  ///< false: create only, answered at once, never kept (access reviews)
    bool has_generation = false;     ///< metadata.generation counts the changes of the wish
    bool answers_deleted = false;    ///< DELETE answers the object instead of a Status
    bool creates_on_update = false;  ///< PUT of an absent name creates it
    bool deletes_collection = true;  ///< DELETE of the collection
    bool updates_need_version = false;  ///< PUT without a resourceVersion is refused

    bool has_status() const { return find_subresource("status") != nullptr; }
    const Subresource* find_subresource(std::string_view name) const;
    /// "v1" or "apps/v1".
    std::string api_version() const;
    /// "pods" or "deployments.apps", as errors and lists of resources name it.
    std::string resource() const;
    /// The view whose form is stored: itself, except that events.k8s.io stores core events.
    const Kind& stored_view() const;
    /// Verbs as discovery lists them.
    std::vector<std::string_view> verbs() const;
};

/// Every resource, groups together, the core group first.
std::span<const Kind> all_kinds();

/// nullptr when it is not served.
const Kind* find_kind(std::string_view group, std::string_view version, std::string_view plural);

/// By apiVersion ("apps/v1") and kind ("Deployment"); nullptr when it is not served.
const Kind* find_kind_of(std::string_view api_version, std::string_view kind);

/// One that the program itself knows to be served; aborts when it is not.
const Kind& core_kind(std::string_view plural);

}  // namespace k8s::embedded
