#include "gang/app/show/gangs_watch.hpp"

#include "gang/app/base/text.hpp"
#include "gang/app/show/report.hpp"

#include <utility>

namespace gang::app {
namespace {

/// Whether the table shows the same of both, but for the age.
bool look_alike(const GangView& a, const GangView& b) {
    return a.state == b.state && a.code == b.code && a.position == b.position &&
           a.executors == b.executors && a.slots_bound == b.slots_bound && a.needs == b.needs &&
           a.queue == b.queue;
}

}  // namespace

std::string GangsWatch::update(const GangList& list, std::int64_t now_unix_ms) {
    GangList changed{list.source, list.server, {}};
    std::map<std::string, GangView> now;
    for (const GangView& gang : list.gangs) {
        const auto before = known_.find(gang.driver_uid);
        if (before == known_.end() || !look_alike(before->second, gang)) {
            changed.gangs.push_back(gang);
        }
        now.emplace(gang.driver_uid, gang);
    }
    for (auto& [uid, gang] : known_) {
        if (!now.contains(uid)) {
            gang.state = GangState::ended;
            gang.code = ReasonCode::none;
            gang.position = 0;
            changed.gangs.push_back(gang);
        }
    }
    known_ = std::move(now);
    return changed.gangs.empty() ? "" : text(changed, now_unix_ms);
}

std::string GangsWatch::text(const GangList& changed, std::int64_t now_unix_ms) {
    if (is_names_) {
        return gang_names(changed);
    }
    std::vector<std::vector<std::string>> rows = gangs_rows(changed, now_unix_ms, is_wide_);
    const std::string all = format_table(rows, widths_);
    const std::size_t header = all.find('\n') + 1;
    return std::exchange(has_begun_, true) ? all.substr(header) : all;
}

}  // namespace gang::app
