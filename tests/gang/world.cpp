// The truth, the process and time.

#include "tests/gang/world.hpp"

namespace tests {

World::World(config::Schema schema) : schema_(std::move(schema)) {
    restart();
}

World::~World() = default;
World::World(World&&) = default;

config::Schema World::sealed_schema() {
    config::Schema schema;
    schema.seal_key_file = "key";
    return schema;
}

void World::add_node(core::Node node) {
    node.resource_version = next_version();
    nodes_[node.name] = node;
    node_stream_.emplace_back(gang::NodeUpserted{node});
}

void World::add_small_cluster() {
    for (const char* name : {"n1", "n2", "n3"}) {
        add_node(node(name, 4, 16 * 1024));
    }
}

void World::add_zones(std::int64_t cpu) {
    add_node(node_in_zone("a1", "a", cpu));
    add_node(node_in_zone("a2", "a", cpu));
    add_node(node_in_zone("b1", "b", cpu));
}

void World::change_node(const std::string& name, const std::function<void(core::Node&)>& change) {
    core::Node node = nodes_.at(name);
    change(node);
    add_node(node);
}

void World::remove_node(const std::string& name) {
    nodes_.erase(name);
    node_stream_.emplace_back(gang::NodeDeleted{name});
}

std::string World::create(core::Pod pod) {
    if (pod.uid.empty()) {
        char text[24];
        std::snprintf(text, sizeof text, "uid-%05d", ++uids_);
        pod.uid = text;
    }
    const std::string uid = pod.uid;
    pods_[uid] = std::move(pod);
    touch(uid);
    return uid;
}

std::string World::submit(core::Pod driver, gang::spark::Conf conf) {
    const std::string uid = create(std::move(driver));
    confs[uid].conf = std::move(conf);
    return uid;
}

std::string World::submit(const std::string& name, std::int64_t executors, std::int64_t created) {
    core::Pod pod = driver(name);
    pod.created = created;
    return submit(std::move(pod), conf(executors));
}

void World::change_pod(const std::string& uid, const std::function<void(core::Pod&)>& change) {
    change(pods_.at(uid));
    touch(uid);
}

void World::set_phase(const std::string& uid, core::PodPhase phase) {
    change_pod(uid, [phase](core::Pod& pod) { pod.phase = phase; });
}

void World::remove_pod(const std::string& uid) {
    if (pods_.erase(uid) > 0) {
        pod_stream_.emplace_back(gang::PodDeleted{uid});
    }
}

std::string World::condition(const std::string& uid) const {
    const auto& scheduled = pods_.at(uid).scheduled;
    return scheduled ? scheduled->message : "";
}

std::int64_t World::bound_count(const std::vector<std::string>& uids) const {
    return std::count_if(
        uids.begin(), uids.end(), [this](const auto& uid) { return is_bound(uid); });
}

std::vector<std::string> World::executors_of(const std::string& driver_uid) const {
    std::vector<std::string> found;
    for (const auto& [uid, pod] : pods_) {
        const core::OwnerReference* owner = core::find_controller(pod);
        const bool is_its =
            owner != nullptr && (owner->uid == driver_uid || owner->uid == set_of(driver_uid));
        if (is_its && !core::is_terminal(pod)) {
            found.push_back(uid);
        }
    }
    return found;
}

std::vector<std::string> World::create_executors(const std::string& driver_uid, int count) {
    std::vector<std::string> made;
    for (int i = 0; i < count; ++i) {
        const core::Pod& owner = pods_.at(driver_uid);
        made.push_back(
            create(executor(owner.name + "-exec-" + std::to_string(++executors_), owner)));
    }
    return made;
}

std::vector<std::string> World::create_set_executors(const std::string& driver_uid, int count) {
    std::vector<std::string> made;
    for (int i = 0; i < count; ++i) {
        const core::Pod& owner = pods_.at(driver_uid);
        const std::string set =
            "spark-s-" + *core::find_value(owner.labels, "spark-app-selector") + "-0";
        core::Pod pod = executor(set + "-" + std::to_string(++executors_), owner);
        pod.owners = {{"StatefulSet", set, set_of(driver_uid), true}};
        made.push_back(create(std::move(pod)));
    }
    return made;
}

void World::remove_application(const std::string& driver_uid) {
    for (const std::string& uid : executors_of(driver_uid)) {
        remove_pod(uid);
    }
    remove_pod(driver_uid);
}

void World::end_deleted() {
    std::vector<std::string> ended;
    for (const auto& [uid, pod] : pods_) {
        if (pod.deleting) {
            ended.push_back(uid);
        }
    }
    for (const std::string& uid : ended) {
        if (pods_.contains(uid)) {
            remove_application(uid);
        }
    }
}

std::optional<gang::Reservation> World::reservation(const std::string& driver_uid) const {
    const std::string* text = core::find_value(
        pods_.at(driver_uid).annotations, std::string(gang::reservation_annotation));
    if (text == nullptr) {
        return std::nullopt;
    }
    auto read = gang::decode_reservation(*text, 1'000'000);
    REQUIRE(read);
    return *read;
}

void World::restart(bool leads) {
    scheduler.emplace(schema_);
    leads_ = false;
    sequence_ = 0;
    lines_ = gang::Recording();
    if (recording != nullptr) {
        *recording = lines_.begin("test", schema_);
    }
    seen_nodes_.clear();
    seen_pods_.clear();
    node_stream_.clear();
    pod_stream_.clear();
    answers_.clear();
    held_.clear();
    edge_versions_.clear();
    late_.clear();
    wake_ms_.reset();
    relist();
    if (leads) {
        lead();
    }
}

void World::reconfigure(config::Schema schema) {
    schema_ = std::move(schema);
    answers_.emplace_back(gang::ConfigChanged{schema_});
}

void World::relist(const std::vector<std::string>& vanished) {
    node_stream_.emplace_back(gang::RelistBegun{gang::Kind::nodes});
    for (const auto& [name, node] : nodes_) {
        node_stream_.emplace_back(gang::NodeUpserted{node});
    }
    node_stream_.emplace_back(gang::RelistEnded{gang::Kind::nodes});
    pod_stream_.emplace_back(gang::RelistBegun{gang::Kind::pods});
    for (const auto& [uid, pod] : pods_) {
        pod_stream_.emplace_back(gang::PodUpserted{pod});
    }
    for (const std::string& uid : vanished) {
        pod_stream_.emplace_back(gang::PodDeleted{uid});
    }
    pod_stream_.emplace_back(gang::RelistEnded{gang::Kind::pods});
}

void World::settle() {
    for (int rounds = 0; rounds < 100'000; ++rounds) {
        if (deliver_one()) {
            continue;
        }
        const std::size_t before = decisions_made_;
        wake_ms_.reset();
        step(gang::Tick{});
        if (decisions_made_ == before && !(wake_ms_ && *wake_ms_ <= now_ms) && queues_empty()) {
            check_accounts();
            return;
        }
    }
    FAIL("the scheduler does not come to rest");
}

void World::check_accounts() const {
    for (const core::Account& account : scheduler->accounts()) {
        if (account.adds_up()) {
            continue;
        }
        FAIL_CHECK(
            account.what << ": " << account.held << " held, " << account.owned << " owned");
    }
}

void World::advance(std::int64_t ms) {
    const std::int64_t until_ms = now_ms + ms;
    settle();
    while (wake_ms_ && *wake_ms_ <= until_ms) {
        ++wakes;
        now_ms = std::max(now_ms, *wake_ms_);
        settle();
    }
    now_ms = until_ms;
    settle();
}

bool World::deliver_one() {
    if (!late_watch) {
        for (const std::string& uid : std::exchange(late_, {})) {
            if (pods_.contains(uid)) {
                pod_stream_.emplace_back(gang::PodUpserted{pods_.at(uid)});
            }
        }
    }
    std::vector<std::deque<gang::Event>*> streams;
    for (auto* stream : {&node_stream_, &pod_stream_, &answers_}) {
        if (!stream->empty() && !(hold_watch && stream == &pod_stream_)) {
            streams.push_back(stream);
        }
    }
    if (streams.empty()) {
        return false;
    }
    std::size_t chosen = 0;
    if (chaos != nullptr) {
        chosen = static_cast<std::size_t>(
            chaos->between(0, static_cast<std::int64_t>(streams.size()) - 1));
    }
    const gang::Event event = streams[chosen]->front();
    streams[chosen]->pop_front();
    step(event);
    if (chaos != nullptr && chaos->chance(10)) {
        step(event);  // a duplicate
    }
    if (chaos != nullptr && chaos->chance(10)) {
        step(gang::Tick{});
    }
    return true;
}

void World::step(const gang::Event& event) {
    if (const auto* node = std::get_if<gang::NodeUpserted>(&event)) {
        seen_nodes_[node->node.name] = node->node;
    } else if (const auto* gone = std::get_if<gang::NodeDeleted>(&event)) {
        seen_nodes_.erase(gone->name);
    } else if (const auto* pod = std::get_if<gang::PodUpserted>(&event)) {
        seen_pods_[pod->pod.uid] = pod->pod;
    } else if (std::holds_alternative<gang::LeadershipGained>(event)) {
        leads_ = true;
    } else if (std::holds_alternative<gang::LeadershipLost>(event)) {
        leads_ = false;
    }
    if (on_event) {
        on_event(event);
    }
    const gang::StampedEvent stamped{++sequence_, now_ms, event};
    const gang::Decisions view = scheduler->step(stamped);
    if (recording != nullptr) {
        *recording += lines_.before(stamped) + lines_.after(stamped, view, *scheduler);
    }
    const std::vector<gang::Decision> decisions(view.begin(), view.end());
    most_binds_in_a_step = std::max(
        most_binds_in_a_step,
        static_cast<std::size_t>(std::count_if(
            decisions.begin(), decisions.end(), [](const gang::Decision& decision) {
                return std::holds_alternative<gang::BindPod>(decision);
            })));
    for (const gang::Decision& decision : decisions) {
        if (on_decision) {
            on_decision(decision);
        }
        std::visit([this](const auto& chosen) { carry_out(chosen); }, decision);
    }
}

bool World::queues_empty() const {
    return node_stream_.empty() && (hold_watch || pod_stream_.empty()) && answers_.empty();
}

bool World::take_due_wake() {
    const bool due = wake_ms_ && *wake_ms_ <= now_ms;
    wake_ms_.reset();
    return due;
}

gang::BindOutcome World::arrive(const gang::BindPod& request) {
    const auto chained = std::exchange(edge_versions_, {});
    const gang::BindOutcome outcome = bind(request);
    edge_versions_ = chained;
    return outcome;
}

gang::WriteOutcome World::arrive(const gang::UpdateReservation& request) {
    const auto chained = std::exchange(edge_versions_, {});
    const gang::WriteOutcome outcome = write(request);
    edge_versions_ = chained;
    return outcome;
}

void World::release_answers() {
    hold_bind_answers = false;
    hold_status_answers = false;
    answers_.insert(answers_.end(), held_.begin(), held_.end());
    held_.clear();
}

gang::GangView World::view(const std::string& driver_uid) const {
    for (const gang::GangView& view : scheduler->gangs()) {
        if (view.driver_uid == driver_uid) {
            return view;
        }
    }
    FAIL("no such gang");
    return {};
}

void World::touch(const std::string& uid) {
    pods_.at(uid).resource_version = next_version();
    pod_stream_.emplace_back(gang::PodUpserted{pods_.at(uid)});
}

}  // namespace tests
