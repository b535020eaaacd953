#include "gang/sim/replica/client/volume_client.hpp"

#include "gang/sim/world.hpp"

#include <utility>

namespace gang::sim {
namespace {

constexpr std::int64_t volume_call_ms = 4'000;  // as in k8s/volume/claim_client.hpp
constexpr std::int64_t look_again_ms = 500;

}  // namespace

void VolumeClient::send(Call call, std::variant<FetchClaim, std::uint32_t> asked) {
    const std::uint32_t ticket = first_ticket + sent_++;
    asked_.emplace(ticket, std::move(asked));
    process_.send(std::move(call), ticket, volume_call_ms);
}

void VolumeClient::fetch(const FetchClaim& decision) {
    Call call;
    call.operation = Operation::get_claim;
    call.pod = {decision.namespace_name, decision.name, {}};
    send(std::move(call), decision);
}

void VolumeClient::provision(const BindPod& decision) {
    const std::uint32_t number = binds_made_++;
    binds_.emplace(number, Bind{decision, process_.author()});
    look(number);
}

/// Written on its state of now, or only read.
void VolumeClient::look(std::uint32_t number) {
    const Bind& bind = binds_.at(number);
    Call call;
    call.operation = Operation::get_claim;
    call.pod = {bind.decision.pod.namespace_name, bind.decision.claims[bind.at], {}};
    if (!bind.is_written && process_.may_write()) {
        call.operation = Operation::select_node;
        call.node = bind.decision.node;
        call.author = bind.author;
    }
    send(std::move(call), number);
}

void VolumeClient::give_up(std::uint32_t number, std::string why) {
    const std::string uid = binds_.at(number).decision.pod.uid;
    binds_.erase(number);
    process_.push_answer(BindFinished{uid, BindOutcome::not_sent, std::move(why)});
}

void VolumeClient::looked(std::uint32_t number, const Answer& answer) {
    Bind& bind = binds_.at(number);
    const core::Claim& claim = answer.claim;
    const std::string& node = bind.decision.node;
    if (answer.status == 404) {
        return give_up(number, "the claim is gone");
    }
    if (answer.status != 200) {
        return wake_in(look_again_ms, number);
    }
    const bool is_ours = claim.selected_node == node;
    if (!is_ours && bind.is_written && claim.state == core::ClaimState::consumer) {
        return give_up(number, "no volume could be made");
    }
    if (!is_ours && !claim.selected_node.empty()) {
        return give_up(number, "its volume is made for another node");
    }
    if (claim.state != core::ClaimState::bound) {
        bind.is_written = bind.is_written || is_ours;
        return wake_in(look_again_ms, number);
    }
    bind.is_written = false;
    if (++bind.at < bind.decision.claims.size()) {
        return look(number);
    }
    const Bind done = std::move(bind);
    binds_.erase(number);
    process_.bind_after_volumes(done.decision, done.author);
}

void VolumeClient::answered(const Call& call) {
    const auto found = asked_.extract(call.ticket);
    if (!found) {
        return;
    }
    const Answer& answer = call.answer;
    if (const auto* number = std::get_if<std::uint32_t>(&found.mapped())) {
        return looked(*number, answer);
    }
    const auto& fetch = std::get<FetchClaim>(found.mapped());
    if (answer.status == 200) {
        process_.push_answer(ClaimFound{fetch.namespace_name, fetch.name, answer.claim});
        return;
    }
    ClaimProblem problem = ClaimProblem::failed;
    if (answer.status == 404) {
        problem = ClaimProblem::not_found;
    } else if (answer.status == 401 || answer.status == 403) {
        problem = ClaimProblem::forbidden;
    }
    process_.push_answer(ClaimMissing{fetch.namespace_name, fetch.name, problem, answer.message});
}

void VolumeClient::wake_in(std::int64_t ms, std::uint32_t what) {
    process_.wakeups.volume_client(ms, what);
}

void VolumeClient::watch_limits() {
    watches_ = true;
    wake_in(world_.random.between(1, 2'000), all_limits);
}

void VolumeClient::limit_changes(NodeId node) {
    if (watches_) {
        wake_in(world_.random.between(1, 2'000), one_limit | node);
    }
}

/// What is heard is what is true by then.
void VolumeClient::wakes(std::uint32_t what) {
    if (what == all_limits) {
        process_.push_answer(VolumeLimitsListed{world_.cluster.volumes.limits()});
    } else if ((what & one_limit) != 0) {
        process_.push_answer(
            VolumeLimitsChanged{world_.cluster.volumes.limits_of(what & ~one_limit)});
    } else if (binds_.contains(what)) {
        look(what);
    }
}

}  // namespace gang::sim
