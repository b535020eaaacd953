#include "gang/sim/plane/applications.hpp"

#include "gang/sim/plane/application_fit.hpp"
#include "gang/sim/plane/submissions.hpp"
#include "gang/sim/world.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace gang::sim {
namespace {

constexpr std::int64_t overhead_mib_min = 384;
const Author spark{Actor::spark, nobody, 0, 0, 0, 0};

core::Constraints constraints_of(const Application& one) {
    core::Constraints made;
    if (!one.pool.empty()) {
        made.node_selector = {{std::string(pool_label), one.pool}};
    }
    return made;
}

/// What spark-submit makes of what its tenant has asked for.
spark::Conf write_conf(const Application& application) {
    spark::Conf conf;
    conf.spark_version = "4.1.0";
    const auto put = [&conf](std::string_view key, std::string value) {
        conf.properties.emplace_back(std::string(key), std::move(value));
    };
    if (application.is_dynamic) {
        put("spark.dynamicAllocation.enabled", "true");
        put("spark.dynamicAllocation.initialExecutors", std::to_string(application.declared));
        put("spark.dynamicAllocation.maxExecutors", std::to_string(application.maximum));
        if (application.minimum > 0) {
            put("spark.dynamicAllocation.minExecutors", std::to_string(application.minimum));
        }
    }
    put("spark.executor.cores", std::to_string(application.cpu_milli / 1'000));
    if (!application.is_dynamic) {
        put("spark.executor.instances", std::to_string(application.declared));
    }
    put("spark.executor.memory", std::to_string(application.memory_conf_mib) + "m");
    if (application.gpus > 0) {
        put("spark.executor.resource.gpu.amount", std::to_string(application.gpus));
        put("spark.executor.resource.gpu.vendor", "nvidia.com");
    }
    if (application.card_units > 0) {
        put("spark.executor.resource.vgpu-memory.amount", std::to_string(application.card_units));
        put("spark.executor.resource.vgpu-memory.vendor", "alnair");
    }
    if (application.has_volumes) {
        const std::string key = "spark.kubernetes.executor.volumes.persistentVolumeClaim.data.";
        put(key + "mount.path", "/data");
        put(key + "options.claimName", "OnDemand");
        put(key + "options.sizeLimit", "1Gi");
        put(key + "options.storageClass", volume_class);
    }
    if (application.has_port) {
        conf.executor_template.emplace().sidecar_ports = {host_port};
    }
    if (!application.pool.empty()) {
        put("spark.kubernetes.node.selector.pool", application.pool);
    }
    if (application.by_set) {
        put("spark.kubernetes.allocation.pods.allocator", "statefulset");
    }
    put("spark.kubernetes.scheduler.name", "gang-scheduler");
    std::sort(conf.properties.begin(), conf.properties.end());
    return conf;
}

}  // namespace

void Applications::remember(PodId pod, ApplicationId id) {
    if (pod >= of_pod_.size()) {
        of_pod_.resize(pod + 1, nobody);
    }
    of_pod_[pod] = id;
}

void Applications::submit() {
    Random& random = world_.random;
    const auto id = static_cast<ApplicationId>(all_.size());
    Application made;
    made.tenant = "t" + std::to_string(random.between(1, world_.plan.tenants));
    made.by_set = random.percent(world_.plan.by_set_percent);
    made.is_dynamic = !made.by_set && random.percent(world_.plan.dynamic_percent);
    made.declared = random.between(made.is_dynamic ? 1 : 0, world_.plan.gang_max);
    made.maximum = made.is_dynamic ? made.declared + random.between(0, 4) : made.declared;
    made.target = made.declared;
    made.batch = random.percent(50) ? 5 : 10;
    const std::int64_t cores_max = std::max<std::int64_t>(1, world_.plan.node_cpu_max / 2);
    made.cpu_milli = 1'000 * random.between(1, std::min<std::int64_t>(3, cores_max));
    made.memory_conf_mib = 512 * random.between(1, 6);
    made.memory_mib = made.memory_conf_mib + std::max(overhead_mib_min, made.memory_conf_mib / 10);
    made.driver_cpu_milli = random.percent(70) ? 1'000 : 500;
    if (world_.plan.gpu_percent > 0 && random.percent(world_.plan.gpu_percent)) {
        made.gpus = random.between(1, 2);
    }
    if (world_.plan.has_cards && random.percent(50)) {
        made.card_units = draw_card_units(world_.writes.original_nodes(), random);
    }
    made.has_volumes = world_.plan.has_volumes && random.percent(40);
    made.has_port = world_.plan.port_percent > 0 && random.percent(world_.plan.port_percent);
    if (world_.plan.pool_percent > 0 && random.percent(world_.plan.pool_percent)) {
        made.pool = random.percent(50) ? "a" : "b";
    }
    if (world_.plan.rule_percent > 0 && random.percent(world_.plan.rule_percent)) {
        made.rules = draw_gang_rules(made.tenant, id, random);
        if (!can_keep_rules(world_, made)) {
            made.rules = {};
        }
    }
    made.may_need_nodes = world_.plan.has_autoscaler && random.percent(50);
    // A few ask for more than there is, and stay until the calm.
    while (made.declared > 0 && !fits_empty_cluster(world_, made) && !random.percent(2)) {
        --made.declared;
    }
    made.maximum = std::max(made.declared, made.maximum);
    made.target = made.declared;
    made.is_dynamic = made.is_dynamic && made.declared > 0;
    made.minimum = made.is_dynamic ? 0 : made.declared;
    if (world_.plan.has_queues) {
        Random drawn(world_.plan.seed ^ (std::uint64_t{id} << 20U) ^ 0x0C0C0C0CULL);
        made.minimum = made.is_dynamic ? drawn.between(0, made.declared) : made.declared;
        made.max_wait_s = drawn.percent(30) ? drawn.between(1, 200) : 0;
    }
    // Of executors with rules maybe one at a time can run.
    const std::int64_t at_once = made.rules.executors.empty() ? made.declared : 1;
    made.work = random.between(1, world_.plan.work_s_max) * std::max<std::int64_t>(1, at_once);
    made.submitted_ms = world_.now_ms;
    made.ever.push_back(made.declared);
    core::Pod driver;
    driver.namespace_name = made.tenant;
    // Some are submitted under the name of one that has ended.
    driver.name = "d" + std::to_string(random.percent(10) ? random.below(id + 1) : id);
    while (world_.store.pod_by_name.contains(full_name(driver))) {
        driver.name += "x";
    }
    driver.scheduler_name = "gang-scheduler";
    driver.created = (unix_begin_ms + world_.now_ms) / 1'000;
    driver.priority = draw_priority(world_.plan, world_.random);
    driver.labels = {
        {"spark-app-selector", "spark-" + std::to_string(id)},
        {"spark-role", "driver"},
        {"spark-version", "4.1.0"}};
    put_rules(driver, made.rules.group, made.rules.driver);
    driver.annotations = topology_annotations(made.rules);
    if (world_.plan.has_backfill && random.percent(50)) {
        const std::int64_t said_s = made.work / std::max<std::int64_t>(1, at_once) + 20;
        merge_annotations(
            driver, {{"gang-scheduler/expected-duration", std::to_string(said_s) + "s"}});
    }
    if (made.max_wait_s > 0) {
        merge_annotations(
            driver, {{"gang-scheduler/max-wait", std::to_string(made.max_wait_s) + "s"}});
    }
    driver.requests = driver_requests_of(made);
    driver.constraints = constraints_of(made);
    driver.spark_properties = {"c" + std::to_string(id), "spark.properties"};
    if (!world_.cluster.namespace_quotas.admits(driver)) {
        return;
    }
    made.driver = world_.writes.create_pod(std::move(driver), spark);
    remember(made.driver, id);
    all_.push_back(std::move(made));
    ++live_;
    std::int64_t after_ms = random.between(5, 800);
    if (world_.faults.strikes(Fault::conf_late)) {
        after_ms += random.long_tail(1'000, 60'000);
    }
    world_.queue.plan(world_.now_ms + after_ms, Happening::config_map_made, id);
}

void Applications::make_conf(ApplicationId id) {
    all_[id].conf = static_cast<std::uint32_t>(confs_.size());
    confs_.push_back(write_conf(all_[id]));
}

std::uint32_t Applications::find_conf(const PodRef& driver) const {
    const ApplicationId id = find(number_of(driver.uid));
    return id == nobody ? nobody : all_[id].conf;
}

void Applications::replace_conf(ApplicationId id) {
    Application& one = all_[id];
    // A driver that is admitted alone and then asks for executors may wait behind others for ever,
    // and hold its room meanwhile: that is what its tenant has asked for.
    if (one.conf == nobody || one.phase != Application::Phase::submitted || one.declared == 0) {
        return;
    }
    one.declared = world_.random.between(1, world_.plan.gang_max);
    one.maximum = std::max(one.maximum, one.declared);
    one.target = one.declared;
    one.minimum = std::min(one.minimum, one.declared);
    one.ever.push_back(one.declared);
    one.conf_was_edited = true;
    make_conf(id);
}

void Applications::plan_act(ApplicationId id, std::int64_t after_ms) {
    if (!std::exchange(all_[id].acts, true)) {
        world_.queue.plan(world_.now_ms + after_ms, Happening::application_acts, id);
    }
}

void Applications::pod_changed(const Entry<core::Pod>& entry) {
    const ApplicationId id = find(entry.id);
    if (id == nobody) {
        return;
    }
    Application& one = all_[id];
    const bool is_over = entry.change == Change::deleted || core::is_terminal(entry.object);
    if (entry.id != one.driver) {
        if (is_over) {
            std::erase(one.executors, entry.id);
        }
        return;
    }
    if (is_over && one.phase != Application::Phase::ended) {
        one.phase = Application::Phase::ended;
        one.ended_ms = world_.now_ms;
        --live_;
    }
    if (entry.change == Change::deleted) {
        one.conf = nobody;
        world_.queue.plan(
            world_.now_ms + world_.random.long_tail(200, 20'000),
            Happening::owner_is_gone,
            entry.id);
        return;
    }
    if (one.first_texts.empty() && !entry.object.node_name.empty()) {
        one.first_texts = entry.object.annotations;
    }
    if (one.phase == Application::Phase::submitted &&
        entry.object.phase == core::PodPhase::running) {
        one.phase = Application::Phase::running;
        plan_act(id, world_.random.between(500, 15'000));  // the JVM
    }
}

void Applications::create_executor(ApplicationId id, std::uint32_t number) {
    Application& one = all_[id];
    const core::Pod* driver = world_.store.find_pod(one.driver);
    const std::string selector = "spark-" + std::to_string(id);
    core::Pod pod;
    pod.namespace_name = one.tenant;
    pod.scheduler_name = "gang-scheduler";
    pod.created = (unix_begin_ms + world_.now_ms) / 1'000;
    pod.labels = {
        {"spark-app-selector", selector},
        {"spark-exec-resourceprofile-id", "0"},
        {"spark-role", "executor"}};
    put_rules(pod, one.rules.group, one.rules.executors);
    pod.requests = executor_requests_of(one);
    pod.constraints = constraints_of(one);
    if (one.by_set) {
        const std::string set = "spark-s-" + selector + "-0";
        pod.name = set + "-" + std::to_string(number);
        pod.owners = {{"StatefulSet", set, "s" + std::to_string(one.driver), true}};
    } else {
        pod.name = "e" + std::to_string(id) + "-" + std::to_string(number);
        pod.owners = {{"Pod", driver->name, driver->uid, true}};
    }
    if (world_.store.pod_by_name.contains(full_name(pod))) {
        return;  // the one before it has not quite gone
    }
    if (!world_.cluster.namespace_quotas.admits(pod)) {
        return;  // Spark asks again at its next look
    }
    if (one.has_volumes) {
        const std::string claim = pod.name + "-pvc-" + std::to_string(one.executors_made);
        world_.cluster.volumes.add_own(one.tenant + "/" + claim, "p" + std::to_string(one.driver));
        pod.claims = std::vector<core::ClaimUse>{{claim, false}};
    }
    const PodId made = world_.writes.create_pod(std::move(pod), spark);
    all_[id].executors.push_back(made);
    remember(made, id);
}

// A set keeps its ordinals, Spark itself counts on.
void Applications::create_executors(ApplicationId id) {
    const std::int64_t missing =
        all_[id].target - static_cast<std::int64_t>(all_[id].executors.size());
    if (!all_[id].by_set) {
        for (std::int64_t i = 0; i < std::min(missing, all_[id].batch); ++i) {
            create_executor(id, ++all_[id].executors_made);
        }
        return;
    }
    for (std::uint32_t ordinal = 0; missing > 0 && ordinal < all_[id].target; ++ordinal) {
        create_executor(id, ordinal);
    }
}

/// Dynamic allocation: up while there is a backlog, down when executors are idle.
void Applications::adapt(Application& one) {
    if (!one.is_dynamic || !world_.random.percent(10)) {
        return;
    }
    one.target = world_.random.between(0, one.maximum);
    while (static_cast<std::int64_t>(one.executors.size()) >
           std::max<std::int64_t>(one.target, 1)) {
        world_.writes.delete_pod(one.executors.back(), spark, world_.random.between(50, 5'000));
        if (!one.executors.empty()) {
            const core::Pod* last = world_.store.find_pod(one.executors.back());
            if (last != nullptr && last->deleting) {
                one.executors.pop_back();
            }
        }
    }
}

void Applications::act(ApplicationId id) {
    all_[id].acts = false;
    const core::Pod* driver = world_.store.find_pod(all_[id].driver);
    if (all_[id].phase != Application::Phase::running || driver == nullptr || driver->deleting) {
        return;
    }
    adapt(all_[id]);
    create_executors(id);
    Application& one = all_[id];
    std::int64_t running = 0;
    std::vector<PodId> failing;
    for (const PodId executor : one.executors) {
        const core::Pod& pod = *world_.store.find_pod(executor);
        if (pod.phase != core::PodPhase::running) {
            continue;
        }
        ++running;
        if (one.storm > 0 || world_.faults.strikes(Fault::executor_fails)) {
            one.storm -= one.storm > 0 ? 1 : 0;
            failing.push_back(executor);
        }
    }
    for (const PodId executor : failing) {
        world_.writes.change_pod(
            executor, {Actor::kubelet}, [](core::Pod& pod) { pod.phase = core::PodPhase::failed; });
        world_.writes.delete_pod(executor, spark, 0);
    }
    one.work -= std::max<std::int64_t>(running, one.declared == 0 ? 1 : 0);
    if (one.work <= 0 || (one.target == 0 && one.is_dynamic && world_.random.percent(20))) {
        return end(id, core::PodPhase::succeeded);
    }
    plan_act(id, 1'000);
}

/// The driver ends and takes its executors with it; its object goes later.
void Applications::end(ApplicationId id, core::PodPhase phase) {
    const PodId driver = all_[id].driver;
    if (world_.store.find_pod(driver) == nullptr) {
        return;
    }
    const std::vector<PodId> executors = all_[id].executors;
    world_.writes.change_pod(driver, {Actor::kubelet}, [phase](core::Pod& pod) { pod.phase = phase; });
    for (const PodId executor : executors) {
        world_.writes.delete_pod(executor, spark, world_.random.between(20, 3'000));
    }
    world_.queue.plan(
        world_.now_ms + world_.random.long_tail(1'000, 30'000), Happening::kubelet_ends, driver);
}

std::optional<ApplicationId> Applications::any_live() {
    if (live_ == 0) {
        return std::nullopt;
    }
    auto left = world_.random.below(live_);
    for (ApplicationId id = 0; id < all_.size(); ++id) {
        if (all_[id].phase != Application::Phase::ended && left-- == 0) {
            return id;
        }
    }
    return std::nullopt;
}

bool Applications::all_ended() const {
    return live_ == 0;
}

void Applications::calm_down() {
    for (ApplicationId id = 0; id < all_.size(); ++id) {
        Application& one = all_[id];
        one.storm = 0;
        if (one.phase == Application::Phase::ended) {
            continue;
        }
        const core::Pod& driver = *world_.store.find_pod(one.driver);
        // What its tenant has made of it may be no application any more; and a config map that was
        // understood is not read again.
        Application largest = one;
        largest.declared = *std::max_element(one.ever.begin(), one.ever.end());
        const bool is_vouched_for = world_.plan.has_key && !one.was_tampered &&
                                    world_.plan.by_set_percent == 0 && !driver.node_name.empty() &&
                                    !one.first_texts.empty();
        const bool is_relabelled = core::find_value(driver.labels, "edited") != nullptr;
        const bool is_hopeless = (is_relabelled && !is_vouched_for) ||
                                 (driver.node_name.empty() && !fits_empty_cluster(world_, largest));
        if (is_hopeless) {
            world_.writes.delete_pod(one.driver, {Actor::tenant}, 0);
        } else if (one.conf == nobody) {
            make_conf(id);
        }
    }
}

}  // namespace gang::sim
