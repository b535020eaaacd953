#include "gang/app/daemon/execute/executor.hpp"

#include "gang/app/daemon/execute/log_names.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>

namespace gang::app {
namespace {

using config::LogLevel;

template <typename... Handlers>
struct OneForEachKind : Handlers... {
    using Handlers::operator()...;
};
template <typename... Handlers>
OneForEachKind(Handlers...) -> OneForEachKind<Handlers...>;

k8s::WriterOptions writer_options(const DaemonOptions& options, const Executor::Wiring& wiring) {
    k8s::WriterOptions out;
    out.component = options.config.profiles.front().scheduler_name;
    out.instance = options.instance;
    out.may_write = wiring.may_write;
    out.annotation_bytes = wiring.annotation_bytes;
    out.notice = notice_sink(options.log, "writer");
    out.events_per_second = options.config.events_per_second;
    // What was sent before the renew deadline must be over before somebody else can lead.
    if (const config::LeaderElection& lease = options.config.leader_election; lease.enabled) {
        const std::int64_t margin = lease.lease_duration_ms - lease.renew_deadline_ms;
        out.call_timeout_ms = std::min(out.call_timeout_ms, margin - margin / 10);
    }
    return out;
}

k8s::ClaimClientOptions claim_options(
    const DaemonOptions& options, const Executor::Wiring& wiring) {
    k8s::ClaimClientOptions out;
    out.may_write = wiring.may_write;
    out.notice = notice_sink(options.log, "volumes");
    return out;
}

k8s::DemandClientOptions demand_options(
    const DaemonOptions& options, const Executor::Wiring& wiring) {
    k8s::DemandClientOptions out;
    out.kind = options.config.autoscaling.mode == config::AutoscalingMode::provisioning_request
                   ? k8s::DemandKind::provisioning_request
                   : k8s::DemandKind::capacity_buffer;
    out.may_write = wiring.may_write;
    return out;
}

}  // namespace

Executor::Executor(boost::asio::io_context& io, const DaemonOptions& options, Wiring wiring)
    : log_(options.log),
      wiring_(std::move(wiring)),
      writer_(io, options.endpoint, writer_options(options, wiring_)),
      claims_(io, options.endpoint, claim_options(options, wiring_)),
      binder_(Binder::Wiring{
          &writer_,
          &claims_,
          &options.seal,
          log_,
          wiring_.metrics,
          wiring_.answer,
          [loop = wiring_.loop] { return loop->now_ms(); }}),
      objects_(
          ObjectWriter::Wiring{&writer_, &options.seal, log_, wiring_.metrics, wiring_.answer}),
      reader_(io, options.endpoint, ObjectReader::Wiring{&writer_, &claims_, log_, wiring_.answer}),
      capacity_(
          io,
          options.endpoint,
          CapacityRequester::Wiring{demand_options(options, wiring_), log_, wiring_.answer}),
      extenders_(io, options.endpoint, options.extenders, notice_sink(log_, "extenders")) {}

void Executor::carry_out(const Decision& decision) {
    std::visit(
        OneForEachKind{
            [this](const BindPod& one) { binder_.bind(one); },
            [this](const SetCondition& one) { objects_.write(one); },
            [this](const UpdateReservation& one) { objects_.write(one); },
            [this](const EvictPod& one) { objects_.write(one); },
            [this](const RecordEvent& one) { objects_.write(one); },
            [this](const WriteGroupStatus& one) { objects_.write(one); },
            [this](const FetchSparkConf& one) { reader_.read(one); },
            [this](const FetchClaim& one) { reader_.read(one); },
            [this](const FetchPodGroup& one) { reader_.read(one); },
            [this](const FetchQuotas& one) { reader_.read(one); },
            [this](const ListPods& one) { reader_.read(one); },
            [this](const WatchVolumeLimits&) { wiring_.watches->watch_volume_limits(); },
            [this](const WatchStorage&) { wiring_.watches->watch_storage(); },
            [this](const WatchNamespaces&) { wiring_.watches->watch_namespaces(); },
            [this](const WantCapacity& one) { capacity_.want(one); },
            [this](const DropCapacity& one) { capacity_.drop(one); },
            [this](const ListCapacity&) { capacity_.list(); },
            [this](const AnswerExtender& one) { answer_extender(one); },
            [this](const AskExtenders& one) { ask_extenders(one); },
            [this](const WakeAt& one) { wiring_.loop->wake_at(one.time_ms); },
            [this](const StepDown& one) { wiring_.step_down(one.why); },
        },
        decision);
}

void Executor::answer_extender(const AnswerExtender& decision) {
    log_->write(
        LogLevel::debug,
        "answer kube-scheduler",
        {{"nodes", std::to_string(decision.nodes.size())}, {"message", decision.message}});
    wiring_.answer_extender(decision);
}

void Executor::ask_extenders(const AskExtenders& decision) {
    log_->write(
        LogLevel::debug,
        "ask extenders",
        {{"pod", full_name(decision.pod.namespace_name, decision.pod.name)},
         {"executors", decision.is_to_come ? "yes" : "no"},
         {"nodes", std::to_string(decision.nodes.size())}});
    extenders_.ask(decision, [this](ExtendersAnswered event) { wiring_.answer(std::move(event)); });
}

void Executor::stop_reading() {
    reader_.stop();
    claims_.stop();
    capacity_.stop();
    extenders_.stop();
}

}  // namespace gang::app
