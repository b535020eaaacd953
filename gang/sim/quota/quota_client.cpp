#include "gang/sim/quota/quota_client.hpp"

#include "gang/sim/replica/process.hpp"

#include <utility>

namespace gang::sim {
namespace {
constexpr std::int64_t quota_call_ms = 4'000;  // as in k8s/quota/quota_client.hpp
}  // namespace

void QuotaClient::fetch(const FetchQuotas& decision) {
    asked_.push_back(decision.namespace_name);
    if (asked_.size() == 1) {
        send();
    }
}

void QuotaClient::send() {
    Call call;
    call.operation = Operation::list_quotas;
    call.pod = {asked_.front(), {}, {}};
    process_.send(std::move(call), first_ticket + sent_++, quota_call_ms);
}

void QuotaClient::answered(const Call& call) {
    const std::string name = asked_.front();
    asked_.pop_front();
    if (!asked_.empty()) {
        send();
    }
    const Answer& answer = call.answer;
    if (answer.status == 200) {
        process_.push_answer(QuotasFound{name, answer.quotas});
        return;
    }
    const bool is_forbidden = answer.status == 401 || answer.status == 403;
    process_.push_answer(QuotasMissing{
        name, is_forbidden ? QuotaProblem::forbidden : QuotaProblem::failed, answer.message});
}

}  // namespace gang::sim
