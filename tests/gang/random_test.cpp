// Hundreds of small worlds by chance: applications that come, run, lose executors and end, nodes
// that come and go, pods of others, failing binds and status writes, lost and late answers, a watch
// that lags, restarts, the lead lost and regained, duplicated and interleaved events.
// After each move the invariants are looked at; at the end everything that fits must finish.
//
// Another start: GANG_SEED=n. More of them: GANG_WORLDS=n.

#include "tests/gang/shares/trees.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

namespace {

using gang::BindOutcome;
using tests::Random;
using tests::World;

/// Each of their limits lets the largest gang in, whose executors may be twice as large as
/// declared.
config::Schema schema_of(bool has_queues) {
    if (!has_queues) {
        return World::sealed_schema();
    }
    config::Queue a = tests::queue("a");
    a.limit = {{"cpu", 14'000}};
    config::Queue b = tests::queue("b");
    b.order = config::QueueOrder::priority;
    b.max_gangs = 2;
    b.weight = 2;
    config::Queue c = tests::queue("deep.c");
    c.user_limit = {{"cpu", 16'000}};
    c.guarantee = {{"cpu", 3'000}};
    return tests::with_queues({a, b, c}, World::sealed_schema());
}

class Life {
public:
    explicit Life(std::uint64_t seed, bool has_queues = false)
        : random_(seed), has_queues_(has_queues), world_(schema_of(has_queues)) {
        world_.chaos = &random_;
        world_.recording = &recording_;
        world_.restart();
        const auto nodes = random_.between(1, 5);
        for (std::int64_t i = 0; i < nodes; ++i) {
            world_.add_node(tests::node("n" + std::to_string(i), random_.between(2, 8), 64 * 1024));
        }
        // One node stays as it is and holds the largest gang, so that all can finish.
        world_.add_node(tests::node("rock", largest_gang + 1, 64 * 1024));
    }

    void run() {
        for (int i = 0; i < 60; ++i) {
            move();
            check();
        }
        calm_down();
        for (int i = 0; i < 400 && !all_finished(); ++i) {
            live();
            world_.advance(1'000);
            check();
        }
        CHECK(unfinished() == "");
        check_nothing_is_left();
        check_replay();
    }

private:
    static constexpr std::int64_t largest_gang = 6;

    struct App {
        std::int64_t executors = 0;
        bool by_set = false;             ///< its executors are made by a stateful set
        std::int64_t cpu_milli = 1'000;  ///< of a real executor; the conf says 1 cpu
        int elsewhere = 0;               ///< executors that another scheduler bound
        int patience = 40;  ///< rounds with some executors, after which they have done it
        int runs = 0;       ///< rounds with all executors running
        bool finished = false;
    };

    void move() {
        switch (random_.between(0, 24)) {
            case 0:
            case 1:
                submit();
                break;
            case 2:
                world_.restart();
                idle_milli_ms_ = 0;
                following_ = false;
                break;
            case 3:
                change_a_node();
                break;
            case 4:
                foreign_pod();
                break;
            case 5:
                lose_executor();
                break;
            case 6:
                kill_driver();
                break;
            case 7:
                world_.relist();
                break;
            case 8:
                fail_binds();
                break;
            case 9:
                withhold();
                break;
            case 10:
                surplus_executor();
                break;
            case 11:
                flap_leadership();
                break;
            case 12:
                change_lead();
                break;
            case 13:
                withhold_status_answers();
                break;
            case 14:
                world_.fail_status_writes = !world_.fail_status_writes;
                break;
            case 15:
                world_.hold_conf_answers = !world_.hold_conf_answers;  // what is asked now is lost
                break;
            case 16:
                world_.hold_watch = !world_.hold_watch;
                break;
            case 17:
                large_executor();
                break;
            case 18:
                world_.lose_status_answers = !world_.lose_status_answers;
                break;
            case 19:
                edit_reservation();
                break;
            case 20:
                storm();
                break;
            case 21:
                executor_elsewhere();
                break;
            default:
                live();
                break;
        }
        if (has_queues_ && random_.chance(8)) {
            reconfigure();
        }
        if (random_.chance(70)) {
            world_.advance(random_.between(0, 3'000));
        } else {
            for (std::int64_t i = random_.between(0, 12); i > 0; --i) {
                world_.deliver_one();
            }
        }
    }

    /// Any of the queues may be gone, or all; limits are others, and nodes keep something back.
    void reconfigure() {
        config::Schema schema = schema_of(random_.chance(85));
        std::erase_if(schema.queues, [&](const auto&) { return random_.chance(20); });
        if (schema.queues.empty()) {
            schema.placement.clear();
        }
        for (config::Queue& queue : schema.queues) {
            if (random_.chance(30)) {
                queue.limit = {{"cpu", 1'000 * random_.between(1, 20)}};
            }
            if (random_.chance(20)) {
                queue.user_limit = {{"cpu", 1'000 * random_.between(1, 20)}};
            }
            if (random_.chance(15)) {
                queue.state = config::QueueState::stopped;
            }
            queue.order = random_.chance(50) ? config::QueueOrder::fifo
                                             : config::QueueOrder::priority;
        }
        schema.nodes.headroom_cpu_milli = random_.chance(20) ? 500 : 0;
        world_.reconfigure(std::move(schema));
    }

    void submit() {
        App app;
        app.executors = random_.between(1, largest_gang);
        app.by_set = random_.chance(25);
        if (!app.by_set && random_.chance(30)) {
            app.cpu_milli = 500 * random_.between(1, 4);
        }
        core::Pod driver = tests::driver("app-" + std::to_string(++names_));
        driver.created = 1'000 + random_.between(0, 3) + names_;
        if (has_queues_) {
            const std::vector<std::string> queues = {"a", "b", "deep.c", "default"};
            driver.annotations = {
                {"gang-scheduler/queue", queues[static_cast<std::size_t>(random_.between(0, 3))]}};
            driver.priority = static_cast<std::int32_t>(random_.between(0, 2));
        }
        auto conf = tests::conf(app.executors);
        if (random_.chance(20)) {
            conf = tests::with(conf, "spark.dynamicAllocation.enabled", "true");
            conf = tests::with(
                conf,
                "spark.dynamicAllocation.maxExecutors",
                std::to_string(app.executors + random_.between(0, 2)));
        }
        apps_[world_.submit(driver, conf)] = app;
    }

    /// Spark and the kubelets: drivers run, executors are made up to their number, work gets done.
    void live() {
        sweep_lost_nodes();
        for (auto& [uid, app] : apps_) {
            if (app.finished || !world_.is_bound(uid)) {
                continue;
            }
            if (world_.pod(uid).phase == core::PodPhase::pending) {
                world_.set_phase(uid, core::PodPhase::running);
            }
            auto executors = world_.executors_of(uid);
            const auto there = static_cast<std::int64_t>(executors.size());
            if (there < app.executors) {
                const auto missing = static_cast<int>(app.executors - there);
                if (app.by_set) {
                    world_.create_set_executors(uid, missing);
                }
                for (int i = app.by_set ? missing : 0; i < missing; ++i) {
                    create_executor(uid, app.cpu_milli);
                }
                continue;
            }
            // Gangs whose executors are larger than predicted may wait for each other's room; Spark
            // works with the executors that it has.
            const auto bound = world_.bound_count(executors);
            app.patience -= bound > 0 ? 1 : 0;
            app.runs += bound >= app.executors || app.patience < 0 ? 1 : 0;
            if (app.runs >= 2) {
                finish(uid, app);
            }
        }
    }

    std::string create_executor(const std::string& driver, std::int64_t cpu_milli) {
        core::Pod pod = tests::executor("exec-" + std::to_string(++names_), world_.pod(driver));
        pod.requests.cpu_milli = cpu_milli;
        return world_.create(pod);
    }

    /// Executors fail as fast as they are started.
    void storm() {
        const std::string uid = any_app();
        for (int i = 0; i < 15 && !uid.empty() && world_.has_pod(uid); ++i) {
            const auto executor = create_executor(uid, apps_.at(uid).cpu_milli);
            world_.advance(random_.between(0, 300));
            if (world_.has_pod(executor) && world_.is_bound(executor)) {
                world_.set_phase(executor, core::PodPhase::failed);
            } else {
                world_.remove_pod(executor);
            }
        }
    }

    /// A webhook gives one to another scheduler, which binds it anywhere.
    void executor_elsewhere() {
        const std::string uid = any_app();
        const std::string node = "n" + std::to_string(random_.between(0, 4));
        if (uid.empty() || !world_.nodes().contains(node)) {
            return;
        }
        core::Pod pod = tests::executor("stray-" + std::to_string(++names_), world_.pod(uid));
        pod.scheduler_name = "default-scheduler";
        pod.node_name = node;
        other_pods_.push_back(world_.create(pod));
        other_pods_came_ = true;
        ++apps_.at(uid).elsewhere;
    }

    void finish(const std::string& uid, App& app) {
        app.finished = true;
        world_.set_phase(uid, core::PodPhase::succeeded);
        for (const auto& executor : world_.executors_of(uid)) {
            world_.remove_pod(executor);
        }
    }

    std::string any_app() {
        std::vector<std::string> live;
        for (const auto& [uid, app] : apps_) {
            if (!app.finished && world_.is_bound(uid)) {
                live.push_back(uid);
            }
        }
        return live.empty() ? ""
                            : live[static_cast<std::size_t>(
                                  random_.between(0, static_cast<std::int64_t>(live.size()) - 1))];
    }

    void lose_executor() {
        const std::string uid = any_app();
        const auto executors = uid.empty() ? std::vector<std::string>{} : world_.executors_of(uid);
        if (executors.empty()) {
            return;
        }
        const std::string& lost = executors.front();
        switch (random_.between(0, 2)) {
            case 0:
                world_.remove_pod(lost);
                break;
            case 1:
                world_.set_phase(lost, core::PodPhase::failed);
                break;
            default:
                world_.change_pod(lost, [](core::Pod& pod) { pod.deleting = true; });
                terminating_.push_back(lost);
                break;
        }
    }

    void kill_driver() {
        if (apps_.empty() || !random_.chance(50)) {
            return;
        }
        auto it = apps_.begin();
        std::advance(it, random_.between(0, static_cast<std::int64_t>(apps_.size()) - 1));
        world_.remove_application(it->first);
        apps_.erase(it);
    }

    void change_a_node() {
        const std::string name = "n" + std::to_string(random_.between(0, 4));
        if (!world_.nodes().contains(name)) {
            world_.add_node(tests::node(name, random_.between(2, 8), 64 * 1024));
            return;
        }
        switch (random_.between(0, 2)) {
            case 0:
                remove_node(name);
                break;
            case 1:
                world_.change_node(name, [](core::Node& node) { node.ready = !node.ready; });
                break;
            default:
                world_.change_node(
                    name, [](core::Node& node) { node.unschedulable = !node.unschedulable; });
                break;
        }
    }

    /// The node goes; its pods are removed as the node controller does it. Drivers on it are lost.
    void remove_node(const std::string& name) {
        world_.remove_node(name);
        sweep_lost_nodes();
    }

    void sweep_lost_nodes() {
        std::vector<std::string> on_it;
        for (const auto& [uid, pod] : world_.pods()) {
            if (!pod.node_name.empty() && !world_.nodes().contains(pod.node_name)) {
                on_it.push_back(uid);
            }
        }
        for (const auto& uid : on_it) {
            if (apps_.erase(uid) > 0) {
                world_.remove_application(uid);
            } else if (world_.has_pod(uid)) {
                world_.remove_pod(uid);
            }
        }
    }

    /// Binds itself anywhere, as other schedulers do; gone again after a while.
    void foreign_pod() {
        if (!other_pods_.empty() && random_.chance(50)) {
            world_.remove_pod(other_pods_.back());
            other_pods_.pop_back();
            return;
        }
        const std::string name = "n" + std::to_string(random_.between(0, 4));
        if (!world_.nodes().contains(name)) {
            return;
        }
        core::Pod pod = tests::pod("foreign", random_.between(100, 2'000), 100);
        pod.scheduler_name = "default-scheduler";
        pod.node_name = name;
        other_pods_.push_back(world_.create(pod));
        other_pods_came_ = true;
    }

    void surplus_executor() {
        const std::string uid = any_app();
        if (uid.empty()) {
            return;
        }
        core::Pod pod = tests::executor("more-" + std::to_string(++names_), world_.pod(uid));
        pod.requests.cpu_milli = apps_.at(uid).cpu_milli;
        if (random_.chance(50)) {
            pod.labels[1].second = "1";  // of another resource profile
            pod.requests.cpu_milli = random_.between(1, 4) * 500;
        }
        world_.create(pod);
    }

    /// In the place of one of the declared ones, with a sidecar that nobody declared.
    void large_executor() {
        const std::string uid = any_app();
        const bool is_short =
            !uid.empty() && !apps_.at(uid).by_set &&
            static_cast<std::int64_t>(world_.executors_of(uid).size()) < apps_.at(uid).executors;
        if (is_short) {
            core::Pod pod = tests::executor("large-" + std::to_string(++names_), world_.pod(uid));
            pod.requests.cpu_milli = 1'500;
            world_.create(pod);
        }
    }

    /// A tenant who forges what his driver carries; only a leader that has it in its ledger mends
    /// it.
    void edit_reservation() {
        const std::string uid = any_app();
        if (uid.empty() || following_ || !world_.queues_empty() || world_.hold_watch ||
            world_.late_watch || world_.fail_status_writes || world_.hold_status_answers ||
            !edited_.insert(uid).second) {
            return;  // it would stay for long
        }
        world_.relist();
        world_.advance(31'000);  // whatever was to be written is
        world_.change_pod(uid, [this](core::Pod& pod) {
            pod.annotations = {
                {"gang-scheduler/reservation",
                 random_.chance(50) ? "garbage" : "v1 generation=9 epoch=1 anchor=" + pod.uid}};
        });
        world_.advance(31'000);  // a pause after a write that failed may still run
        check_count(uid, apps_.at(uid));
    }

    void fail_binds() {
        const auto outcome = random_.chance(50) ? BindOutcome::not_sent : BindOutcome::refused;
        auto left = random_.between(1, 4);
        world_.on_bind = [left,
                          outcome](const gang::BindPod&) mutable -> std::optional<BindOutcome> {
            return left-- > 0 ? std::optional(outcome) : std::nullopt;
        };
    }

    void withhold() {
        world_.hold_bind_answers = !world_.hold_bind_answers;
        world_.late_watch = !world_.late_watch;
        if (!world_.hold_bind_answers) {
            world_.release_answers();
        }
    }

    void withhold_status_answers() {
        if (world_.hold_status_answers) {
            world_.release_answers();
        } else {
            world_.hold_status_answers = true;
        }
    }

    /// Follows for a while; whoever leads meanwhile does nothing.
    void change_lead() {
        following_ ? world_.lead() : world_.lose_lead();
        following_ = !following_;
    }

    void flap_leadership() {
        following_ = false;
        world_.lose_lead();
        world_.lead();
    }

    void calm_down() {
        world_.on_bind = nullptr;
        world_.late_watch = false;
        world_.fail_status_writes = false;
        world_.lose_status_answers = false;
        world_.hold_conf_answers = false;
        world_.hold_watch = false;
        world_.release_answers();
        if (following_) {
            change_lead();
        }
        for (const auto& uid : terminating_) {
            world_.remove_pod(uid);
        }
        for (const auto& uid : other_pods_) {
            world_.remove_pod(uid);
        }
        if (has_queues_) {
            world_.reconfigure(schema_of(true));
        }
        // All nodes are back: two gangs that each lost a node could wait for each other for ever.
        for (int i = 0; i < 5; ++i) {
            world_.add_node(tests::node("n" + std::to_string(i), 8, 64 * 1024));
        }
        world_.advance(60'000);
    }

    bool all_finished() const {
        return std::all_of(
            apps_.begin(), apps_.end(), [](const auto& entry) { return entry.second.finished; });
    }

    void check() {
        // A pod of another scheduler may land where our bind is on its way; only then may a node be
        // overcommitted, and not by us.
        if (!other_pods_came_) {
            CHECK(joined(world_.violations) == "");
        }
        for (const auto& violation : world_.violations) {
            CHECK(violation.find("whole gang") == std::string::npos);
        }
        check_slots();
        check_totals();
    }

    /// What is counted as it happens is what is found when everything is added up.
    void check_totals() {
        const gang::Totals now = world_.scheduler->totals(world_.now_ms);
        const gang::Totals later = world_.scheduler->totals(world_.now_ms + 1'000);
        CHECK(later.idle_milli_ms - now.idle_milli_ms == 1'000 * now.open_cpu_milli);
        CHECK(now.idle_milli_ms >= idle_milli_ms_);
        idle_milli_ms_ = now.idle_milli_ms;
        gang::Totals nothing;
        nothing.idle_milli_ms = now.idle_milli_ms;
        if (now == nothing) {
            return;  // another leads
        }
        gang::Totals seen;
        for (const auto& view : world_.scheduler->gangs()) {
            ++seen.gangs[static_cast<std::size_t>(view.state)];
            seen.slots_open += view.slots_open;
            seen.slots_assumed += view.slots_assumed;
            seen.slots_bound += view.slots_bound;
        }
        CHECK(now.gangs == seen.gangs);
        CHECK(now.slots_open == seen.slots_open);
        CHECK(now.slots_assumed == seen.slots_assumed);
        CHECK(now.slots_bound == seen.slots_bound);
    }

    /// Slots in sum are never more than declared, and in the annotation all of them are there.
    void check_slots() {
        if (!other_pods_came_ && world_.queues_empty() && !world_.hold_bind_answers &&
            !world_.hold_watch) {
            check_room();
        }
        for (const auto& view : world_.scheduler->gangs()) {
            CHECK(view.slots_open + view.slots_assumed + view.slots_bound <= view.executors);
            if (view.state == gang::GangState::waiting || view.state == gang::GangState::ended) {
                CHECK(view.slots_open + view.slots_assumed + view.slots_bound == 0);
            }
        }
        for (const auto& [uid, app] : apps_) {
            if (world_.is_bound(uid) && world_.reservation(uid)) {
                check_count(uid, app);
            }
        }
    }

    void check_count(const std::string& uid, const App& app) {
        const auto held = gang::slot_count(*world_.reservation(uid));
        CHECK(held <= app.executors);
        CHECK(held >= app.executors - app.elsewhere);
    }

    /// Pods that are there and slots that wait for theirs fit their nodes together.
    void check_room() {
        std::map<std::string, std::int64_t> used;
        std::map<std::pair<std::string, std::string>, std::int64_t> assigned;
        for (const auto& [uid, pod] : world_.pods()) {
            if (pod.node_name.empty() || core::is_terminal(pod)) {
                continue;
            }
            used[pod.node_name] += pod.requests.cpu_milli;
            const std::string* slot = core::find_value(pod.annotations, "gang-scheduler/slot");
            if (slot != nullptr && *slot != gang::surplus_slot) {
                ++assigned[{slot->substr(0, slot->find('/')), pod.node_name}];
            }
        }
        for (const auto& [uid, app] : apps_) {
            const auto answer = world_.scheduler->explain(uid);
            for (const auto& [node, slots] : answer->slots_per_node) {
                used[node] += std::max<std::int64_t>(0, slots - assigned[{uid, node}]) *
                              answer->executor.cpu_milli;
            }
        }
        for (const auto& [name, node] : world_.nodes()) {
            CAPTURE(name);
            CHECK(used[name] <= node.allocatable.cpu_milli);
        }
    }

    /// When all have ended, a gang as large as the whole rock fits on it, so no room was lost.
    void check_nothing_is_left() {
        for (const auto& [uid, app] : apps_) {
            world_.remove_application(uid);
        }
        std::vector<std::string> rest;
        for (const auto& [uid, pod] : world_.pods()) {
            rest.push_back(uid);
        }
        for (const auto& uid : rest) {
            world_.remove_pod(uid);
        }
        world_.advance(1'000);
        CHECK(world_.scheduler->gangs().empty());
        const auto probe = world_.submit("probe", largest_gang, 1);
        core::Node rock = world_.nodes().at("rock");
        world_.settle();
        CHECK(world_.is_bound(probe));
        world_.advance(600'000);
        world_.remove_application(probe);
        core::Pod whole = tests::pod("whole", rock.allocatable.cpu_milli, 1);
        whole.constraints.edit().node_selector = {{"rock", "yes"}};
        world_.change_node("rock", [](core::Node& node) { node.labels = {{"rock", "yes"}}; });
        const auto last = world_.create(whole);
        world_.advance(1'000);
        CHECK(world_.is_bound(last));
    }

    /// The last scheduler's life, folded anew from its recording, is the same life.
    void check_replay() const {
        gang::Replay replay;
        for (std::size_t begin = 0; begin < recording_.size();) {
            const std::size_t end = recording_.find('\n', begin);
            const auto fed = replay.feed(std::string_view(recording_).substr(begin, end - begin));
            REQUIRE_MESSAGE(fed.has_value(), (fed ? "" : fed.error().message));
            begin = end + 1;
        }
        CHECK(replay.counts().states > 0);
        CHECK_MESSAGE(
            !replay.difference(),
            (replay.difference() ? replay.difference()->what : std::string()));
    }

    static std::string joined(const std::vector<std::string>& texts) {
        std::string all;
        for (const std::string& text : texts) {
            all += text + "; ";
        }
        return all;
    }

    /// What still waits, for the message of a failure.
    std::string unfinished() const {
        std::string all;
        for (const auto& [uid, app] : apps_) {
            if (app.finished) {
                continue;
            }
            const auto view = world_.view(uid);
            all += uid + " " + std::string(gang::to_string(view.state)) + " open " +
                   std::to_string(view.slots_open) + " claimed " +
                   std::to_string(view.slots_assumed) + " bound " +
                   std::to_string(view.slots_bound) + "/" + std::to_string(app.executors) + ": " +
                   view.message + "\n";
            for (const auto& executor : world_.executors_of(uid)) {
                all += "    " + executor + " '" + world_.node_of(executor) + "' " +
                       world_.condition(executor) + "\n";
            }
        }
        return all;
    }

    Random random_;
    bool has_queues_;
    World world_;
    std::string recording_;
    std::map<std::string, App> apps_;
    std::vector<std::string> other_pods_;
    std::vector<std::string> terminating_;
    std::set<std::string> edited_;
    std::int64_t idle_milli_ms_ = 0;
    bool other_pods_came_ = false;
    bool following_ = false;
    int names_ = 0;
};

}  // namespace

TEST_CASE("S20: random worlds: invariants hold, everybody finishes, and no room is lost") {
    const std::uint64_t first = tests::first_seed();
    const char* more = std::getenv("GANG_WORLDS");
    const std::uint64_t worlds = more != nullptr ? std::strtoull(more, nullptr, 10) : 300;
    for (std::uint64_t seed = first; seed < first + worlds; ++seed) {
        CAPTURE(seed);
        INFO("GANG_SEED=" << seed << " GANG_WORLDS=1 repeats this world");
        Life(seed).run();
    }
}

TEST_CASE("random worlds under queues: as above, and what queues hold is counted from scratch") {
    const std::uint64_t first = tests::first_seed();
    const char* more = std::getenv("GANG_WORLDS");
    const std::uint64_t worlds = more != nullptr ? std::strtoull(more, nullptr, 10) : 150;
    for (std::uint64_t seed = first; seed < first + worlds; ++seed) {
        CAPTURE(seed);
        INFO("GANG_SEED=" << seed << " GANG_WORLDS=1 repeats this world");
        Life(seed, true).run();
    }
}
