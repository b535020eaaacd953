// What amounts, pods, selectors, namespaces and volumes are read and summed up as: inputs drawn by chance, the usual and
// the odd.

#include "core/value/claim.hpp"
#include "core/value/constraints.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/label_selector.hpp"
#include "core/value/namespaces/namespaces.hpp"
#include "core/value/pod.hpp"
#include "core/value/pod_rules.hpp"
#include "core/value/quantity.hpp"
#include "core/value/resources.hpp"
#include "core/value/volume/inline_volumes.hpp"
#include "core/value/volume/storage.hpp"
#include "core/value/volume/volume_limits.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace core;

namespace {

using tests::Walk;
using Words = std::vector<std::string>;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

std::string text_of(const Resources& resources) {
    std::string text = std::to_string(resources.cpu_milli) + " " + std::to_string(resources.memory_bytes) + " " +
                       std::to_string(resources.ephemeral_bytes);
    for (const ExtendedResource& one : resources.extended) text += " " + one.name + ":" + std::to_string(one.amount);
    return text;
}

std::string text_of(const Result<Resources>& resources) {
    return resources ? text_of(*resources) : resources.error().message;
}

std::string text_of(const NodeSelectorTerm& term) {
    std::string text = "(";
    for (const auto* part : {&term.match_expressions, &term.match_fields}) {
        for (const NodeSelectorRequirement& one : *part) {
            text += one.key + " " + std::to_string(static_cast<int>(one.op));
            for (const std::string& value : one.values) text += " " + value;
            text += part == &term.match_fields ? " as a field;" : ";";
        }
    }
    return text + ")";
}

std::string text_of(const VolumeNodes& nodes) {
    std::string text = std::to_string(static_cast<int>(nodes.rule));
    for (const NodeSelectorTerm& term : nodes.terms) text += " " + text_of(term);
    for (const LabelValues& one : *nodes.labels) {
        text += " " + one.key + " in";
        for (const std::string& value : one.values) text += " " + value;
    }
    return text;
}

Resources some_resources(Walk& walk, bool may_be_large) {
    constexpr std::int64_t usual[] = {0, 0, 1, 500, 1'000, 4'096};
    constexpr std::int64_t large[] = {0, 1, most - 1, most, most / 2 + 1};
    const auto amount = [&] { return may_be_large && walk.pick(3) == 0 ? walk.of(large) : walk.of(usual); };
    Resources made{amount(), amount(), amount(), {}};
    for (const char* name : {"aaa", "hugepages-2Mi", "nvidia.com/gpu"}) {
        const std::int64_t of_it = amount();
        if (of_it > 0) made.extended.push_back({name, of_it});
    }
    return made;
}

LabelSelector some_selector(Walk& walk) {
    LabelSelector selector;
    selector.is_set = walk.pick(5) != 0;
    for (std::size_t left = walk.pick(4); left > 0; --left) {
        LabelRequirement one{walk.of(Words{"a", "b", "zone"}), static_cast<LabelOperator>(walk.pick(4)), {}};
        if (one.op == LabelOperator::in || one.op == LabelOperator::not_in) {
            for (std::size_t values = 1 + walk.pick(3); values > 0; --values) {
                one.values.push_back(walk.of(Words{"1", "2", "3", ""}));
            }
        }
        selector.require(one);
    }
    return selector;
}

std::string text_of(const LabelSelector& selector) {
    std::string text = selector.is_set ? "" : "not set ";
    for (const LabelRequirement& one : selector.requirements) {
        text += one.key + " " + std::to_string(static_cast<int>(one.op));
        for (const std::string& value : one.values) text += " \"" + value + "\"";
        text += "; ";
    }
    return text;
}

StringMap some_labels(Walk& walk) {
    StringMap labels;
    for (const char* key : {"a", "b", "zone"}) {
        if (walk.pick(2) == 0) labels.emplace_back(key, walk.of(Words{"1", "2", "3", ""}));
    }
    return labels;
}

std::string text_of(const StringMap& labels) {
    std::string text;
    for (const auto& [key, value] : labels) text += key + "=" + value + " ";
    return text;
}

}  // namespace

TEST_CASE("transcripts: quantities, as text and as numbers") {
    const Words numbers = {"0",  "1",   "007", "1.5", ".5",   "5.",  "0.0001", "1.0000001", "999", "1023", "9223372036854775807", "9223372036854775808",
                           "8.", "-1",  "+2",  "-.5", "-0",   "",    ".",      "1x",        "1 ", "~1",  "9.999999999999999999999", "0.0000000000000000000001", "12345678901234567890"};
    const Words suffixes = {"",   "n",  "u",  "m",  "k",  "M",   "G",   "T",   "P",    "E",   "Ki", "Mi",  "Gi", "Ti",
                            "Pi", "Ei", "e3", "E3", "e+2", "E-2", "e",   "e-",  "e18",  "e19", "e-30", "K", "mi", "e99999999999"};
    std::string told;
    for (const std::string& number : numbers) {
        for (const std::string& suffix : suffixes) {
            const std::string text = number + suffix;
            const auto milli = parse_milli(text);
            const auto whole = parse_whole(text);
            told += "\"" + text + "\" " + (milli ? std::to_string(*milli) : milli.error().message) + " " +
                    (whole ? std::to_string(*whole) : milli ? whole.error().message : "likewise") + "\n";
        }
    }
    for (const std::size_t size : {39U, 40U, 41U, 255U, 256U, 257U}) {
        const std::string zeros(size - 1, '0');
        const auto fine = parse_whole(zeros + "7");
        const auto wrong = parse_whole(zeros + "\x7f");
        told += std::to_string(size) + ": " + (fine ? std::to_string(*fine) : fine.error().message) + ", " +
                wrong.error().message + "\n";
    }
    for (const std::int64_t base : {1LL, 1'000LL, 1'024LL, 1'000'000LL, 1'048'576LL, 1'476'395'008LL, 1'073'741'824LL, 1'099'511'627'776LL,
                                    1'125'899'906'842'624LL, 1'152'921'504'606'846'976LL}) {
        for (const std::int64_t change : {-1, 0, 1}) {
            const std::int64_t amount = base + change;
            told += std::to_string(amount) + " " + format_cpu(amount) + " " + format_bytes(amount) + " " +
                    format_bytes_short(amount) + " " + format_bytes_short(amount * 3 / 2) + "\n";
        }
    }
    told += format_bytes(most) + " " + format_bytes_short(most) + " " + format_bytes(-4'096) + " " + format_bytes_short(-4'096) + "\n";
    tests::check_transcript("core/value/transcripts/quantities", told);
}

TEST_CASE("transcripts: sums of resources, and what pods ask with all their containers") {
    std::string told;
    Walk walk(1);
    for (int i = 0; i < 200; ++i) {
        const bool may_be_large = i % 4 == 0;
        const Resources a = some_resources(walk, may_be_large);
        const Resources b = some_resources(walk, may_be_large);
        Resources added = a;
        constexpr std::int64_t counts[] = {1, 2, 3, 0, -1, 1'000'000};
        const std::int64_t count = walk.of(counts);
        add_times(added, b, count);
        told += text_of(a) + " and " + text_of(b) + "\n    sum " + text_of(sum(a, b)) + "\n    larger " + text_of(larger(a, b)) +
                "\n    " + std::to_string(count) + " times " + text_of(added) + "\n    left " + text_of(difference(a, b)) +
                "\n    " + describe(a) + " / " + describe_exactly(a) + " / " + std::to_string(b.extended_amount("hugepages-2Mi")) + "\n";
    }
    for (int i = 0; i < 200; ++i) {
        PodRequests pod;
        const auto container = [&](const char* name) {
            return ContainerRequest{name, some_resources(walk, i % 20 == 0), walk.pick(2) == 0};
        };
        for (std::size_t left = walk.pick(4); left > 0; --left) pod.containers.push_back(container("c"));
        for (std::size_t left = walk.pick(4); left > 0; --left) pod.init_containers.push_back(container("i"));
        if (walk.pick(3) == 0) pod.overhead = some_resources(walk, false);
        if (walk.pick(3) == 0) pod.pod_level = some_resources(walk, false);
        told += "pod";
        for (const ContainerRequest& one : pod.containers) told += ", " + text_of(one.requests);
        for (const ContainerRequest& one : pod.init_containers) {
            told += (one.restartable ? ", sidecar " : ", init ") + text_of(one.requests);
        }
        told += ", overhead " + text_of(pod.overhead) + (pod.pod_level ? ", as a whole " + text_of(*pod.pod_level) : "") +
                "\n    asks " + text_of(effective_requests(pod)) + "\n";
    }
    Resources all;
    for (const char* name : {"cpu", "memory", "ephemeral-storage", "pods", "zzz", "aaa", "mmm", "aaa"}) {
        for (const char* quantity : {"2", "0", "-1", "x", "1500m", "3"}) {
            const auto done = set_resource(all, name, quantity);
            told += std::string(name) + " " + quantity + ": " + (done ? text_of(all) : done.error().message) + "\n";
        }
    }
    tests::check_transcript("core/value/transcripts/sums", told);
}

TEST_CASE("transcripts: annotations that are kept, and why pods fail") {
    std::string told;
    for (const char* key :
         {"applicationId", "applicationID", "gang-scheduler/slot", "gang-scheduler", "spark-app", "spark", "yunikorn.apache.org/task-groups",
          "yunikorn.apache.org", "armadaproject.io/gangId", "armadaproject.io/other", "kueue.x-k8s.io/pod-group-name",
          "kueue.x-k8s.io/pod-group-total-count", "kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/other", "kai.scheduler/queue",
          "scheduling.volcano.sh/queue-name", "executors", "exec-cpu", "exec-mem", "driver-cpu", "driver-mem", "driver", "scheduling.k8s.io/group-name",
          "scheduling.volcano.sh/group-name", "volcano.sh/task-spec", "volcano.sh/sla-waiting-time", "sla-waiting-time", "pod-group-name",
          "godel.bytedance.com/pod-group-name", "scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io",
          "pod-group.scheduling.sigs.k8s.io/name", "pod-group.scheduling.sigs.k8s.io/min-available", "pod-group.scheduling.sigs.k8s.io/other",
          "genius/gpu-number", "genius", "volcano.sh/vgpu-ids-new", "kubectl.kubernetes.io/last-applied-configuration", ""}) {
        told += std::string(key) + (is_kept_annotation(key) ? " kept" : "") + (is_kept_without_value(key) ? " without value" : "") + "\n";
    }
    for (const char* failure : {"", "Evicted", "OutOfcpu", "OutOf", "OutO", "NodeAffinity", "NodePorts", "TaintToleration", "TopologyAffinityError",
                                "UnexpectedAdmissionError", "SMTAlignmentError", "NodeLost"}) {
        for (const PodPhase phase : {PodPhase::pending, PodPhase::running, PodPhase::succeeded, PodPhase::failed, PodPhase::unknown}) {
            for (const char* node : {"", "n"}) {
                Pod pod;
                pod.failure = failure;
                pod.phase = phase;
                pod.node_name = node;
                told += std::string(failure) + " " + std::to_string(static_cast<int>(phase)) + node +
                        (is_refused_by_kubelet(pod) ? " refused" : "") + (is_refused_host_port(pod) ? " port" : "") +
                        (is_terminal(pod) ? " over" : "") + "\n";
            }
        }
    }
    for (int owners = 0; owners < 8; ++owners) {
        Pod pod;
        for (int i = 0; i < 3; ++i) pod.owners.push_back({"Job", std::to_string(i), "u", (owners >> i) % 2 == 1});
        const OwnerReference* const owner = find_controller(pod);
        told += std::to_string(owners) + " " + (owner == nullptr ? "none" : owner->name) + "\n";
    }
    tests::check_transcript("core/value/transcripts/pods", told);
}

TEST_CASE("transcripts: label selectors, default spreading, and namespaces that are meant") {
    std::string told;
    Walk walk(2);
    for (int i = 0; i < 300; ++i) {
        const LabelSelector selector = some_selector(walk);
        told += text_of(selector) + (selector.matches_all() ? "all" : "") + "\n   ";
        for (int pod = 0; pod < 6; ++pod) {
            const StringMap labels = some_labels(walk);
            told += " [" + text_of(labels) + (selector.matches(labels) ? "yes]" : "no]");
        }
        PodRules rules;
        PodAffinityTerm term;
        term.namespace_selector = selector;
        if (walk.pick(3) == 0) rules.affinity.push_back(term);
        if (walk.pick(3) == 0) rules.anti_affinity.push_back(term);
        if (walk.pick(3) == 0) rules.preferred.push_back({term, 5});
        if (walk.pick(3) == 0) rules.spread.push_back({});
        if (walk.pick(3) == 0) rules.preferred_spread.push_back({});
        told += std::string("\n    ") + (rules.has_required() ? " required" : "") + (rules.has_preferred() ? " preferred" : "") +
                (rules.empty() ? " empty" : "") + (rules.has_terms() ? " terms" : "") +
                (needs_namespace_labels(rules) ? " namespaces " : " ") + std::string(requires_namespace_labels(rules));
        Boxed<PodRules> spreading;
        if (!rules.empty() && walk.pick(2) == 0) spreading.emplace() = rules;
        StringMap labels = some_labels(walk);
        if (walk.pick(3) == 0) labels.emplace_back("zzz", "1");
        for (const char* own : {"apps.kubernetes.io/pod-index", "spark-exec-id", "spark-app-name"}) {
            if (walk.pick(3) == 0) labels.insert(labels.begin(), {own, "7"});
        }
        add_default_spread(spreading, labels);
        told += "\n    spreads " + text_of(labels);
        if (spreading) {
            told += std::string(spreading->spreads_by_default ? "by default" : "");
            for (const SpreadConstraint& one : spreading->preferred_spread) {
                told += " " + one.topology_key + " " + std::to_string(one.max_skew) + " " + text_of(one.selector);
            }
        }
        told += "\n";
    }
    Namespaces namespaces;
    for (int i = 0; i < 200; ++i) {
        const std::string name = walk.of(Words{"team-a", "team-b", "team-c"});
        bool is_news = false;
        switch (walk.pick(6)) {
            case 0: {
                std::vector<NamespaceLabels> all;
                for (const char* one : {"team-a", "team-b", "team-d"}) {
                    if (walk.pick(2) == 0) all.push_back({one, some_labels(walk)});
                }
                is_news = i < 60 ? namespaces.missing("not yet") : namespaces.listed(all);
                told += i < 60 ? "missing" : "listed";
                break;
            }
            case 1:
                is_news = namespaces.missing(walk.of(Words{"forbidden", "no answer"}));
                told += "missing";
                break;
            case 2:
                is_news = namespaces.deleted(name);
                told += "deleted " + name;
                break;
            default:
                is_news = namespaces.changed({name, some_labels(walk)});
                told += "changed " + name;
                break;
        }
        told += std::string(is_news ? " news" : "") + (namespaces.is_known() ? " known" : "") +
                (namespaces.is_answered() ? " answered " : " ") + namespaces.why_missing() + (namespaces.has(name) ? " has it" : "");
        const std::string* const label = namespaces.find(name, "a");
        told += label == nullptr ? "" : ", a is \"" + *label + "\"";
        const LabelSelector selector = some_selector(walk);
        told += "; " + text_of(selector) + "means";
        for (const std::string& one : namespaces.matching(selector)) told += " " + one;
        told += "\n";
    }
    tests::check_transcript("core/value/transcripts/labels", told);
}

TEST_CASE("transcripts: ports, disks and volumes") {
    std::string told;
    Walk walk(3);
    const Words disks = {"gce-pd d1", "gce-pd d2", "aws-ebs vol-1", "aws-ebs aws://eu/vol-1", "azure-disk a", "cinder c", "portworx-volume p", "rbd pool/image", "odd", "iscsi x y"};
    for (int i = 0; i < 100; ++i) {
        Resources asks = some_resources(walk, false);
        std::vector<HostPort> ports;
        std::vector<InTreeDisk> own;
        std::vector<DriverVolume> volumes;
        for (std::size_t left = walk.pick(3); left > 0; --left) {
            ports.push_back({walk.of(Words{"", "0.0.0.0", "10.0.0.1"}), walk.of(Words{"TCP", "UDP"}), static_cast<std::int64_t>(walk.pick(2)) + 80});
        }
        for (std::size_t left = walk.pick(3); left > 0; --left) own.push_back({walk.of(disks), walk.pick(3) == 0});
        for (std::size_t left = walk.pick(4); left > 0; --left) {
            volumes.push_back({walk.of(Words{"ebs.csi.aws.com", "nfs.csi"}), walk.of(Words{"", "vol-1", "vol-2"})});
        }
        add_host_ports(asks, ports);
        add_disks(asks, own);
        add_volumes(asks, volumes);
        if (walk.pick(4) == 0) asks.extended.push_back({"volcano.sh/vgpu=1,units=5", 1});
        told += text_of(asks) + "\n    " + describe(asks) + (takes_host_ports(asks) ? "; ports" : "") + (has_volumes(asks) ? "; volumes" : "") +
                "\n    without ports " + text_of(without_host_ports(asks)) + "\n    without disks " + text_of(without_disks(asks)) +
                "\n    without volumes " + text_of(without_volumes(asks)) + "\n    without all volumes " + text_of(without_all_volumes(asks)) +
                "\n    without exclusives " + text_of(without_exclusives(asks)) + "\n";
        for (const ExtendedResource& one : asks.extended) {
            told += std::string("    ") + one.name + (is_exclusive(one.name) ? " exclusive" : "") + (is_host_port(one.name) ? " port" : "") +
                    (is_volume_limit(one.name) ? " limit" : "") + (is_volume(one.name) ? " of " + limit_of_volume(one.name) : "") + "\n";
        }
        for (const DriverVolume& one : inline_volumes(asks)) told += "    inline " + one.driver + " " + one.handle + "\n";
        std::vector<VolumeLimit> limits;
        for (const char* driver : {"ebs.csi.aws.com", "nfs.csi"}) {
            if (walk.pick(2) == 0) limits.push_back({driver, static_cast<std::int64_t>(walk.pick(40))});
        }
        set_volume_limits(asks, limits);
        told += "    limited " + text_of(asks) + "\n";
    }
    for (const char* plugin : {"aws-ebs", "azure-disk", "cinder", "gce-pd", "portworx-volume", "rbd"}) {
        const std::string name = std::string("kubernetes.io/") + plugin;
        told += name + " " + std::string(migrated_driver(name));
        for (const char* disk : {"d", "aws://zone/vol-9", "aws:/x"}) {
            for (const char* zones : {"", "eu-west1-b", "eu-west1-b__eu-west1-c", "__"}) told += " " + migrated_handle(name, disk, zones);
        }
        told += "\n";
    }
    for (int i = 0; i < 100; ++i) {
        std::vector<StorageSegment> all;
        for (std::size_t left = walk.pick(5); left > 0; --left) {
            all.push_back({"s", "fast", some_selector(walk), static_cast<std::int64_t>(walk.pick(4)) - 1});
        }
        std::vector<const StorageSegment*> segments;
        for (const StorageSegment& one : all) segments.push_back(&one);
        Claim claim;
        claim.state = static_cast<ClaimState>(walk.pick(4));
        claim.is_storage_counted = walk.pick(3) != 0;
        claim.is_never_made = walk.pick(3) == 0;
        claim.bytes = static_cast<std::int64_t>(walk.pick(3));
        for (std::size_t left = walk.pick(3); left > 0; --left) {
            claim.available.push_back({"v", {}});
            if (walk.pick(3) != 0) claim.available.back().terms.push_back({{{"v", SelectorOperator::exists, {}}}, {}});
        }
        told += "storage:";
        for (const StorageSegment& one : all) told += " " + std::to_string(one.bytes) + " on " + text_of(one.nodes);
        std::vector<VolumeNodes> nodes;
        const VolumeNodes with_storage = nodes_with_storage(segments, claim.bytes);
        add_storage_nodes(claim, with_storage, nodes);
        told += "\n    for " + std::to_string(claim.bytes) + (needs_storage(claim) ? " needed " : " ") + text_of(with_storage) + "\n   ";
        for (const VolumeNodes& one : nodes) told += " " + text_of(one);
        Constraints constraints;
        constraints.has_required_affinity = walk.pick(2) == 0;
        for (std::size_t left = walk.pick(3); left > 0; --left) {
            constraints.required_affinity.emplace_back();
            if (walk.pick(2) == 0) constraints.required_affinity.back().match_expressions.push_back({"a", SelectorOperator::exists, {}});
            if (walk.pick(3) == 0) constraints.required_affinity.back().match_fields.push_back({"metadata.name", SelectorOperator::in, {"m"}});
        }
        const Constraints offered = among(constraints, {"n"});
        told += "\n    among n:" + std::string(offered.has_required_affinity ? " required" : "");
        for (const NodeSelectorTerm& term : offered.required_affinity) told += " " + text_of(term);
        const std::vector<Toleration> tolerations = {{"a", true, "", true, {}, -1}, {"b", false, "1", true, {}, -1}};
        add_tolerations(constraints, {tolerations[walk.pick(2)]});
        add_tolerations(constraints, {tolerations[walk.pick(2)], tolerations[0]});
        told += "; tolerates";
        for (const Toleration& one : constraints.tolerations) told += " " + one.key;
        told += "\n";
    }
    tests::check_transcript("core/value/transcripts/volumes", told);
}
