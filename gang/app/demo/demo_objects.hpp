#pragma once
// The Spark objects of the demo: what real Spark wrote, as texts with placeholders.

#include "core/value/constraints.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gang::app {

enum class DemoObject : std::uint8_t {
    driver,
    driver_conf_map,
    driver_service,
    executor,
    executor_conf_map
};
enum class DemoLanguage : std::uint8_t { jvm, python };

/// JSON with placeholders @NAME@ @APP@ @NAMESPACE@ @DRIVER_UID@ @ID@ @EXECUTORS@.
std::string_view template_of(DemoObject object, DemoLanguage language);

/// Puts values in place of @KEY@; a key that is not among the values stays as it is.
std::string fill_template(std::string_view text, const core::StringMap& values);

/// With a limit more for the first container that has limits: `resource` is its Kubernetes' name.
std::string with_limit(std::string pod, std::string_view resource, int amount);
/// With lines more in the spark.properties of a config map; each ends with a line feed.
std::string with_properties(std::string conf_map, std::string_view lines);

}  // namespace gang::app
