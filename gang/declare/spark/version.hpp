#pragma once
// Spark's rules change between minor versions; these are the ones that change a gang's size.

#include "core/value/pod.hpp"

#include <compare>
#include <string_view>

namespace gang::spark {

struct Version {
    int major = 0;
    int minor = 0;
    friend auto operator<=>(const Version&, const Version&) = default;
};

inline constexpr Version off_heap_since{3, 1};
inline constexpr Version executor_factor_since{3, 3};
inline constexpr Version scheduler_name_since{3, 3};
inline constexpr Version executor_node_selector_since{3, 3};
inline constexpr Version min_overhead_since{4, 0};
inline constexpr Version shuffle_tracking_since{3, 4};    ///< on by default
inline constexpr Version template_ports_since{3, 4};      ///< the Spark container keeps its own
inline constexpr Version label_placeholders_since{4, 0};  ///< {{APP_ID}} in executors' labels
inline constexpr Version binary_suffixes_since{4, 2};     ///< 4Gi is a size
inline constexpr Version deployment_allocator_since{4, 2};
inline constexpr Version one_pod_claims_since{4, 0};  ///< ReadWriteOncePod

/// "3.5.9", "4.1.0-SNAPSHOT": the first two numbers. A label that cannot be read, or none (Spark
/// sets it since 3.3), is 3.2, or 3.0 when the driver's config map is named the way Spark did it
/// until 3.0. A version newer than all rules here follows the newest.
Version rules_version(std::string_view label, const core::Pod& driver);

}  // namespace gang::spark
