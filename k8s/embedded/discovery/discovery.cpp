#include "k8s/embedded/discovery/discovery.hpp"

#include "k8s/embedded/store/json_value.hpp"
#include "k8s/embedded/store/kinds.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace k8s::embedded {
namespace {

using Kinds = std::vector<const Kind*>;

struct Version {
    std::string_view name;
    Kinds kinds;
};

struct Group {
    std::string_view name;
    std::vector<Version> versions;  ///< the preferred one first, as the table has them
};

std::vector<Group> groups_of_table() {
    std::vector<Group> groups;
    for (const Kind& kind : all_kinds()) {
        const auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& known) {
            return known.name == kind.group;
        });
        Group& into = group != groups.end() ? *group : groups.emplace_back(Group{kind.group, {}});
        const auto version =
            std::find_if(into.versions.begin(), into.versions.end(), [&](const Version& known) {
                return known.name == kind.version;
            });
        Version& list = version != into.versions.end()
                            ? *version
                            : into.versions.emplace_back(Version{kind.version, {}});
        list.kinds.push_back(&kind);
    }
    return groups;
}

const std::vector<Group>& all_groups() {
    static const std::vector<Group> groups = groups_of_table();
    return groups;
}

std::string group_version(std::string_view group, std::string_view version) {
    return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

Json texts(const std::vector<std::string_view>& values) {
    Json::Array array;
    for (const std::string_view value : values) array.emplace_back(value);
    return array;
}

Json response_kind(std::string_view group, std::string_view version, std::string_view kind) {
    Json object;
    object.set("group", group);
    object.set("version", version);
    object.set("kind", kind);
    return object;
}

// ---- the aggregated form ----

/// A kind of the group itself stands there without group and version.
Json response_kind_within(
    const Kind& kind, std::string_view group, std::string_view version, std::string_view name) {
    const bool is_own = group == kind.group && version == kind.version;
    return is_own ? response_kind("", "", name) : response_kind(group, version, name);
}

Json aggregated_subresource(const Kind& kind, const Subresource& subresource) {
    Json object;
    object.set("subresource", subresource.name);
    object.set(
        "responseKind",
        response_kind_within(kind, subresource.group, subresource.version, subresource.kind));
    object.set("verbs", texts(subresource.verbs));
    return object;
}

Json aggregated_resource(const Kind& kind) {
    Json object;
    object.set("resource", kind.plural);
    object.set("responseKind", response_kind("", "", kind.kind));
    object.set("scope", kind.namespaced ? "Namespaced" : "Cluster");
    object.set("singularResource", kind.singular);
    object.set("verbs", texts(kind.verbs()));
    if (!kind.short_names.empty()) object.set("shortNames", texts(kind.short_names));
    if (!kind.categories.empty()) object.set("categories", texts(kind.categories));
    Json::Array subresources;
    for (const Subresource& subresource : kind.subresources) {
        subresources.push_back(aggregated_subresource(kind, subresource));
    }
    if (!subresources.empty()) object.set("subresources", std::move(subresources));
    return object;
}

Json aggregated_group(const Group& group) {
    Json metadata{Json::Object{}};
    if (!group.name.empty()) metadata.set("name", group.name);
    metadata.set("creationTimestamp", Json());
    Json::Array versions;
    for (const Version& version : group.versions) {
        Json::Array resources;
        for (const Kind* kind : version.kinds) resources.push_back(aggregated_resource(*kind));
        Json object;
        object.set("version", version.name);
        object.set("resources", std::move(resources));
        object.set("freshness", "Current");
        versions.push_back(std::move(object));
    }
    Json object;
    object.set("metadata", std::move(metadata));
    object.set("versions", std::move(versions));
    return object;
}

Json aggregated_list(bool core, const std::string& version) {
    Json::Array items;
    for (const Group& group : all_groups()) {
        if (group.name.empty() == core) items.push_back(aggregated_group(group));
    }
    Json list;
    list.set("kind", "APIGroupDiscoveryList");
    list.set("apiVersion", "apidiscovery.k8s.io/" + version);
    list.set("metadata", Json(Json::Object{}));
    list.set("items", std::move(items));
    return list;
}

// ---- the plain form ----

Json api_versions() {
    Json versions;
    versions.set("kind", "APIVersions");
    versions.set("versions", Json::Array{"v1"});
    versions.set("serverAddressByClientCIDRs", Json::Array{});
    return versions;
}

Json version_entry(const Group& group, const Version& version) {
    Json entry;
    entry.set("groupVersion", group_version(group.name, version.name));
    entry.set("version", version.name);
    return entry;
}

Json api_group(const Group& group) {
    Json::Array versions;
    for (const Version& version : group.versions) versions.push_back(version_entry(group, version));
    Json object;
    object.set("name", group.name);
    object.set("versions", std::move(versions));
    object.set("preferredVersion", version_entry(group, group.versions.front()));
    return object;
}

Json api_group_alone(const Group& group) {
    Json object;
    object.set("kind", "APIGroup");
    object.set("apiVersion", "v1");
    Json described = api_group(group);
    for (auto& [key, value] : described.members()) object.set(key, std::move(value));
    return object;
}

Json api_group_list() {
    Json::Array groups;
    for (const Group& group : all_groups()) {
        if (!group.name.empty()) groups.push_back(api_group(group));
    }
    Json list;
    list.set("kind", "APIGroupList");
    list.set("apiVersion", "v1");
    list.set("groups", std::move(groups));
    return list;
}

Json api_resource(const Kind& kind) {
    Json object;
    object.set("name", kind.plural);
    object.set("singularName", kind.singular);
    object.set("namespaced", kind.namespaced);
    object.set("kind", kind.kind);
    object.set("verbs", texts(kind.verbs()));
    if (!kind.short_names.empty()) object.set("shortNames", texts(kind.short_names));
    if (!kind.categories.empty()) object.set("categories", texts(kind.categories));
    return object;
}

Json api_subresource(const Kind& kind, const Subresource& subresource) {
    Json object;
    object.set("name", std::string(kind.plural) + "/" + std::string(subresource.name));
    object.set("singularName", "");
    object.set("namespaced", kind.namespaced);
    if (subresource.group != kind.group || subresource.version != kind.version) {
        object.set("group", subresource.group);
        object.set("version", subresource.version);
    }
    object.set("kind", subresource.kind);
    object.set("verbs", texts(subresource.verbs));
    return object;
}

Json api_resource_list(const Group& group, const Version& version) {
    Json::Array resources;
    for (const Kind* kind : version.kinds) {
        resources.push_back(api_resource(*kind));
        for (const Subresource& subresource : kind->subresources) {
            resources.push_back(api_subresource(*kind, subresource));
        }
    }
    Json list;
    list.set("kind", "APIResourceList");
    list.set("apiVersion", "v1");
    list.set("groupVersion", group_version(group.name, version.name));
    list.set("resources", std::move(resources));
    return list;
}

Json server_version() {
    Json version;
    version.set("major", "1");
    version.set("minor", "37");
    version.set("gitVersion", "v1.37.0+gang-scheduler-embedded");
    version.set("gitCommit", "0000000000000000000000000000000000000000");
    version.set("gitTreeState", "clean");
    version.set("buildDate", "2026-01-01T00:00:00Z");
    version.set("goVersion", "none");
    version.set("compiler", "g++");
    version.set("platform", "linux/amd64");
    return version;
}

// ---- which of them ----

Response json_answer(const Json& body) {
    Response answer;
    answer.body = body.dump();
    return answer;
}

// The version of the aggregated form that the client prefers; empty for the plain form.
std::string aggregated_version(std::string_view accept) {
    while (!accept.empty()) {
        const std::size_t end = accept.find(',');
        const std::string_view range = accept.substr(0, end);
        accept.remove_prefix(end == std::string_view::npos ? accept.size() : end + 1);
        const auto has = [&](std::string_view part) {
            return range.find(part) != std::string_view::npos;
        };
        if (!has("json") && !has("*/*")) continue;
        if (!has("as=APIGroupDiscoveryList") || !has("g=apidiscovery.k8s.io")) return {};
        return has("v=v2beta1") ? "v2beta1" : "v2";
    }
    return {};
}

Response root_answer(bool core, std::string_view accept) {
    const std::string version = aggregated_version(accept);
    if (version.empty()) return json_answer(core ? api_versions() : api_group_list());
    Response answer = json_answer(aggregated_list(core, version));
    answer.content_type =
        "application/json;g=apidiscovery.k8s.io;v=" + version + ";as=APIGroupDiscoveryList";
    return answer;
}

// A group's own page and the pages of its versions.
std::optional<Response> group_answer(std::string_view path) {
    for (const Group& group : all_groups()) {
        const bool core = group.name.empty();
        const std::string root = core ? "/api" : "/apis/" + std::string(group.name);
        if (!core && path == root) return json_answer(api_group_alone(group));
        for (const Version& version : group.versions) {
            if (path == root + "/" + std::string(version.name)) {
                return json_answer(api_resource_list(group, version));
            }
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Response> answer_discovery(std::string_view path, std::string_view accept) {
    if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    if (path == "/api") return root_answer(true, accept);
    if (path == "/apis") return root_answer(false, accept);
    if (path == "/version") return json_answer(server_version());
    return group_answer(path);
}

}  // namespace k8s::embedded
