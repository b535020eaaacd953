#pragma once
// One YAML scalar becomes one typed value, strictly: `yes` is no boolean and no string, `010` no
// number, `15` no duration. Errors say what was found and what was expected.

#include "config/tree.hpp"
#include "core/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace config {

/// What stands there, in words: "\"yes\"", "a list", "nothing". Safe to print.
std::string describe(const Tree& tree);

/// Any text. Plain scalars that YAML takes for another type must be quoted.
core::Result<std::string> read_string(const Tree& tree);
/// The name of an object and of a scheduler: an RFC 1123 subdomain.
core::Result<std::string> read_object_name(const Tree& tree);
/// A namespace's name (RFC 1123 label); empty is allowed.
core::Result<std::string> read_namespace(const Tree& tree);
/// A loopback address with port, or a Unix socket; `none` or an empty text give an empty text.
core::Result<std::string> read_private_address(const Tree& tree);
/// Any address with port; `none` or an empty text give an empty text.
core::Result<std::string> read_listen_address(const Tree& tree);
/// A loopback address with port; `none` or an empty text give an empty text.
core::Result<std::string> read_loopback_address(const Tree& tree);
/// The path of a URL: begins with a slash, of letters, digits and `-._~/`.
core::Result<std::string> read_url_path(const Tree& tree);
/// true or false, nothing else.
core::Result<bool> read_bool(const Tree& tree);
core::Result<std::int64_t> read_integer(const Tree& tree, std::int64_t least, std::int64_t most);
/// Milliseconds of a Go duration.
core::Result<std::int64_t> read_duration(
    const Tree& tree, std::int64_t least_ms, std::int64_t most_ms);
/// Kubernetes quantities, not negative: thousandths of a core, and bytes.
core::Result<std::int64_t> read_cpu(const Tree& tree);
core::Result<std::int64_t> read_memory(const Tree& tree);
/// The key of a label; empty is allowed.
core::Result<std::string> read_label_key(const Tree& tree);
/// A list of extended resources ("nvidia.com/gpu"), each once; it may be empty.
core::Result<std::vector<std::string>> read_resource_names(const Tree& tree);
/// A list of host names ("gangs.example.com"), lower-case, without ports; it may be empty.
core::Result<std::vector<std::string>> read_host_names(const Tree& tree);
/// Index of the word in the list.
core::Result<std::size_t> read_word(const Tree& tree, std::span<const std::string> words);

}  // namespace config
