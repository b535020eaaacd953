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

#include "gang/life/gang_life.hpp"
#include "gang/model/application.hpp"
#include "gang/model/group/member_choice.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/report/status_reporter.hpp"
#include "gang/reservation/publisher.hpp"

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
        Publisher& publisher,
        GangLife& life)
        : model_(model),
          step_(step),
          status_reporter_(status_reporter),
          publisher_(publisher),
          life_(life) {}

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
    bool is_over(PodId anchor) const;
    std::vector<PodEntry*> waiting_members(const PodGroup& group);
    std::vector<PodEntry*> choose(
        const PodGroup& group, const std::vector<PodEntry*>& members) const;
    std::int64_t count_placed(const PodGroup& group) const;
    std::int64_t gang_size_max() const;
    bool starts_one_by_one(const PodGroup& group) const;
    bool gives_up(const std::string& key, const PodGroup& group);
    void begin(const std::string& key, PodGroup& group, const std::vector<PodEntry*>& chosen);
    void reshape(const PodGroup& group, Application& gang, const std::vector<PodEntry*>& chosen);
    void dissolve(PodGroup& group, Application& gang);
    void follow(Application& gang, const std::vector<PodEntry*>& members);
    static bool is_gone(const PodGroup& group);
    void leave(Application& gang, const std::vector<PodEntry*>& members);
    void hold(Application& gang, bool member_asks);
    static std::string first_problem(const std::vector<PodEntry*>& members);
    void let_wait(PodGroup& group, const std::vector<PodEntry*>& members);
    void let_go_alone(const std::vector<PodEntry*>& members, Alone how);
    void give_up_done();
    void keep_min_resources(
        const PodGroup& group, Application& gang, const std::vector<PodEntry*>& chosen);

    Model& model_;
    StepContext& step_;
    StatusReporter& status_reporter_;
    Publisher& publisher_;
    GangLife& life_;
};

}  // namespace gang
