#include "gang/sim/base/run_record.hpp"

#include <fmt/format.h>

#include <variant>

namespace gang::sim {

void RunRecord::write(const std::string& text) {
    trace_(fmt::format("{:>9.3f} {}", static_cast<double>(now_ms_) / 1'000, text));
}

void RunRecord::write_decision(std::uint32_t replica, const Decision& decision) {
    if (const auto* bind = std::get_if<BindPod>(&decision)) {
        write(fmt::format("r{} decides: bind {} -> {}", replica, bind->pod.uid, bind->node));
        for (const auto& [key, value] : bind->annotations) {
            write(fmt::format("      {}={}", key, value));
        }
    } else if (const auto* update = std::get_if<UpdateReservation>(&decision)) {
        for (const auto& [key, value] : update->annotations) {
            write(
                fmt::format("r{} decides: {} of {} = {}", replica, key, update->driver.uid, value));
        }
    } else if (const auto* condition = std::get_if<SetCondition>(&decision)) {
        write(fmt::format(
            "r{} decides: condition {} {} fence={}",
            replica,
            condition->pod.uid,
            condition->message,
            condition->fence));
    } else if (const auto* evict = std::get_if<EvictPod>(&decision)) {
        write(fmt::format("r{} decides: evict {}", replica, evict->pod.uid));
    } else if (const auto* status = std::get_if<WriteGroupStatus>(&decision)) {
        write(fmt::format(
            "r{} decides: status of group {}: {} {}",
            replica,
            status->name,
            word(status->status.phase),
            status->status.message));
    } else if (const auto* down = std::get_if<StepDown>(&decision)) {
        write(fmt::format("r{} steps down: {}", replica, down->why));
    }
}

}  // namespace gang::sim
