#pragma once
// The configuration file: YAML becomes a Schema, or a list of complaints that each name file, line
// and column. Nothing is ignored: an unknown or repeated key, a value of another type, a number
// where a duration belongs are all errors, and so are the corners of YAML that surprise people
// (yes, 010, aliases, merge keys, several documents).

#include "config/schema.hpp"
#include "core/base/result.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace config {

inline constexpr std::string_view api_version = "config.gang-scheduler/v1alpha1";
inline constexpr std::string_view kind = "SchedulerConfiguration";
inline constexpr std::size_t file_bytes_max = 1024 * 1024;
inline constexpr std::size_t complaints_max = 20;  ///< further ones are only counted

/// Where in the cluster the policy of a KubeSchedulerConfiguration is.
struct PolicyMap {
    std::string namespace_name;
    std::string name;
    friend bool operator==(const PolicyMap&, const PolicyMap&) = default;
};

struct Loaded {
    Schema schema;
    /// Something: the schema's profile is complete only when this is read (apply_policy).
    std::optional<PolicyMap> policy_map;
    /// "file:line:column: ...": what is understood, and has no effect here.
    std::vector<std::string> warnings;
    friend bool operator==(const Loaded&, const Loaded&) = default;
};

/// The text of another file.
using ReadFile = std::function<core::Result<std::string>(const std::string& path)>;

/// Reads the text of a configuration file. Every key may be left out; an empty text is all
/// defaults. The error holds one line "file:line:column: what was found, what was expected" for
/// each thing that is wrong.
///
/// A file of kube-scheduler is told by its `kind` (config/kube); one that names another file reads
/// it by `read_file`.
core::Result<Loaded> load(
    std::string_view text, std::string_view file_name, const ReadFile& read_file = {});

/// Completes what was loaded with the Policy that its map, or its file, holds.
core::Result<Loaded> apply_policy(Loaded loaded, std::string_view text, std::string_view name);

/// Every key that load() accepts, in dotted form ("gang.neverRunning.after", "profiles[].…"), in
/// the order of the documentation.
std::vector<std::string> known_keys();

}  // namespace config
