#include "k8s/codec/pod/spark_volumes.hpp"

#include <string>
#include <string_view>

namespace k8s {
namespace {

using rapidjson::Value;

std::string_view text_of(const Value& object, const char* name) {
    const Value* member = find_member(object, name);
    return member != nullptr && member->IsString() ? view(*member) : std::string_view();
}

/// An empty array unless the member is an array.
Value::ConstArray array_of(const Value& object, const char* name) {
    static const Value empty(rapidjson::kArrayType);
    const Value* member = find_member(object, name);
    return (member != nullptr && member->IsArray() ? *member : empty).GetArray();
}

bool is_text(const Value& value, std::string_view text) {
    return value.IsString() && view(value) == text;
}

/// The path after --properties-file, empty if the container does not run a driver.
std::string_view properties_path(const Value& container) {
    const auto args = array_of(container, "args");
    if (args.Empty() || !is_text(args[0], "driver")) {
        return {};
    }
    for (rapidjson::SizeType i = 1; i + 1 < args.Size(); ++i) {
        if (is_text(args[i], "--properties-file") && args[i + 1].IsString()) {
            return view(args[i + 1]);
        }
    }
    return {};
}

std::string_view without_slash(std::string_view path) {
    return path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
}

/// A file inside a volume.
struct VolumeFile {
    std::string_view volume;
    std::string_view path;
};

/// The mount of the file's folder, or of the file itself by subPath.
std::optional<VolumeFile> find_mounted(const Value& container, std::string_view path) {
    const auto slash = path.rfind('/');
    if (slash == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view folder = path.substr(0, slash);
    for (const Value& mount : array_of(container, "volumeMounts")) {
        const std::string_view at = without_slash(text_of(mount, "mountPath"));
        const std::string_view sub_path = text_of(mount, "subPath");
        if (at == path && !sub_path.empty()) {
            return VolumeFile{text_of(mount, "name"), sub_path};
        }
        if (at == folder && sub_path.empty()) {
            return VolumeFile{text_of(mount, "name"), path.substr(slash + 1)};
        }
    }
    return std::nullopt;
}

const Value* find_config_map_volume(const Value& spec, std::string_view name) {
    for (const Value& volume : array_of(spec, "volumes")) {
        if (!name.empty() && text_of(volume, "name") == name) {
            return find_member(volume, "configMap");
        }
    }
    return nullptr;
}

/// Without items every key is a file of its own name; with items only the listed ones exist.
std::optional<core::ConfigMapKey> find_key(const Value& config_map, std::string_view path) {
    const std::string name(text_of(config_map, "name"));
    if (name.empty()) {
        return std::nullopt;
    }
    const auto items = array_of(config_map, "items");
    for (const Value& item : items) {
        if (text_of(item, "path") == path) {
            return core::ConfigMapKey{name, std::string(text_of(item, "key"))};
        }
    }
    if (!items.Empty()) {
        return std::nullopt;
    }
    return core::ConfigMapKey{name, std::string(path)};
}

}  // namespace

std::optional<core::ConfigMapKey> find_spark_properties(const Value& spec) {
    for (const Value& container : array_of(spec, "containers")) {
        const std::string_view path = properties_path(container);
        const auto file = find_mounted(container, path);
        if (!file) {
            continue;
        }
        if (const Value* config_map = find_config_map_volume(spec, file->volume)) {
            return find_key(*config_map, file->path);
        }
    }
    return std::nullopt;
}

std::optional<core::ConfigMapKey> find_executor_template(const Value& spec) {
    const Value* config_map = find_config_map_volume(spec, "pod-template-volume");
    return config_map ? find_key(*config_map, "pod-spec-template.yml") : std::nullopt;
}

}  // namespace k8s
