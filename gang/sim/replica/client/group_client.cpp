#include "gang/sim/replica/client/group_client.hpp"

#include "gang/sim/world.hpp"

#include <string>
#include <utility>

namespace gang::sim {
namespace {

constexpr std::int64_t group_call_ms = 4'000;  // as in k8s/group/pod_group_client.hpp

std::string version_of(core::GroupDialect dialect) {
    switch (dialect) {
        case core::GroupDialect::kubernetes:
            return "scheduling.k8s.io/v1beta1";
        case core::GroupDialect::coscheduling:
            return "scheduling.x-k8s.io/v1alpha1";
        case core::GroupDialect::volcano:
            return "scheduling.volcano.sh/v1beta1";
        case core::GroupDialect::labels:
            break;
    }
    return {};
}

PodGroupProblem problem_of(const Answer& answer) {
    switch (answer.status) {
        case 404:
            return PodGroupProblem::not_found;
        case 401:
        case 403:
            return PodGroupProblem::forbidden;
        default:
            return PodGroupProblem::failed;
    }
}

GroupStatusOutcome outcome_of(const Answer& answer) {
    switch (answer.status) {
        case 200:
            return GroupStatusOutcome::written;
        case 404:
            return GroupStatusOutcome::gone;
        case 409:
            return GroupStatusOutcome::others;
        case 401:
        case 403:
            return GroupStatusOutcome::forbidden;
        default:
            return GroupStatusOutcome::failed;
    }
}

}  // namespace

void GroupClient::fetch(const FetchPodGroup& decision) {
    Call call;
    call.operation = Operation::get_group;
    call.group_dialect = decision.dialect;
    call.pod = {decision.namespace_name, decision.name, {}};
    send(std::move(call), decision);
}

void GroupClient::write(const WriteGroupStatus& decision) {
    if (!process_.may_write()) {
        process_.push_answer(GroupStatusWritten{
            decision.dialect,
            decision.namespace_name,
            decision.name,
            GroupStatusOutcome::failed,
            "not the leader"});
        return;
    }
    world_.checker_suite.lease.sent(process_.replica(), process_.elector.identity());
    Call call;
    call.operation = Operation::write_group_status;
    call.group_dialect = decision.dialect;
    call.pod = {decision.namespace_name, decision.name, decision.uid};
    call.group_status = decision.status;
    call.author = process_.author();
    send(std::move(call), decision);
}

void GroupClient::send(Call call, Asked asked) {
    const std::uint32_t ticket = first_ticket + sent_++;
    asked_.emplace(ticket, std::move(asked));
    process_.send(std::move(call), ticket, group_call_ms);
}

void GroupClient::answered(const Call& call) {
    const auto found = asked_.extract(call.ticket);
    if (!found) {
        return;
    }
    const Answer& answer = call.answer;
    if (const auto* write = std::get_if<WriteGroupStatus>(&found.mapped())) {
        process_.push_answer(GroupStatusWritten{
            write->dialect,
            write->namespace_name,
            write->name,
            outcome_of(answer),
            answer.message});
        return;
    }
    const auto& fetch = std::get<FetchPodGroup>(found.mapped());
    if (answer.status == 200) {
        process_.push_answer(PodGroupFound{
            fetch.dialect,
            fetch.namespace_name,
            fetch.name,
            answer.group,
            answer.group_uid,
            version_of(fetch.dialect),
            answer.group_status});
        return;
    }
    process_.push_answer(PodGroupMissing{
        fetch.dialect, fetch.namespace_name, fetch.name, problem_of(answer), answer.message});
}

}  // namespace gang::sim
