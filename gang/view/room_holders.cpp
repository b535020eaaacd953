#include "gang/view/room_holders.hpp"

#include "core/value/resources.hpp"
#include "gang/model/pod/pods.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

namespace gang {
namespace {

/// A sentence that names more is read by nobody.
constexpr std::size_t named_max = 3;

core::Resources sum_of(const std::vector<core::Resources>& all) {
    core::Resources total;
    for (const core::Resources& one : all) {
        core::add_times(total, one, 1);
    }
    return total;
}

std::string and_more(std::size_t all) {
    return all > named_max ? " and " + std::to_string(all - named_max) + " more" : "";
}

}  // namespace

RoomHolders::RoomHolders(
    const Model& model, const Application& app, const core::Rejection& rejection)
    : model_(model), app_(app), rejection_(rejection) {
    if (app.declared.driver_shape) {
        eligible_.add(model.cluster.shapes().eligible(*app.declared.driver_shape));
    }
    for (const GangShape& shape : app.declared.shapes) {
        eligible_.add(model.cluster.shapes().eligible(shape.id));
    }
}

std::vector<std::string> RoomHolders::notes() const {
    std::vector<std::string> out;
    if (const auto pods = leftover_executors(); !pods.empty()) {
        out.push_back(leftovers_note(pods));
    }
    if (const auto gangs = running_gangs(); !gangs.empty()) {
        out.push_back(gangs_note(gangs));
    }
    if (std::string smaller = smaller_note(); !smaller.empty()) {
        out.push_back(std::move(smaller));
    }
    return out;
}

/// Of drivers that have ended, or that are gone and left executors which do not run: those that run
/// end by themselves when they miss their driver.
std::vector<RoomHolders::Holder> RoomHolders::leftover_executors() const {
    std::vector<PodId> left;
    for (const auto& [uid, gang] : model_.gangs.all()) {
        if (gang.phase == Phase::ended && gang.group.empty()) {
            const auto members = model_.pods.owners().members_of(uid);
            left.insert(left.end(), members.begin(), members.end());
        }
    }
    model_.pods.for_each([&](PodId id) {
        const PodView pod = model_.pods[id];
        if (pod.phase() != core::PodPhase::pending || !pod.holds_capacity()) {
            return;
        }
        const PodEntry entry = model_.pods.copy_of(id);
        if (entry.is_executor && !entry.owner.empty() && entry.group.empty() &&
            !model_.pods.contains(entry.owner.str()) &&
            model_.gangs.find(entry.owner.str()) == nullptr) {
            left.push_back(id);
        }
    });
    std::vector<Holder> out;
    for (const PodId id : left) {
        if (model_.pods[id].holds_capacity() && is_useful(model_.pods[id].node())) {
            out.push_back(
                {model_.pods[id].full_name(),
                 model_.pods[id].node(),
                 model_.pods[id].requests(),
                 model_.pods[id].phase() == core::PodPhase::running});
        }
    }
    sort(out);
    return out;
}

std::vector<RoomHolders::Holder> RoomHolders::running_gangs() const {
    std::vector<Holder> out;
    for (const auto& [uid, gang] : model_.gangs.all()) {
        if (gang.phase != Phase::assumed && gang.phase != Phase::running) {
            continue;
        }
        Holder holder{gang.namespace_name.str() + "/" + gang.name, {}, {}, true};
        const auto driver = model_.pods.find(uid);
        if (driver && model_.pods[*driver].holds_capacity() &&
            is_useful(model_.pods[*driver].node())) {
            core::add_times(holder.held, model_.pods[*driver].requests(), 1);
        }
        for (const Slot& slot : gang.slots) {
            if (slot.state != SlotState::unplaced && slot.shape < gang.declared.shapes.size() &&
                is_useful(slot.node.str())) {
                core::add_times(
                    holder.held,
                    model_.cluster.resources(gang.declared.shapes[slot.shape].id),
                    1);
            }
        }
        if (holder.held != core::Resources{}) {
            out.push_back(std::move(holder));
        }
    }
    sort(out);
    return out;
}

/// Who holds most of what is short comes first.
void RoomHolders::sort(std::vector<Holder>& holders) const {
    const auto order = [this](const Holder& holder) {
        const core::Resources& held = holder.held;
        const std::int64_t scarce =
            rejection_.binding == "memory"              ? held.memory_bytes
            : rejection_.binding == "cpu"               ? held.cpu_milli
            : rejection_.binding == "ephemeral-storage" ? held.ephemeral_bytes
                                                        : held.extended_amount(rejection_.binding);
        return std::tuple(-scarce, -held.cpu_milli, -held.memory_bytes, holder.name);
    };
    std::sort(holders.begin(), holders.end(), [&order](const Holder& a, const Holder& b) {
        return order(a) < order(b);
    });
}

bool RoomHolders::is_useful(const std::string& node) const {
    const auto index = model_.cluster.nodes().find(node);
    return index && eligible_.test(model_.cluster.position_of(*index));
}

std::string RoomHolders::leftovers_note(const std::vector<Holder>& pods) const {
    std::string names;
    std::string command;
    std::vector<core::Resources> all;
    for (std::size_t i = 0; i < pods.size(); ++i) {
        all.push_back(pods[i].held);
        if (i < named_max) {
            const std::size_t slash = pods[i].name.find('/');
            names += (i == 0 ? "" : ", ") + pods[i].name + " on " + pods[i].node +
                     (pods[i].runs ? "" : " (not running)");
            command += (i == 0 ? "" : "; ") + std::string("kubectl delete pod -n ") +
                       pods[i].name.substr(0, slash) + " " + pods[i].name.substr(slash + 1);
        }
    }
    const bool is_one = pods.size() == 1;
    return "executors whose driver has ended hold " + core::describe(sum_of(all)) + ": " + names +
           and_more(pods.size()) + ". Deleting " + (is_one ? "it" : "them") +
           " frees that room: " + command;
}

std::string RoomHolders::gangs_note(const std::vector<Holder>& gangs) const {
    std::string names;
    for (std::size_t i = 0; i < gangs.size() && i < named_max; ++i) {
        names +=
            (i == 0 ? "" : ", ") + gangs[i].name + " (" + core::describe(gangs[i].held) + ")";
    }
    return "room that it may use is held by running gangs: " + names + and_more(gangs.size());
}

/// For Spark's own drivers: they say in one key how many executors they want.
std::string RoomHolders::smaller_note() const {
    const bool is_of_one_key = app_.is_driver && app_.group.empty() &&
                               app_.declared.shapes.size() == 1 &&
                               !model_.pods[model_.pods.id_of(app_.uid)].is_hand_made();
    if (!is_of_one_key || !rejection_.driver_fits || rejection_.executors_fit < 1 ||
        rejection_.executors_fit >= rejection_.executors_wanted) {
        return {};
    }
    const std::string count = std::to_string(rejection_.executors_fit);
    return "with " + count + " executors instead of " +
           std::to_string(rejection_.executors_wanted) +
           " it would fit now: --conf spark.executor.instances=" + count;
}

}  // namespace gang
