#pragma once
// Lists and watches of Volcano's PodGroups (scheduling.volcano.sh/v1beta1): what codec_pod_group.hpp
// reads of one, of all.

#include "k8s/codec/group/codec_pod_group.hpp"
#include "k8s/codec/watch_line.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace k8s {

inline constexpr const char* volcano_version = "scheduling.volcano.sh/v1beta1";

struct SeenPodGroup {
    std::string namespace_name;
    std::string name;
    std::string resource_version;
    std::int64_t created = 0;  ///< Unix seconds
    PodGroupObject object;
};

struct PodGroupPage {
    std::vector<SeenPodGroup> groups;
    std::string version;
    std::string continue_token;
};
/// A group that cannot be read has a problem, and spoils no list.
core::Result<PodGroupPage> decode_pod_groups(std::string json);

struct PodGroupLine {
    using Type = WatchLineType;
    Type type = Type::changed;
    SeenPodGroup seen;    ///< of one that is gone: its names
    std::string message;  ///< of an error
};
/// A line of a watch.
core::Result<PodGroupLine> decode_pod_group_line(std::string line);

}  // namespace k8s
