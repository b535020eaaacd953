#pragma once
// Pod groups become gangs. A group whose waiting members are enough for its minimum gets an anchor:
// the first of them, which bears the group's reservation as a driver bears that of its executors.
// From there on it is a gang like any other.
//
//   members wait --object known, enough of them--> anchor chosen --> waits in the line --> admitted
//        ^                                             |                      |
//        '------ a member is gone, too few are left ---'                      |
//        '------ its last member has ended: what is missing then forms anew --'
//
// Members beyond the minimum are placed one by one when the gang runs, and hold up nobody.

#include "gang/group/group_gangs.hpp"
#include "gang/life/gang_life.hpp"
#include "gang/model/application.hpp"
#include "gang/model/group/member_choice.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/report/status_reporter.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gang {

class GroupFormer {
public:
    GroupFormer(
        Model& model,
        StepContext& step,
        StatusReporter& status_reporter,
        GangLife& life,
        GroupGangs& gangs)
        : model_(model),
          step_(step),
          status_reporter_(status_reporter),
          life_(life),
          gangs_(gangs) {}

    void on(const PodGroupFound& event);
    void on(const PodGroupMissing& event);
    /// All groups that changed. Members that are to be classified anew are on the worklist then.
    void run();
    /// Asks for the objects whose turn it is.
    void ask();
    /// Why members of the group that are no gang's wait; code none: nothing is worth saying yet.
    StatusMessage why_waiting(const PodGroup& group) const;

private:
    std::vector<Application*> drivers_that_ask(const PodGroup& group) const;
    void tell_drivers(const std::string& key);
    void form(const std::string& key, PodGroup& group);
    Application* live_gang(const std::string& key, PodGroup& group);
    std::vector<PodEntry*> waiting_members(const PodGroup& group);
    std::vector<PodEntry*> choose(
        const PodGroup& group, const std::vector<PodEntry*>& members) const;
    std::int64_t gang_size_max() const;
    bool starts_one_by_one(const PodGroup& group) const;
    bool gives_up(const std::string& key, const PodGroup& group);
    void let_wait(PodGroup& group, const std::vector<PodEntry*>& members);
    void let_go_alone(const std::vector<PodEntry*>& members, Alone how);

    Model& model_;
    StepContext& step_;
    StatusReporter& status_reporter_;
    GangLife& life_;
    GroupGangs& gangs_;
};

}  // namespace gang
