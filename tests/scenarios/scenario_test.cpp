// Stories in plain text: what is done to a cluster, and what the scheduler makes of it. One small
// handler per command; README.md of this folder lists them. GANG_REWRITE=1 writes what came.

#include "tests/gang/world.hpp"
#include "tests/scenarios/script.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

using tests::Command;
using tests::World;

/// "2" or "1500m".
std::string cpu(std::int64_t milli) {
    return milli % 1000 == 0 ? std::to_string(milli / 1000) : std::to_string(milli) + "m";
}

std::int64_t milli(const std::string& cpus) {
    return cpus.ends_with("m") ? std::stoll(cpus) : std::stoll(cpus) * 1000;
}

/// "500ms", "30s", "15m".
std::int64_t duration(const std::string& text) {
    const std::int64_t number = std::stoll(text);
    return text.ends_with("ms") ? number : text.ends_with("s") ? number * 1000 : number * 60'000;
}

std::string_view phase_name(core::PodPhase phase) {
    switch (phase) {
        case core::PodPhase::pending:
            return "pending";
        case core::PodPhase::running:
            return "running";
        case core::PodPhase::succeeded:
            return "succeeded";
        case core::PodPhase::failed:
            return "failed";
        default:
            return "unknown";
    }
}

std::string_view outcome_name(gang::BindOutcome outcome) {
    constexpr std::string_view names[] = {
        "bound", "taken", "gone", "changed", "not_bindable", "refused", "not_sent"};
    return names[static_cast<std::size_t>(outcome)];
}

class Stage {
public:
    Stage() {
        world_.on_decision = [this](const gang::Decision& decision) {
            std::visit([this](const auto& made) { report(made); }, decision);
        };
        world_.on_event = [this](const gang::Event& event) {
            const auto* answer = std::get_if<gang::BindFinished>(&event);
            if (answer != nullptr && answer->outcome != gang::BindOutcome::bound) {
                say("answer " + name(answer->pod_uid) + ": " +
                    std::string(outcome_name(answer->outcome)));
            }
        };
        world_.settle();
    }

    std::string run(const Command& command) {
        out_.clear();
        const auto found = handlers().find(command.name);
        if (found == handlers().end()) {
            return "unknown command " + command.name + "\n";
        }
        (this->*found->second)(command);
        world_.settle();
        for (; violations_reported_ < world_.violations.size(); ++violations_reported_) {
            say("REFEREE: " + world_.violations[violations_reported_]);
        }
        return out_;
    }

    using Handler = void (Stage::*)(const Command&);

    static const std::map<std::string, Handler>& handlers() {
        static const std::map<std::string, Handler> table = {
            {"advance", &Stage::advance},
            {"arrive", &Stage::arrive},
            {"conf", &Stage::conf},
            {"cordon", &Stage::cordon},
            {"delete", &Stage::remove},
            {"end", &Stage::end},
            {"executors", &Stage::executors},
            {"fail-binds", &Stage::fail_binds},
            {"foreign", &Stage::other_pod},
            {"forge", &Stage::forge},
            {"gangs", &Stage::gangs},
            {"group", &Stage::group},
            {"hold", &Stage::hold},
            {"lose-node", &Stage::lose_node},
            {"node", &Stage::node},
            {"pods", &Stage::pods},
            {"refuse", &Stage::refuse},
            {"release", &Stage::release},
            {"reservation", &Stage::reservation},
            {"restart", &Stage::restart},
            {"room", &Stage::room},
            {"run", &Stage::run_driver},
            {"slots", &Stage::slots},
            {"stale", &Stage::stale},
            {"submit", &Stage::submit},
            {"terminate", &Stage::terminate},
            {"uncordon", &Stage::uncordon},
            {"ungate", &Stage::ungate},
            {"why", &Stage::why},
        };
        return table;
    }

private:
    // --- what is done --------------------------------------------------------------------------

    void node(const Command& command) {
        for (const std::string& each : command.words) {
            core::Node node = tests::node(each, 0, command.number("memory_gi", 64) * 1024);
            node.allocatable.cpu_milli = milli(command.value("cpu", "4"));
            node.pods = command.number("pods", 110);
            if (command.values.contains("pool")) {
                node.labels = {{"pool", command.values.at("pool")}};
            }
            world_.add_node(node);
        }
    }

    void cordon(const Command& command) {
        world_.change_node(
            command.words.at(0), [](core::Node& node) { node.unschedulable = true; });
    }

    void uncordon(const Command& command) {
        world_.change_node(
            command.words.at(0), [](core::Node& node) { node.unschedulable = false; });
    }

    /// The node goes, and its pods with it.
    void lose_node(const Command& command) {
        world_.remove_node(command.words.at(0));
        world_.settle();
        std::vector<std::string> on_it;
        for (const auto& [uid, pod] : world_.pods()) {
            if (pod.node_name == command.words.at(0)) {
                on_it.push_back(uid);
            }
        }
        for (const std::string& uid : on_it) {
            world_.remove_pod(uid);
        }
    }

    void submit(const Command& command) {
        for (const std::string& each : command.words) {
            core::Pod driver = tests::driver(each);
            driver.created = world_.now_ms / 1000 + ++submitted_;
            auto conf = tests::conf(command.number("executors", 1));
            conf = tests::with(conf, "spark.executor.cores", command.value("cores", "1"));
            if (command.values.contains("pool")) {
                const std::string& pool = command.values.at("pool");
                driver.constraints.edit().node_selector = {{"pool", pool}};
                conf = tests::with(conf, "spark.kubernetes.node.selector.pool", pool);
            }
            driver.gated = command.value("gated", "no") == "yes";
            uids_[each] = world_.create(driver);
            as_created_[each] = world_.pod(uids_[each]);
            names_[uids_[each]] = each;
            confs_[each] = conf;
            if (command.value("conf", "now") == "now") {
                world_.confs[uids_[each]].conf = conf;
            }
        }
    }

    void ungate(const Command& command) {
        world_.change_pod(uid(command.words.at(0)), [](core::Pod& pod) { pod.gated = false; });
    }

    /// The watch shows the driver once more as it was when it was created.
    void stale(const Command& command) {
        world_.step(gang::PodUpserted{as_created_.at(command.words.at(0))});
    }

    void conf(const Command& command) {
        const std::string& driver = command.words.at(0);
        world_.confs[uid(driver)].conf = confs_.at(driver);
    }

    void run_driver(const Command& command) {
        for (const std::string& each : command.words) {
            world_.set_phase(uid(each), core::PodPhase::running);
        }
    }

    /// The driver runs and makes its executors.
    void executors(const Command& command) {
        const std::string& driver = command.words.at(0);
        if (world_.pod(uid(driver)).phase == core::PodPhase::pending) {
            world_.set_phase(uid(driver), core::PodPhase::running);
        }
        for (std::int64_t i = command.number("count", 1); i > 0; --i) {
            core::Pod pod = tests::executor(
                driver + "-exec-" + std::to_string(++executors_[driver]), world_.pod(uid(driver)));
            pod.requests.cpu_milli = milli(command.value("cpu", "1"));
            if (command.values.contains("of")) {  // what its labels say, not who owns it
                pod.labels[0].second = "spark-" + command.values.at("of");
            }
            const std::string made = pod.name;
            uids_[made] = world_.create(std::move(pod));
            names_[uids_[made]] = made;
        }
    }

    void end(const Command& command) {
        const std::string driver = uid(command.words.at(0));
        world_.set_phase(driver, core::PodPhase::succeeded);
    }

    /// A pod goes; with a driver go its executors.
    void remove(const Command& command) {
        for (const std::string& each : command.words) {
            world_.remove_application(uid(each));
        }
    }

    void terminate(const Command& command) {
        world_.change_pod(uid(command.words.at(0)), [](core::Pod& pod) { pod.deleting = true; });
    }

    /// Its kubelet will not have the pod.
    void refuse(const Command& command) {
        world_.change_pod(uid(command.words.at(0)), [&command](core::Pod& pod) {
            pod.phase = core::PodPhase::failed;
            pod.failure = command.value("reason", "OutOfcpu");
        });
    }

    /// A pod that another scheduler has bound.
    void other_pod(const Command& command) {
        core::Pod pod = tests::pod(command.words.at(0), milli(command.value("cpu", "1")), 100);
        pod.scheduler_name = "default-scheduler";
        pod.node_name = command.value("node", "");
        uids_[pod.name] = world_.create(pod);
        names_[uids_[pod.name]] = pod.name;
    }

    /// A PodGroup, as it is from now on, and so many more pods of it.
    void group(const Command& command) {
        const std::string& name = command.words.at(0);
        if (command.values.contains("min")) {
            world_.groups["etl/" + name] = core::PodGroup{command.number("min", 1), {}, {}};
        }
        for (std::int64_t i = command.number("count", 0); i > 0; --i) {
            core::Pod pod = tests::pod(
                name + "-" + std::to_string(++executors_[name]),
                milli(command.value("cpu", "1")),
                256);
            pod.created = world_.now_ms / 1000 + ++submitted_;
            pod.labels = {{"scheduling.x-k8s.io/pod-group", name}};
            uids_[pod.name] = world_.create(pod);
            names_[uids_[pod.name]] = pod.name;
        }
    }

    /// A tenant edits the reservation that the driver carries: each slot count becomes `slots`.
    void forge(const Command& command) {
        const std::string driver = uid(command.words.at(0));
        gang::Reservation forged = *world_.reservation(driver);
        ++forged.generation;
        for (gang::ReservedShape& shape : forged.shapes) {
            for (auto& [node, count] : shape.slots_per_node) {
                count = command.number("slots", 1);
            }
        }
        world_.change_pod(driver, [&forged](core::Pod& pod) {
            pod.annotations = {
                {std::string(gang::reservation_annotation), gang::encode_reservation(forged)}};
        });
    }

    /// `hold answers`: binds are carried out, and nobody hears of it. `hold watch`: nothing is
    /// heard of pods. `hold binds`: they are on their way until `arrive`.
    void hold(const Command& command) {
        const std::string& what = command.words.at(0);
        world_.hold_watch = world_.hold_watch || what == "watch";
        world_.hold_bind_answers = world_.hold_bind_answers || what == "answers" || what == "binds";
        if (what == "binds") {
            world_.on_bind = [this](const gang::BindPod& request) {
                on_their_way_.push_back(request);
                return std::optional(gang::BindOutcome::not_sent);
            };
        }
    }

    void release(const Command&) {
        world_.hold_watch = false;
        world_.release_answers();
    }

    /// What was on its way reaches the API server; nobody hears the answer.
    void arrive(const Command&) {
        world_.on_bind = nullptr;
        for (const gang::BindPod& request : std::exchange(on_their_way_, {})) {
            say("late bind " + request.pod.name + " -> " + request.node + ": " +
                std::string(outcome_name(world_.arrive(request))));
        }
    }

    void fail_binds(const Command& command) {
        world_.on_bind = [left = command.number("count", 1)](const gang::BindPod&) mutable {
            return left-- > 0 ? std::optional(gang::BindOutcome::not_sent) : std::nullopt;
        };
    }

    void restart(const Command&) {
        world_.on_bind = nullptr;
        world_.hold_bind_answers = false;
        world_.hold_watch = false;
        world_.restart();
    }

    void advance(const Command& command) { world_.advance(duration(command.words.at(0))); }

    // --- what is shown -------------------------------------------------------------------------

    void gangs(const Command&) {
        for (const gang::GangView& view : world_.scheduler->gangs()) {
            say(view.driver + " " + std::string(gang::to_string(view.state)) + ": " +
                std::to_string(view.executors) + " executors, slots " +
                std::to_string(view.slots_open) + " open " + std::to_string(view.slots_assumed) +
                " claimed " + std::to_string(view.slots_bound) + " bound");
        }
    }

    void slots(const Command&) {
        for (const gang::GangView& view : world_.scheduler->gangs()) {
            const auto answer = world_.scheduler->explain(view.driver_uid);
            std::string line = view.driver + ":";
            for (const auto& [node, count] : answer->slots_per_node) {
                line += " " + node + " " + std::to_string(count);
            }
            say(line);
        }
    }

    void room(const Command&) {
        for (const gang::NodeLedger& node : world_.scheduler->ledger()) {
            say(node.name + ": cpu " + cpu(node.allocatable.cpu_milli) + ", bound " +
                cpu(node.bound.cpu_milli) + ", held " + cpu(node.held.cpu_milli) + ", free " +
                cpu(node.free.cpu_milli));
        }
    }

    void pods(const Command&) {
        for (const auto& [uid, pod] : world_.pods()) {
            say(pod.name + " " + (pod.node_name.empty() ? "-" : pod.node_name) + " " +
                std::string(phase_name(pod.phase)));
        }
    }

    void why(const Command& command) {
        const auto answer = world_.scheduler->explain(uid(command.words.at(0)));
        say(!answer ? "not known"
                    : std::string(gang::to_string(answer->gang.state)) + ": " +
                          with_names(answer->gang.message));
    }

    void reservation(const Command& command) {
        const auto held = world_.reservation(uid(command.words.at(0)));
        say(held ? describe(*held) : "none");
    }

    // --- what is decided -----------------------------------------------------------------------

    void report(const gang::BindPod& made) {
        std::string line = "bind " + made.pod.name + " -> " + made.node;
        for (const auto& [key, value] : made.annotations) {
            if (key == gang::reservation_annotation) {
                line += ", reserves " + describe(*gang::decode_reservation(value, 1'000'000));
            } else {
                line += value == gang::surplus_slot ? ", without a slot"
                                                    : ", slot " + with_names(value);
            }
        }
        say(line);
    }
    void report(const gang::FetchSparkConf& made) {
        say("ask for the conf of " + made.driver.name);
    }
    void report(const gang::SetCondition& made) {
        say((made.fence ? "fence " : "say to ") + made.pod.name + ": " + made.message);
    }
    void report(const gang::UpdateReservation& made) {
        for (const auto& [key, value] : made.annotations) {
            say("write " + made.driver.name + ": " +
                describe(*gang::decode_reservation(value, 1'000'000)));
        }
    }
    void report(const gang::EvictPod& made) {
        say("evict " + made.pod.name +
            (made.reason == gang::EvictReason::reclaim ? ": reclaim" : ": preempt"));
    }
    void report(const gang::ListPods&) { say("list all pods"); }
    void report(const gang::FetchQuotas& made) {
        say("ask for quotas of " + made.namespace_name);
    }
    void report(const gang::FetchPodGroup& made) { say("ask for pod group " + made.name); }
    void report(const gang::WriteGroupStatus& made) {
        say(std::string("status of pod group ") + made.name + ": " + core::word(made.status.phase));
    }
    void report(const gang::WatchVolumeLimits&) { say("watch volume limits"); }
    void report(const gang::WatchStorage&) { say("watch storage"); }
    void report(const gang::WatchNamespaces&) { say("watch namespaces"); }
    void report(const gang::FetchClaim& made) {
        say("read claim " + made.namespace_name + "/" + made.name);
    }
    void report(const gang::RecordEvent& made) {
        say("event " + made.pod.name + ": " + made.reason + ": " + with_names(made.message));
    }
    void report(const gang::WantCapacity& made) {
        for (const core::CapacityShape& shape : made.shapes) {
            say("ask the autoscaler for " + std::to_string(shape.count) + " executors of " +
                made.driver.name);
        }
    }
    void report(const gang::DropCapacity& made) {
        say("ask the autoscaler no more for " + made.driver.name);
    }
    void report(const gang::ListCapacity&) { say("list what the autoscaler is asked for"); }
    void report(const gang::AskExtenders& made) {
        say("ask extenders about " + made.pod.name);
    }
    void report(const gang::AnswerExtender& made) {
        say("tell kube-scheduler: " + with_names(made.message));
    }
    void report(const gang::WakeAt&) {}
    void report(const gang::StepDown& made) { say("step down: " + made.why); }

    std::string describe(const gang::Reservation& held) const {
        std::string text = "generation " + std::to_string(held.generation) + ":";
        for (const gang::ReservedShape& shape : held.shapes) {
            for (const auto& [node, count] : shape.slots_per_node) {
                text += " " + node + " " + std::to_string(count);
            }
            if (shape.unplaced > 0) {
                text += " nowhere " + std::to_string(shape.unplaced);
            }
        }
        return text;
    }

    void say(const std::string& line) { out_ += line + "\n"; }
    const std::string& uid(const std::string& pod) const {
        REQUIRE_MESSAGE(uids_.contains(pod), pod);
        return uids_.at(pod);
    }
    std::string name(const std::string& uid) const {
        const auto found = names_.find(uid);
        return found == names_.end() ? uid : found->second;
    }
    std::string with_names(std::string text) const {
        for (const auto& [uid, pod] : names_) {
            for (auto at = text.find(uid); at != std::string::npos; at = text.find(uid)) {
                text.replace(at, uid.size(), pod);
            }
        }
        return text;
    }

    World world_;
    std::string out_;
    std::map<std::string, std::string> uids_;   ///< by name
    std::map<std::string, std::string> names_;  ///< by uid
    std::map<std::string, gang::spark::Conf> confs_;
    std::map<std::string, core::Pod> as_created_;
    std::map<std::string, int> executors_;
    std::vector<gang::BindPod> on_their_way_;
    std::size_t violations_reported_ = 0;
    std::int64_t submitted_ = 0;
};

std::vector<std::filesystem::path> stories() {
    std::vector<std::filesystem::path> found;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(TESTS_DIR) + "/scenarios/stories")) {
        if (entry.path().extension() == ".txt") {
            found.push_back(entry.path());
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace

TEST_CASE("scenarios: every story goes as it is written") {
    CHECK(stories().size() >= 12);
    for (const auto& path : stories()) {
        const std::string story = path.filename().string();
        CAPTURE(story);
        Stage stage;
        tests::run_script(
            path.string(), [&stage](const Command& command) { return stage.run(command); });
    }
}

TEST_CASE("scenarios: README.md names every command") {
    std::ifstream in(std::string(TESTS_DIR) + "/scenarios/README.md");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    for (const auto& [name, handler] : Stage::handlers()) {
        CHECK_MESSAGE(text.find("| `" + name) != std::string::npos, name);
    }
}

TEST_CASE("scenarios: docs/evaluation/reliability.md names every mutant and every fault") {
    const auto read = [](const std::string& path) {
        std::ifstream in(std::string(TESTS_DIR) + "/" + path);
        REQUIRE_MESSAGE(in.good(), path);
        return std::string{std::istreambuf_iterator<char>(in), {}};
    };
    const std::string docs = read("../docs/evaluation/reliability.md");
    const std::string cases = read("sim/mutants.txt");
    int mutants = 0;
    for (const char* const table : {"core", "gang", "protocol"}) {
        std::istringstream lines(read("sim/mutants/" + std::string(table) + ".txt"));
        for (std::string name; std::getline(lines, name);) {
            if (!name.starts_with("mutant: ")) {
                continue;
            }
            name.erase(0, std::string_view("mutant: ").size());
            CHECK_MESSAGE(docs.find("| `" + name + "` |") != std::string::npos, name);
            CHECK_MESSAGE(cases.find("\n" + name + " ") != std::string::npos, name);
            ++mutants;
        }
    }
    CHECK(mutants >= 49);
    const std::string faults = read("../gang/sim/base/faults.cpp");
    const std::regex fault(R"x(\{"([a-z_]+)", (?:true|false)\})x");
    int count = 0;
    for (std::sregex_iterator it(faults.begin(), faults.end(), fault), end; it != end; ++it) {
        CHECK_MESSAGE(docs.find("`" + it->str(1) + "`") != std::string::npos, it->str(1));
        ++count;
    }
    CHECK(count > 50);
}
