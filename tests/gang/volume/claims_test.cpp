// Pods that mount persistent volume claims, through the whole scheduler: lone pods, drivers and
// executors.
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using core::Claim;
using core::ClaimState;
using core::VolumeRule;
using tests::World;

namespace {

core::Node in_zone(const std::string& name, const std::string& zone) {
    core::Node node = tests::node(name, 8, 64 * 1024);
    node.labels = {{"zone", zone}};
    return node;
}

core::Pod mounting(const std::string& name, const std::string& claim, bool is_ephemeral = false) {
    core::Pod pod = tests::pod(name, 1000, 1024);
    pod.namespace_name = "ns";
    pod.claims = std::vector<core::ClaimUse>{{claim, is_ephemeral}};
    return pod;
}

core::VolumeNodes only_in(const std::string& zone, VolumeRule rule = VolumeRule::affinity) {
    return {rule, {{{{"zone", core::SelectorOperator::in, {zone}}}, {}}}};
}

Claim bound_in(const std::string& zone) {
    Claim claim;
    claim.state = ClaimState::bound;
    claim.nodes = {only_in(zone)};
    return claim;
}

Claim waiting() {
    Claim claim;
    claim.state = ClaimState::consumer;
    claim.storage_class = "fast";
    return claim;
}

std::string volume_key(const std::string& what) {
    return "spark.kubernetes.executor.volumes.persistentVolumeClaim.data." + what;
}

void add_zones(World& world) {
    world.add_node(in_zone("a1", "a"));
    world.add_node(in_zone("b1", "b"));
}

bool told(const World& world, const std::string& uid, const std::string& part) {
    return world.condition(uid).find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("claims: PRED-12: a pod goes where its volume is") {
    World world;
    add_zones(world);
    world.claims["ns/c"] = bound_in("b");
    const auto pod = world.create(mounting("p", "c"));
    world.settle();
    for (const gang::SetCondition& condition : world.conditions) {
        CHECK(condition.fence);  // that a claim is being read is not worth a write
    }
    CHECK(world.node_of(pod) == "b1");
    CHECK(world.claim_fetches.size() == 1);
    CHECK(world.binds.back().claims.empty());
    world.remove_pod(pod);
    world.settle();
    CHECK(world.scheduler->remembered() == 0);
}

TEST_CASE("claims: PRED-12: a claim that is not there is named, and its pod starts when it comes") {
    World world;
    add_zones(world);
    const auto pod = world.create(mounting("p", "c"));
    const auto other = world.create(tests::pod("q", 1000, 1024));
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(pod));
    CHECK(told(world, pod, "persistentvolumeclaim \"c\" not found"));
    CHECK(told(world, pod, "[WaitingForVolumes]"));
    CHECK(world.is_bound(other));  // it holds up nobody
    world.claims["ns/c"] = bound_in("a");
    world.advance(31'000);
    CHECK(world.node_of(pod) == "a1");
}

TEST_CASE("claims: an answer that fails, to a question of somebody else, forgets nothing") {
    World world;
    world.claims["ns/data"] = bound_in("a");
    const auto pod = world.create(mounting("p", "data"));
    world.settle();
    world.step(gang::ClaimMissing{"ns", "data", gang::ClaimProblem::failed, "reset"});
    world.settle();
    add_zones(world);
    world.settle();
    CHECK(world.node_of(pod) == "a1");
}

TEST_CASE("claims: what keeps a pod waiting, in kube-scheduler's words") {
    World world;
    add_zones(world);
    const auto wait_for = [&](const Claim& claim) {
        world.claims["ns/c"] = claim;
        const auto pod = world.create(mounting("p", "c"));
        world.advance(1'000);
        CHECK_FALSE(world.is_bound(pod));
        std::string text = world.condition(pod);
        world.remove_pod(pod);
        world.settle();
        return text;
    };
    const auto has = [](const std::string& text, const std::string& part) {
        return text.find(part) != std::string::npos;
    };
    Claim claim;
    CHECK(has(wait_for(claim), "pod has unbound immediate PersistentVolumeClaims"));
    claim = bound_in("a");
    claim.is_deleting = true;
    CHECK(has(wait_for(claim), "persistentvolumeclaim \"c\" is being deleted"));
    claim = bound_in("a");
    claim.state = ClaimState::lost;
    claim.volume = "v";
    CHECK(
        has(wait_for(claim),
            "persistentvolumeclaim \"c\" bound to non-existent persistentvolume \"v\""));
    claim = waiting();
    claim.problem = "storageclass.storage.k8s.io \"fast\" not found";
    CHECK(has(wait_for(claim), "storageclass.storage.k8s.io \"fast\" not found"));
    claim = bound_in("nowhere");
    CHECK(has(wait_for(claim), "out of reach of its volume"));
    world.claims.clear();
    world.claim_problem = gang::ClaimProblem::forbidden;
    const auto pod = world.create(mounting("p", "c"));
    world.advance(1'000);
    CHECK(told(world, pod, "grant the scheduler get on persistentvolumeclaims"));
    CHECK(told(world, pod, "[Misconfigured]"));
}

TEST_CASE("claims: in kube-scheduler's words, if its profile has them, there is no code") {
    config::Schema schema = World::sealed_schema();
    config::Profile& profile = schema.profiles.emplace_back();
    profile.scheduler_name = "like-kube";
    profile.messages = config::Messages::kube_scheduler;
    World world(schema);
    add_zones(world);
    core::Pod pod = mounting("p", "c");
    pod.scheduler_name = "like-kube";
    const auto uid = world.create(pod);
    world.advance(3'000);
    CHECK(
        world.condition(uid) ==
        "0/2 nodes are available: persistentvolumeclaim \"c\" not found.");
}

TEST_CASE("claims: an ephemeral volume's claim must be the pod's own") {
    World world;
    add_zones(world);
    const auto pod = world.create(mounting("p", "p-scratch", true));
    world.advance(2'000);
    CHECK(told(
        world,
        pod,
        "waiting for ephemeral volume controller to create the persistentvolumeclaim "
        "\"p-scratch\""));
    world.claims["ns/p-scratch"] = waiting();
    world.advance(31'000);
    CHECK_FALSE(world.is_bound(pod));
    CHECK(told(
        world, pod, "PVC \"ns/p-scratch\" was not created for pod \"ns/p\" (pod is not owner)"));
    world.remove_pod(pod);
    world.settle();
    const auto next = world.create(mounting("p", "p-scratch", true));
    world.claims["ns/p-scratch"].owner_uid = next;
    world.settle();
    CHECK(world.is_bound(next));
    CHECK(world.binds.back().claims == std::vector<std::string>{"p-scratch"});
}

TEST_CASE("claims: a volume is made for the node that was chosen") {
    World world;
    add_zones(world);
    Claim claim = waiting();
    claim.nodes = {only_in("b", VolumeRule::unreachable)};
    world.claims["ns/c"] = claim;
    const auto pod = world.create(mounting("p", "c"));
    world.settle();
    CHECK(world.node_of(pod) == "b1");
    CHECK(world.binds.back().claims == std::vector<std::string>{"c"});
}

TEST_CASE("claims: where no volume can be made the pod is tried again, and its claim read anew") {
    World world;
    add_zones(world);
    world.claims["ns/c"] = waiting();
    world.no_volume = "persistentvolumeclaim \"c\": no volume could be made for node a1";
    const auto pod = world.create(mounting("p", "c"));
    world.settle();
    CHECK_FALSE(world.is_bound(pod));
    CHECK(world.claim_fetches.size() == 2);
    world.no_volume.clear();
    world.claims["ns/c"] = bound_in("b");  // somebody else has used it meanwhile
    world.advance(60'000);
    CHECK(world.node_of(pod) == "b1");
    CHECK(world.violations.empty());
}

TEST_CASE("claims: ReadWriteOncePod: of two that may pass others in the same tick one does") {
    config::Schema schema = World::sealed_schema();
    schema.backfill.mode = config::BackfillMode::easy;
    World world(schema);
    world.add_node(in_zone("a1", "a"));
    Claim claim = bound_in("a");
    claim.one_pod = true;
    world.claims["ns/c"] = claim;
    core::Pod runs = tests::pod("runs", 4'000, 1024);
    runs.annotations = {{"gang-scheduler/expected-duration", "60m"}};
    world.create(runs);
    world.settle();
    core::Pod head = tests::pod("head", 8'000, 1024);
    head.created = 1;
    const auto waiting = world.create(head);
    world.settle();
    REQUIRE_FALSE(world.is_bound(waiting));
    std::vector<std::string> pods;
    for (const char* name : {"p1", "p2"}) {
        core::Pod pod = mounting(name, "c");
        pod.created = 2;
        pod.annotations = {{"gang-scheduler/expected-duration", "5m"}};
        pods.push_back(world.create(pod));
    }
    world.advance(1'000);
    CHECK(world.bound_count(pods) == 1);
    CHECK(world.scheduler->counters().backfilled == 1);
    world.advance(5'000);
    CHECK(world.bound_count(pods) == 1);
}

TEST_CASE("claims: ReadWriteOncePod: one pod at a time, whoever scheduled it") {
    World world;
    add_zones(world);
    Claim claim = bound_in("a");
    claim.one_pod = true;
    world.claims["ns/c"] = claim;
    core::Pod foreign = mounting("f", "c");
    foreign.scheduler_name = "default-scheduler";
    foreign.node_name = "a1";
    const auto other = world.create(foreign);
    world.settle();
    const auto first = world.create(mounting("p1", "c"));
    const auto second = world.create(mounting("p2", "c"));
    world.settle();
    CHECK(world.bound_count({first, second}) == 0);
    CHECK(told(
        world,
        first,
        "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
        "already in-use by another pod"));
    world.remove_pod(other);
    world.advance(1'000);
    CHECK(world.bound_count({first, second}) == 1);
    const auto running = world.is_bound(first) ? first : second;
    world.set_phase(running, core::PodPhase::succeeded);
    world.advance(1'000);
    CHECK(world.bound_count({first, second}) == 2);
    CHECK(world.violations.empty());
}

TEST_CASE("claims: a driver waits for its volume, and its gang with it") {
    World world;
    add_zones(world);
    core::Pod driver = tests::driver("d");
    driver.claims = std::vector<core::ClaimUse>{{"data", false}};
    const std::string key = driver.namespace_name + "/data";
    const auto uid = world.submit(driver, tests::conf(2));
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(uid));
    CHECK(told(world, uid, "persistentvolumeclaim \"data\" not found"));
    world.claims[key] = bound_in("b");
    world.advance(31'000);
    CHECK(world.node_of(uid) == "b1");
}

TEST_CASE("claims: an executor's slot moves to where its volume is") {
    World world;
    add_zones(world);
    const auto driver = world.submit("d", 2, 1);
    world.settle();
    REQUIRE(world.is_bound(driver));
    world.set_phase(driver, core::PodPhase::running);
    const std::string space = world.pod(driver).namespace_name;
    const std::string elsewhere = world.node_of(driver) == "a1" ? "b" : "a";
    std::vector<std::string> executors;
    for (int i = 0; i < 2; ++i) {
        const std::string claim = "exec-" + std::to_string(i);
        world.claims[space + "/" + claim] = i == 0 ? bound_in(elsewhere) : waiting();
        core::Pod pod = tests::executor("e" + std::to_string(i), world.pod(driver));
        pod.claims = std::vector<core::ClaimUse>{{claim, false}};
        executors.push_back(world.create(std::move(pod)));
    }
    world.advance(5'000);
    CHECK(world.bound_count(executors) == 2);
    CHECK(world.node_of(executors[0]) == elsewhere + "1");
    CHECK(world.violations.empty());
    const auto late = tests::executor("late", world.pod(driver));
    core::Pod pod = late;
    pod.claims = std::vector<core::ClaimUse>{{"missing", false}};
    const auto third = world.create(std::move(pod));
    world.advance(3'000);
    CHECK_FALSE(world.is_bound(third));
    CHECK(told(world, third, "persistentvolumeclaim \"missing\" not found"));
}

TEST_CASE("claims: a gang waits for what all its executors will mount, and goes where that is") {
    World world;
    add_zones(world);
    gang::spark::Conf conf = tests::conf(2);
    conf = tests::with(conf, volume_key("options.claimName"), "shared");
    conf = tests::with(conf, volume_key("mount.path"), "/data");
    const auto driver = world.submit(tests::driver("d"), conf);
    const std::string key = world.pod(driver).namespace_name + "/shared";
    world.advance(3'000);
    CHECK_FALSE(world.is_bound(driver));
    CHECK(told(world, driver, "its executors: persistentvolumeclaim \"shared\" not found"));
    CHECK(told(world, driver, "[WaitingForVolumes]"));
    SUBCASE("it comes") {}
    SUBCASE("it comes, and waits for its volume") {
        world.claims[key] = Claim{};
        world.advance(31'000);
        CHECK(told(world, driver, "its executors: pod has unbound immediate"));
    }
    SUBCASE("it comes while nobody leads") {
        world.restart();
    }
    world.claims[key] = bound_in("b");
    world.advance(31'000);
    REQUIRE(world.is_bound(driver));
    const auto reservation = world.reservation(driver);
    REQUIRE(reservation->shapes.size() == 1);
    for (const auto& [node, slots] : reservation->shapes[0].slots_per_node) CHECK(node == "b1");
    world.set_phase(driver, core::PodPhase::running);
    std::vector<std::string> executors;
    for (int i = 0; i < 2; ++i) {
        core::Pod pod = tests::executor("e" + std::to_string(i), world.pod(driver));
        pod.claims = std::vector<core::ClaimUse>{{"shared", false}};
        executors.push_back(world.create(std::move(pod)));
    }
    world.advance(5'000);
    CHECK(world.bound_count(executors) == 2);
    for (const std::string& executor : executors) CHECK(world.node_of(executor) == "b1");
    CHECK(world.reservation(driver)->generation == reservation->generation);
    CHECK(world.violations.empty());
}

TEST_CASE("claims: where one executor's volume is says nothing of the other slots") {
    World world;
    add_zones(world);
    const auto driver = world.submit("d", 3, 1);
    world.settle();
    REQUIRE(world.is_bound(driver));
    world.set_phase(driver, core::PodPhase::running);
    const std::string home = world.node_of(driver).substr(0, 1);
    const std::string elsewhere = home == "a" ? "b" : "a";
    world.claims[world.pod(driver).namespace_name + "/exec-0"] = bound_in(elsewhere);
    core::Pod pod = tests::executor("e0", world.pod(driver));
    pod.requests.memory_bytes += 64 << 20;  // more than foreseen: a shape is corrected
    pod.claims = std::vector<core::ClaimUse>{{"exec-0", false}};
    const auto first = world.create(std::move(pod));
    world.advance(5'000);
    CHECK(world.node_of(first) == elsewhere + "1");
    std::int64_t at_home = 0;
    const auto reservation = world.reservation(driver);
    for (const auto& [node, slots] : reservation->shapes[0].slots_per_node) {
        at_home += node == home + "1" ? slots : 0;
    }
    CHECK(at_home == 2);
    CHECK(world.violations.empty());
}

TEST_CASE("claims: a gang goes where volumes of its executors' class can be made") {
    World world;
    add_zones(world);
    gang::spark::Conf conf = tests::conf(2);
    conf = tests::with(conf, volume_key("options.claimName"), "OnDemand");
    conf = tests::with(conf, volume_key("options.storageClass"), "fast");
    conf = tests::with(conf, volume_key("options.sizeLimit"), "1Gi");
    conf = tests::with(conf, volume_key("mount.path"), "/data");
    Claim made = waiting();
    made.nodes = {only_in("b", VolumeRule::unreachable)};
    SUBCASE("which waits for a consumer, within a zone") {
        world.claims["/fast"] = made;
        const auto driver = world.submit(tests::driver("d"), conf);
        world.advance(3'000);
        REQUIRE(world.is_bound(driver));
        const auto reservation = world.reservation(driver);
        for (const auto& [node, slots] : reservation->shapes[0].slots_per_node) {
            CHECK(node == "b1");
        }
        CHECK(world.claim_fetches == std::vector<std::string>{"/fast"});
    }
    SUBCASE("which is asked for again when the driver's bind has failed") {
        world.claims["/fast"] = made;
        int binds = 0;
        world.on_bind = [&binds](const auto&) {
            return ++binds == 1 ? std::optional(gang::BindOutcome::not_sent) : std::nullopt;
        };
        const auto driver = world.submit(tests::driver("d"), conf);
        world.advance(10'000);
        CHECK(binds == 2);
        CHECK(world.is_bound(driver));
    }
    SUBCASE("which binds at once") {
        world.claims["/fast"] = Claim{};
        const auto driver = world.submit(tests::driver("d"), conf);
        world.advance(3'000);
        CHECK(world.is_bound(driver));
        CHECK(world.claim_fetches.size() == 1);
    }
    SUBCASE("which is not there") {
        Claim none;
        none.problem = "storageclasses.storage.k8s.io \"fast\" not found";
        world.claims["/fast"] = none;
        const auto driver = world.submit(tests::driver("d"), conf);
        world.advance(3'000);
        CHECK_FALSE(world.is_bound(driver));
        CHECK(told(world, driver, "its executors: storageclasses.storage.k8s.io \"fast\" not"));
        world.claims["/fast"] = made;
        world.advance(31'000);
        CHECK(world.is_bound(driver));
    }
    SUBCASE("which we may not read") {
        world.claim_problem = gang::ClaimProblem::forbidden;
        const auto driver = world.submit(tests::driver("d"), conf);
        world.advance(3'000);
        CHECK(told(world, driver, "[Misconfigured]"));
    }
    CHECK(world.violations.empty());
}

TEST_CASE("claims: a profile without filters about volumes does not even read them") {
    config::Schema schema = World::sealed_schema();
    core::FilterSet left_out;
    for (const auto id :
         {core::FilterId::volume_binding,
          core::FilterId::volume_zone,
          core::FilterId::volume_restrictions,
          core::FilterId::node_volume_limits}) {
        left_out = left_out.with(id);
    }
    schema.profiles.front().left_out = left_out;
    World world(schema);
    add_zones(world);
    const auto pod = world.create(mounting("p", "c"));
    world.settle();
    CHECK(world.is_bound(pod));
    CHECK(world.claim_fetches.empty());
}

TEST_CASE("claims: after a restart what is known comes back") {
    World world;
    add_zones(world);
    Claim claim = bound_in("a");
    claim.one_pod = true;
    world.claims["ns/c"] = claim;
    const auto first = world.create(mounting("p1", "c"));
    world.settle();
    REQUIRE(world.is_bound(first));
    world.restart();
    const auto second = world.create(mounting("p2", "c"));
    world.advance(5'000);
    CHECK_FALSE(world.is_bound(second));
    CHECK(told(world, second, "ReadWriteOncePod"));
}

namespace {

Claim unbound(const std::vector<core::AvailableVolume>& available) {
    Claim claim = waiting();
    claim.is_never_made = true;
    claim.available = available;
    claim.nodes = {{VolumeRule::unreachable, {}}};
    for (const core::AvailableVolume& volume : available) {
        claim.nodes[0].terms.insert(
            claim.nodes[0].terms.end(), volume.terms.begin(), volume.terms.end());
    }
    return claim;
}

core::AvailableVolume volume_in(const std::string& name, const std::string& zone) {
    return {name, only_in(zone).terms};
}

core::Pod mounting_two(const std::string& name) {
    core::Pod pod = mounting(name, "c");
    pod.claims = std::vector<core::ClaimUse>{{"c", false}, {"d", false}};
    return pod;
}

}  // namespace

TEST_CASE("claims: PRED-12: a volume that is there is the claim's, on its node") {
    World world;
    add_zones(world);
    world.claims["ns/c"] = unbound({volume_in("v", "b")});
    const auto pod = world.create(mounting("p", "c"));
    world.settle();
    CHECK(world.node_of(pod) == "b1");
    CHECK(world.binds.back().claims.empty());
    CHECK(
        world.binds.back().volumes == std::vector<gang::ClaimedVolume>{{"c", "v"}});
}

TEST_CASE("claims: PRED-12: who finds no volume waits until there is one") {
    World world;
    add_zones(world);
    world.claims["ns/c"] = unbound({});
    const auto pod = world.create(mounting("p", "c"));
    world.advance(1'000);
    CHECK_FALSE(world.is_bound(pod));
    CHECK(told(world, pod, "no volume can be made for it there"));
    world.claims["ns/c"] = unbound({volume_in("v", "a")});
    world.advance(31'000);
    CHECK(world.node_of(pod) == "a1");
}

TEST_CASE("claims: PRED-12: two claims of a pod get two volumes, the smaller one the smaller") {
    World world;
    add_zones(world);
    world.claims["ns/c"] = unbound({volume_in("small", "a"), volume_in("large", "a")});
    world.claims["ns/c"].bytes = 2;
    world.claims["ns/d"] = unbound({volume_in("small", "a"), volume_in("large", "a")});
    world.claims["ns/d"].bytes = 1;
    const auto pod = world.create(mounting_two("p"));
    world.settle();
    CHECK(world.node_of(pod) == "a1");
    CHECK(
        world.binds.back().volumes ==
        std::vector<gang::ClaimedVolume>{{"d", "small"}, {"c", "large"}});
}

TEST_CASE("claims: PRED-12: where one volume is left for two claims the pod is not bound") {
    World world;
    add_zones(world);
    world.claims["ns/c"] = unbound({volume_in("v", "a")});
    world.claims["ns/d"] = unbound({volume_in("v", "a")});
    const auto pod = world.create(mounting_two("p"));
    world.settle();
    CHECK_FALSE(world.is_bound(pod));
    CHECK(
        world.binds.back().volumes ==
        std::vector<gang::ClaimedVolume>{{"c", "v"}, {"d", ""}});
}
