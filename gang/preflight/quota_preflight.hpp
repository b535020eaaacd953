#pragma once
// Before a driver is bound, quotas of its namespace are looked at for all of its executors: asks for
// them, and has gangs looked at again when the answers change. What the answer is stands in
// model/quota; that it keeps a gang waiting, in queue/.

#include "gang/event.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"

#include <string>
#include <vector>

namespace gang {

class QuotaPreflight {
public:
    QuotaPreflight(Model& model, StepContext& step) : model_(model), step_(step) {}

    void on(const QuotasFound& event);
    void on(const QuotasMissing& event);
    /// Before the pod is taken in: it may have ended.
    void on(const PodUpserted& event);
    void on(const PodDeleted& event);
    void on(const LeadershipGained&) { model_.quotas.forget_questions(step_.now_ms); }

    /// Asks for what is due.
    void run();

private:
    void look_again(const std::vector<std::string>& uids);
    bool is_anybody_waiting(const std::string& namespace_name);
    std::vector<const Application*> gangs_with_room(const std::string& namespace_name) const;

    Model& model_;
    StepContext& step_;
};

}  // namespace gang
