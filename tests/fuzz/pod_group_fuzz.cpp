// The object of a pod group, of every kind.
#include "k8s/codec/group/codec_pod_group.hpp"
#include "tests/fuzz/invariants.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string json = fuzz::text(data, size);
    for (const auto dialect :
         {core::GroupDialect::kubernetes,
          core::GroupDialect::coscheduling,
          core::GroupDialect::volcano}) {
        const auto group = k8s::decode_pod_group(dialect, json);
        if (!group) {
            continue;
        }
        PROPERTY(group->min_members >= 0 || !group->problem.empty());
        for (const core::RoleMinimum& role : group->roles) {
            PROPERTY(role.count > 0 && role.count <= group->min_members);
        }
        const gang::PodGroupFound found{dialect, "ns", "g", *group};
        PROPERTY(std::get<gang::PodGroupFound>(fuzz::recorded(found)).group == *group);
    }
    return 0;
}
