// Every answer, in every state that one or two answers lead to, and each answer over and over: what the machines for
// writes do. The Lease's and the reflector's machines, through a walk of some hundred inputs each.

#include "k8s/protocol/bind.hpp"
#include "k8s/protocol/evict.hpp"
#include "k8s/protocol/election/election.hpp"
#include "k8s/protocol/reflector.hpp"
#include "k8s/protocol/status.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace {

using namespace k8s::protocol;
using tests::Walk;

/// Spreads waits, another one each time.
std::uint32_t spread(std::size_t step) {
    return static_cast<std::uint32_t>(137 * step);
}

std::string said(const Wait& wait) {
    return "wait " + std::to_string(wait.ms);
}
std::string said(const PostBinding&) {
    return "post";
}
std::string said(const ReadPod&) {
    return "read";
}
std::string said(const SendEviction&) {
    return "send";
}
std::string said(const SendPatch&) {
    return "send";
}
std::string said(const BindFinished& finished) {
    const char* const names[] = {
        "bound", "taken", "gone", "changed", "not bindable", "refused", "not sent"};
    return std::string("= ") + names[static_cast<std::size_t>(finished.outcome)] + " (" +
           finished.message + ")";
}
std::string said(const EvictionFinished& finished) {
    const char* const names[] = {"evicted", "budget", "gone", "refused", "not sent"};
    return std::string("= ") + names[static_cast<std::size_t>(finished.outcome)] + " (" +
           finished.message + ")" + (finished.unsettled ? " unsettled" : "");
}
std::string said(const PatchFinished& finished) {
    return std::string("= ") + (finished.written ? "written" : "not written") + " (" +
           finished.message + ")" + (finished.changed ? " changed" : "") +
           (finished.unsettled ? " unsettled" : "");
}
template <typename... Kinds>
std::string said(const std::variant<Kinds...>& action) {
    return std::visit([](const auto& one) { return said(one); }, action);
}

template <typename Action>
bool waits(const Action& action) {
    return std::holds_alternative<Wait>(action);
}

/// What may come of a request.
struct Answered {
    std::string name;
    int status = 0;  ///< 0: no answer
    std::int64_t retry_after_ms = -1;
    std::string message;
    bool maybe_sent = false;

    template <typename Machine>
    auto tell(Machine& machine, std::size_t step) const {
        return status == 0
                   ? machine.on_no_answer(maybe_sent, name, spread(step))
                   : machine.on_answer(HttpAnswer{status, message, retry_after_ms}, spread(step));
    }
};

std::vector<Answered> answers() {
    std::vector<Answered> all = {
        {"lost", 0, -1, "", true},
        {"unreachable", 0, -1, "", false},
        {"429 in 3 s", 429, 3'000, "slow down", false},
        {"429 in an hour", 429, 3'600'000, "slow down", false},
        {"503 at once", 503, 0, "slow down", false},
        {"500 in 1 s", 500, 1'000, "broken", false},
        {"409 of a uid", 409, -1, "Precondition failed: UID in precondition: a", false},
        {"429 of a budget", 429, 10'000, "it would violate the pod's disruption budget", false},
        {"500 of two budgets", 500, -1, "more than one PodDisruptionBudget", false}};
    for (const int status :
         {100, 199, 200, 201, 299, 300, 401, 403, 404, 408, 409, 422, 429, 499, 500, 503, 504}) {
        all.push_back({std::to_string(status), status, -1, "text " + std::to_string(status), false});
    }
    return all;
}

/// A line for each answer, for each two of them, and for each that comes again and again.
template <typename Machine>
std::string tell_all(const Machine& fresh) {
    std::string told;
    const auto go_on = [](Machine& machine, auto action, std::string& line) {
        line += ", " + said(action);
        if (waits(action)) {
            action = machine.on_waited(true);
            line += ", " + said(action);
        }
        return action;
    };
    const auto is_sent = [](const auto& action) { return said(action) == "send"; };
    for (const Answered& first : answers()) {
        Machine machine = fresh;
        std::string line = said(machine.start(true)) + ", " + first.name;
        const auto action = go_on(machine, first.tell(machine, 1), line);
        told += line + "\n";
        for (const Answered& second : answers()) {
            Machine twice = machine;
            std::string more = "    " + second.name;
            if (is_sent(action)) {
                go_on(twice, second.tell(twice, 2), more);
                told += more + "\n";
            }
        }
        std::string line_of_many = "    over and over";
        auto last = action;
        for (std::size_t step = 2; is_sent(last) && step < 12; ++step) {
            last = go_on(machine, first.tell(machine, step), line_of_many);
        }
        told += line_of_many + "\n";
        Machine deposed = fresh;
        deposed.start(true);
        if (waits(first.tell(deposed, 1))) {
            told += "    deposed: " + said(deposed.on_waited(false)) + "\n";
        }
    }
    Machine machine = fresh;
    return told + "not the leader: " + said(machine.start(false)) + "\n";
}

std::vector<std::pair<std::string, PodState>> pods() {
    const PodState same{true, "u1", "100", "", false, false};
    std::vector<std::pair<std::string, PodState>> all = {{"as before", same}, {"not there", {}}};
    const auto add = [&](const std::string& name, auto change) {
        PodState state = same;
        change(state);
        all.emplace_back(name, state);
    };
    add("another pod", [](PodState& pod) { pod.uid = "u2"; });
    add("on our node", [](PodState& pod) { pod.node = "n1"; });
    add("on another", [](PodState& pod) { pod.node = "n2"; });
    add("going", [](PodState& pod) { pod.deleting = true; });
    add("gated", [](PodState& pod) { pod.gated = true; });
    add("changed", [](PodState& pod) { pod.resource_version = "101"; });
    add("changed and gated", [](PodState& pod) {
        pod.resource_version = "101";
        pod.gated = true;
    });
    return all;
}

/// Depth first through `left` more inputs; waits are over at once.
void tell_binds(
    const Bind& bind,
    const BindAction& action,
    std::size_t left,
    std::size_t step,
    const std::string& indent,
    std::string& told) {
    if (left == 0) {
        return;
    }
    const auto branch = [&](const std::string& name, auto tell) {
        Bind next = bind;
        BindAction then = tell(next);
        std::string line = indent + name + ", " + said(then);
        if (waits(then)) {
            Bind deposed = next;
            line += " (deposed: " + said(deposed.on_waited(false)) + ")";
            then = next.on_waited(true);
            line += ", " + said(then);
        }
        told += line + "\n";
        tell_binds(next, then, left - 1, step + 1, indent + "    ", told);
    };
    if (std::holds_alternative<PostBinding>(action)) {
        for (const Answered& answer : answers()) {
            branch(answer.name, [&](Bind& next) { return answer.tell(next, step); });
        }
    } else if (std::holds_alternative<ReadPod>(action)) {
        branch("unreadable", [&](Bind& next) { return next.on_pod_unreadable(spread(step)); });
        for (const auto& [name, state] : pods()) {
            branch(name, [&](Bind& next) { return next.on_pod(state, true); });
        }
        branch("as before, and deposed", [&](Bind& next) {
            return next.on_pod(pods().front().second, false);
        });
    }
}

std::string tell_binds_over_and_over(const Bind& fresh) {
    std::string told;
    for (const Answered& answer : answers()) {
        Bind bind = fresh;
        BindAction action = bind.start(true);
        std::string line = answer.name + " over and over";
        for (std::size_t step = 1; step < 16; ++step) {
            if (std::holds_alternative<PostBinding>(action)) {
                action = answer.tell(bind, step);
            } else if (std::holds_alternative<ReadPod>(action)) {
                action = bind.on_pod(pods().front().second, true);
            } else if (waits(action)) {
                action = bind.on_waited(true);
            } else {
                break;
            }
            line += ", " + said(action);
        }
        told += line + "\n";
    }
    return told;
}

std::string said(const LeaseAction& action) {
    if (const auto* create = std::get_if<CreateLease>(&action)) {
        return "create " + std::to_string(create->transitions);
    }
    if (const auto* update = std::get_if<UpdateLease>(&action)) {
        return "update " + update->resource_version + " " + std::to_string(update->transitions) +
               (update->acquired ? " acquired" : "");
    }
    if (const auto* follow = std::get_if<FollowLease>(&action)) {
        return "follow " + follow->resource_version;
    }
    if (const auto* wait = std::get_if<WaitLease>(&action)) {
        return "wait " + std::to_string(wait->ms);
    }
    return "read";
}

/// One that stands for election, among others who write what they like.
class ElectionWalk {
public:
    explicit ElectionWalk(std::uint64_t seed) : walk_(seed) {}

    std::string tell(int steps) {
        for (int i = 0; i < steps; ++i) {
            somebody_writes();
            const LeaseAction action = election_.next(now_ms_, spread(walk_.pick(10'000)));
            told_ += std::to_string(now_ms_) + " " + said(action);
            now_ms_ += static_cast<std::int64_t>(walk_.pick(300));
            carry_out(action);
            const auto release = election_.release();
            told_ += std::string(";") + (election_.is_leader() ? " leads" : "") +
                     (election_.may_write(now_ms_) ? " may write" : "") +
                     (election_.was_handed_over() ? " handed over" : "") + " epoch " +
                     std::to_string(election_.epoch()) + " next " +
                     std::to_string(election_.next_epoch(now_ms_)) + " until " +
                     std::to_string(election_.follow_until_ms()) + " deadline " +
                     std::to_string(election_.deadline_ms()) +
                     (release ? " release " + std::to_string(release->transitions) : "") + " " +
                     election_.why_free() + "\n";
        }
        return told_;
    }

private:
    void somebody_writes() {
        if (walk_.pick(8) != 0) {
            return;
        }
        Lease lease = lease_.value_or(Lease{});
        switch (walk_.pick(6)) {
            case 0:
                lease_.reset();
                return;
            case 1:
                lease.holder.clear();
                lease.duration_ms = 1'000 + static_cast<std::int64_t>(walk_.pick(2));
                lease.settled = walk_.pick(2) == 0;
                break;
            case 2:
                lease.scheduler_names = "edited";
                break;
            case 3:
                lease.transitions = walk_.pick(4) == 0 ? 2'147'483'647 : lease.transitions + 1;
                lease.epoch = walk_.pick(4) == 0 ? 999'999'999'999'999 : now_ms_;
                [[fallthrough]];
            default:
                lease.holder = walk_.pick(3) == 0 ? "me" : "other";
                lease.renewed = std::to_string(now_ms_);
                lease.duration_ms = walk_.pick(5) == 0 ? 10'000'000 : 5'000;
                break;
        }
        store(lease);
    }
    void store(Lease lease) {
        lease.resource_version = std::to_string(++version_);
        lease_ = std::move(lease);
    }
    void write(std::int64_t transitions) {
        Lease lease = lease_.value_or(Lease{});
        lease.holder = "me";
        lease.duration_ms = 15'000;
        lease.transitions = transitions;
        lease.renewed = std::to_string(now_ms_);
        lease.settled = false;
        store(std::move(lease));
        election_.on_written(now_ms_ - static_cast<std::int64_t>(walk_.pick(200)), *lease_);
        told_ += ", written";
    }
    void carry_out(const LeaseAction& action) {
        const bool has_failed = walk_.pick(10) == 0;
        if (const auto* wait = std::get_if<WaitLease>(&action)) {
            now_ms_ += wait->ms;
            return;
        }
        if (has_failed && !std::holds_alternative<FollowLease>(action)) {
            told_ += ", failed";
            now_ms_ += static_cast<std::int64_t>(walk_.pick(5'000));
            return election_.on_failed(now_ms_);
        }
        if (std::holds_alternative<ReadLease>(action)) {
            return election_.on_read(now_ms_, lease_);
        }
        if (const auto* create = std::get_if<CreateLease>(&action)) {
            return lease_ ? conflict() : write(create->transitions);
        }
        if (const auto* update = std::get_if<UpdateLease>(&action)) {
            const bool is_same = lease_ && lease_->resource_version == update->resource_version;
            return is_same ? write(update->transitions) : conflict();
        }
        for (std::size_t events = walk_.pick(3); events > 0; --events) {
            now_ms_ += static_cast<std::int64_t>(walk_.pick(4'000));
            somebody_writes();
            election_.on_followed(now_ms_, lease_);
        }
        now_ms_ = walk_.pick(3) == 0 ? election_.follow_until_ms()
                                     : now_ms_ + static_cast<std::int64_t>(walk_.pick(2'000));
        const auto end = static_cast<FollowEnd>(walk_.pick(3));
        told_ += std::string(election_.is_following(now_ms_) ? ", follows" : ", may take it") +
                 ", ended " + std::to_string(static_cast<int>(end));
        election_.on_follow_ended(now_ms_, end);
    }
    void conflict() {
        told_ += ", conflict";
        election_.on_conflict(now_ms_);
    }

    Walk walk_;
    Election election_{ElectionOptions{"me"}};
    std::optional<Lease> lease_;
    std::int64_t now_ms_ = 0;
    int version_ = 0;
    std::string told_;
};

std::string said(const Verdict& verdict) {
    std::string text = verdict.upsert ? " upsert" : "";
    if (verdict.deleted) {
        text += " deleted " + verdict.deleted->name + "/" + verdict.deleted->uid + "/" +
                verdict.deleted->version;
    }
    return text.empty() ? " nothing" : text;
}

/// A reflector, and a server that says anything at any time.
class ReflectorWalk {
public:
    explicit ReflectorWalk(std::uint64_t seed) : walk_(seed) {
        ReflectorOptions options;
        options.pages_max = 6;
        options.list_bytes_max = 3'000;
        reflector_.emplace(options);
    }

    std::string tell(int steps) {
        for (int i = 0; i < steps; ++i) {
            const ReflectorAction action = reflector_->next(spread(walk_.pick(10'000)));
            told_ += std::to_string(now_ms_);
            if (const auto* pause = std::get_if<Pause>(&action)) {
                told_ += " pause " + std::to_string(pause->ms) + "\n";
                now_ms_ += pause->ms;
                continue;
            }
            if (const auto* list = std::get_if<AskList>(&action)) {
                told_ += " list '" + list->continue_token + "'";
                answer_list();
            } else {
                const auto& watch = std::get<AskWatch>(action);
                told_ += " watch " + watch.version + " for " +
                         std::to_string(watch.timeout_seconds);
                answer_watch();
            }
            told_ += std::string(";") + (reflector_->is_synced() ? " synced " : " ") +
                     std::to_string(reflector_->size()) + "\n";
        }
        return told_;
    }

private:
    std::string version() {
        version_ += walk_.pick(3);
        const std::size_t back = walk_.pick(10) == 0 ? walk_.pick(20) : 0;
        return walk_.pick(60) == 0 ? "strange" : std::to_string(version_ - std::min(back, version_));
    }
    ObjectKey key() {
        const std::size_t name = walk_.pick(6);
        return {"o" + std::to_string(name), "u" + std::to_string(name) + "-" + std::to_string(walk_.pick(3)), version()};
    }
    ObjectView view_of(const ObjectKey& object) {
        ObjectView view(object);
        view.fingerprint = walk_.pick(3);
        view.for_good = walk_.pick(20) == 0;
        return view;
    }
    Trouble trouble() {
        const int statuses[] = {0, 400, 401, 403, 404, 410, 429, 500, 503, 504};
        Trouble made;
        made.status = walk_.of(statuses);
        made.reason = walk_.pick(8) == 0 ? "Expired" : walk_.pick(8) == 0 ? "Gone" : "";
        made.message = walk_.pick(8) == 0 ? "Too large resource version: 9" : "";
        made.version_too_large = walk_.pick(10) == 0;
        made.retry_after_ms = walk_.pick(3) == 0 ? 1'500 : -1;
        told_ += " trouble " + std::to_string(made.status) + made.reason +
                 (made.version_too_large || !made.message.empty() ? " too large" : "");
        return made;
    }
    void answer_list() {
        now_ms_ += static_cast<std::int64_t>(walk_.pick(500));
        if (walk_.pick(6) == 0) {
            return reflector_->on_list_failed(trouble(), now_ms_, spread(walk_.pick(1'000)));
        }
        const std::string token = walk_.pick(2) == 0 ? "next" : "";
        const PageVerdict page = reflector_->on_page(version(), token, walk_.pick(900));
        told_ += " page " + std::to_string(static_cast<int>(page));
        if (page == PageVerdict::refused) {
            return;
        }
        for (std::size_t items = walk_.pick(4); items > 0; --items) {
            const ObjectKey object = key();
            told_ += " " + object.name + "/" + object.uid + "/" + object.version +
                     said(reflector_->on_item(view_of(object)));
        }
        if (const auto missing = reflector_->end_page()) {
            for (const ObjectKey& one : *missing) {
                told_ += " missing " + one.name + "/" + one.uid + "/" + one.version;
            }
        }
    }
    void answer_watch() {
        if (walk_.pick(6) == 0) {
            return reflector_->on_watch_failed(trouble(), now_ms_, spread(walk_.pick(1'000)));
        }
        reflector_->on_watch_opened(now_ms_);
        for (std::size_t events = walk_.pick(6); events > 0; --events) {
            event();
        }
        now_ms_ += static_cast<std::int64_t>(walk_.pick(3) == 0 ? walk_.pick(200'000) : walk_.pick(3'000));
        switch (walk_.pick(12)) {
            case 0:
                told_ += " garbage";
                return reflector_->on_garbage(now_ms_, spread(walk_.pick(1'000)));
            case 1:
                told_ += " asked";
                return reflector_->ask_for_list();
            case 2:
            case 3:
                return reflector_->on_watch_failed(trouble(), now_ms_, spread(walk_.pick(1'000)));
            default:
                break;
        }
        const bool is_clean = walk_.pick(2) == 0;
        told_ += is_clean ? " closed" : " cut";
        reflector_->on_watch_closed(is_clean, now_ms_, spread(walk_.pick(1'000)));
    }
    void event() {
        if (walk_.pick(6) == 0) {
            const std::string to = version();
            told_ += " bookmark " + to;
            return reflector_->on_bookmark(to);
        }
        const ObjectKey object = key();
        const ObjectView view = view_of(object);
        const auto type = static_cast<WatchEventType>(walk_.pick(3));
        told_ += " " + std::to_string(static_cast<int>(type)) + " " + object.name + "/" +
                 object.uid + "/" + object.version + "#" + std::to_string(view.fingerprint);
        if (type != WatchEventType::deleted && walk_.pick(2) == 0) {
            const auto repeated = reflector_->on_repeat(type, view);
            told_ += repeated ? " repeat" + said(*repeated) : " no repeat";
            if (repeated) {
                return;
            }
        }
        told_ += said(reflector_->on_event(type, view));
    }

    Walk walk_;
    std::optional<Reflector> reflector_;
    std::int64_t now_ms_ = 1'000'000;
    std::size_t version_ = 100;
    std::string told_;
};

}  // namespace

TEST_CASE("transcripts: a bind") {
    for (const char* version : {"100", ""}) {
        const Bind fresh(BindTarget{"u1", version, "n1"});
        Bind begun = fresh;
        std::string told;
        tell_binds(begun, begun.start(true), 2, 1, "", told);
        told += tell_binds_over_and_over(fresh);
        Bind deposed = fresh;
        told += "not the leader: " + said(deposed.start(false)) + "\n";
        tests::check_transcript(
            *version != '\0' ? "k8s/protocol/transcripts/bind"
                             : "k8s/protocol/transcripts/bind_of_any_version",
            told);
    }
}

TEST_CASE("transcripts: an eviction") {
    tests::check_transcript("k8s/protocol/transcripts/evict", tell_all(Evict{}));
}

TEST_CASE("transcripts: a status, with a precondition and without") {
    tests::check_transcript("k8s/protocol/transcripts/status", tell_all(StatusWrite{false}));
    tests::check_transcript("k8s/protocol/transcripts/status_of_a_version", tell_all(StatusWrite{true}));
}

TEST_CASE("transcripts: an election") {
    tests::check_transcript("k8s/protocol/transcripts/election", ElectionWalk(1).tell(400));
}

TEST_CASE("transcripts: a reflector") {
    tests::check_transcript("k8s/protocol/transcripts/reflector", ReflectorWalk(1).tell(500));
}
