#include "gang/model/group/max_wait.hpp"

#include "gang/declare/declaration.hpp"
#include "gang/durations/expected_run.hpp"

namespace gang {

std::optional<std::int64_t> max_wait_ms_of(const PodGroup* group, const core::Pod& pod) {
    const auto said = group != nullptr && group->object ? read_expected_run(group->object->max_wait)
                                                        : std::nullopt;
    return said ? said : asked_max_wait_ms(pod);
}

}  // namespace gang
