// The object of a pod group, of every kind.
#include "k8s/codec/group/codec_group_status.hpp"
#include "k8s/codec/group/codec_pod_group.hpp"
#include "tests/fuzz/invariants.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string json = fuzz::text(data, size);
    for (const auto dialect :
         {core::GroupDialect::kubernetes,
          core::GroupDialect::coscheduling,
          core::GroupDialect::volcano}) {
        const auto object =
            k8s::decode_pod_group(dialect, "scheduling.volcano.sh/v1beta1", json);
        if (!object) {
            continue;
        }
        const core::PodGroup* const group = &object->group;
        PROPERTY(group->min_members >= 0 || !group->problem.empty());
        for (const core::RoleMinimum& role : group->roles) {
            PROPERTY(role.count > 0 && role.count <= group->min_members);
        }
        const gang::PodGroupFound found{
            dialect, "ns", "g", *group, object->uid, "v", object->status};
        const auto back = std::get<gang::PodGroupFound>(fuzz::recorded(found));
        PROPERTY(back.group == *group && back.status == object->status);
        // What is written is read back as it was, but for what its kind has no word for.
        k8s::GroupStatusWrite write;
        write.dialect = dialect;
        write.api_version = "scheduling.volcano.sh/v1beta1";
        write.status = object->status;
        PROPERTY(!k8s::encode_group_status(write).empty());
    }
    return 0;
}
