// Claims, volumes and storage classes as the API server sends them.
#include "k8s/codec/volume/codec_claim.hpp"

#include "k8s/codec/volume/codec_csi_node.hpp"
#include "k8s/codec/volume/codec_volume.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace k8s;
using core::ClaimState;
using core::VolumeRule;

namespace {

std::string claim_json(
    const std::string& annotations, const std::string& spec, const std::string& phase = "Pending") {
    return R"({"kind":"PersistentVolumeClaim","metadata":{"name":"c","uid":"u7","resourceVersion":"12",)"
           R"("annotations":{)" +
           annotations +
           R"(},"ownerReferences":[{"uid":"o1","controller":false},)"
           R"({"uid":"o2","controller":true}]},"spec":{)" +
           spec + R"(},"status":{"phase":")" + phase + R"("}})";
}

core::Claim claim_of(
    const std::string& annotations, const std::string& spec, const std::string& phase = "Pending") {
    const auto decoded = decode_claim(claim_json(annotations, spec, phase));
    REQUIRE(decoded);
    return decoded->claim;
}

}  // namespace

TEST_CASE("codec_claim: bound when both sides say so") {
    const auto decoded = decode_claim(claim_json(
        R"("pv.kubernetes.io/bind-completed":"yes")",
        R"("volumeName":"v1","storageClassName":"fast","accessModes":["ReadWriteOncePod"])",
        "Bound"));
    REQUIRE(decoded);
    CHECK(decoded->resource_version == "12");
    const core::Claim& claim = decoded->claim;
    CHECK(claim.state == ClaimState::bound);
    CHECK(claim.uid == "u7");
    CHECK(claim.volume == "v1");
    CHECK(claim.storage_class == "fast");
    CHECK(claim.one_pod);
    CHECK(claim.owner_uid == "o2");
    CHECK_FALSE(claim.is_deleting);
    // A volume that a user has named is not the claim's before the controller has agreed.
    CHECK(claim_of("", R"("volumeName":"v1")").state == ClaimState::immediate);
    CHECK(claim_of("", R"("volumeName":"v1")", "Lost").state == ClaimState::lost);
}

TEST_CASE("codec_claim: the old annotation names the class, the node's is kept") {
    const core::Claim claim = claim_of(
        R"("volume.beta.kubernetes.io/storage-class":"old",)"
        R"("volume.kubernetes.io/selected-node":"n7")",
        R"("storageClassName":"new","accessModes":["ReadWriteOnce"])");
    CHECK(claim.storage_class == "old");
    CHECK(claim.selected_node == "n7");
    CHECK_FALSE(claim.one_pod);
}

TEST_CASE("codec_claim: where a volume can be used") {
    core::Claim claim;
    REQUIRE(add_volume(
        claim,
        R"({"metadata":{"name":"v","labels":{"topology.kubernetes.io/zone":"a__b"}},"spec":{)"
        R"("nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[)"
        R"({"key":"zone","operator":"In","values":["a"]}]}]}}}})"));
    REQUIRE(claim.nodes.size() == 2);
    CHECK(claim.nodes[0].rule == VolumeRule::zone);
    CHECK(claim.nodes[1].rule == VolumeRule::affinity);
    REQUIRE(claim.nodes[1].terms.size() == 1);
    CHECK(claim.nodes[1].terms[0].match_expressions[0].key == "zone");
    core::Claim everywhere;
    REQUIRE(add_volume(everywhere, R"({"metadata":{"name":"v"},"spec":{}})"));
    CHECK(everywhere.nodes.empty());
}

TEST_CASE("codec_claim: a class that waits for its consumer") {
    core::Claim claim;
    REQUIRE(add_storage_class(
        claim,
        R"({"provisioner":"ebs.csi.aws.com","volumeBindingMode":"WaitForFirstConsumer",)"
        R"("allowedTopologies":[{"matchLabelExpressions":[{"key":"zone","values":["a","b"]}]}]})"));
    CHECK(claim.state == ClaimState::consumer);
    REQUIRE(claim.nodes.size() == 1);
    CHECK(claim.nodes[0].rule == VolumeRule::unreachable);
    CHECK(claim.problem.empty());
    CHECK_FALSE(claim.is_never_made);
    CHECK(claim.driver == "ebs.csi.aws.com");
    core::Claim migrated;
    REQUIRE(add_storage_class(
        migrated,
        R"({"provisioner":"kubernetes.io/gce-pd","volumeBindingMode":"WaitForFirstConsumer"})"));
    CHECK(migrated.driver == "pd.csi.storage.gke.io");
    core::Claim chosen;
    chosen.selected_node = "n7";
    REQUIRE(add_storage_class(chosen, R"({"volumeBindingMode":"WaitForFirstConsumer"})"));
    REQUIRE(chosen.nodes.size() == 1);
    CHECK(chosen.nodes[0].terms[0].match_fields[0].values == std::vector<std::string>{"n7"});
    core::Claim local;
    local.storage_class = "local";
    REQUIRE(add_storage_class(
        local,
        R"({"provisioner":"kubernetes.io/no-provisioner",)"
        R"("volumeBindingMode":"WaitForFirstConsumer"})"));
    CHECK(local.problem.empty());
    CHECK(local.is_never_made);
    REQUIRE(local.nodes.size() == 1);
    CHECK(local.nodes[0].terms.empty());  // no node, as long as no volume is there
    core::Claim immediate;
    REQUIRE(add_storage_class(immediate, R"({"provisioner":"p","volumeBindingMode":"Immediate"})"));
    CHECK(immediate.state == ClaimState::immediate);
}

TEST_CASE("codec_claim: what is no claim is an error") {
    CHECK_FALSE(decode_claim("[]"));
    CHECK_FALSE(decode_claim("{"));
    CHECK_FALSE(decode_claim("{}"));
    CHECK_FALSE(decode_claim(R"({"metadata":{"uid":7}})"));
    core::Claim claim;
    CHECK_FALSE(add_volume(claim, R"({"spec":{"nodeAffinity":7}})"));
    CHECK_FALSE(add_storage_class(
        claim, R"({"volumeBindingMode":"WaitForFirstConsumer","allowedTopologies":{}})"));
}

TEST_CASE("codec_claim: the patch names the state that was read") {
    CHECK(
        encode_selected_node("n\"1", "12") ==
        R"({"metadata":{"resourceVersion":"12","annotations":)"
        R"({"volume.kubernetes.io/selected-node":"n\"1"}}})");
}

TEST_CASE("codec_claim: who attaches a volume, and its name there") {
    core::Claim csi;
    REQUIRE(add_volume(csi, R"({"spec":{"csi":{"driver":"d","volumeHandle":"h"}}})"));
    CHECK(csi.driver == "d");
    CHECK(csi.handle == "h");
    core::Claim disk;
    REQUIRE(add_volume(disk, R"({"spec":{"awsElasticBlockStore":{"volumeID":"vol-1"}}})"));
    CHECK(disk.driver == "ebs.csi.aws.com");
    CHECK(disk.handle == "vol-1");
    const auto handle = [](const std::string& labels, const std::string& source) {
        core::Claim claim;
        REQUIRE(add_volume(
            claim, R"({"metadata":{"labels":{)" + labels + R"(}},"spec":{)" + source + "}}"));
        return claim.driver + " " + claim.handle;
    };
    const std::string gce = R"("gcePersistentDisk":{"pdName":"d"})";
    const std::string driver = "pd.csi.storage.gke.io projects/UNSPECIFIED/";
    CHECK(handle("", gce) == driver + "zones/UNSPECIFIED/disks/d");
    CHECK(
        handle(R"("topology.kubernetes.io/zone":"us-a-1")", gce) ==
        driver + "zones/us-a-1/disks/d");
    CHECK(
        handle(R"("topology.kubernetes.io/zone":"us-a-1__us-a-2")", gce) ==
        driver + "regions/us-a/disks/d");
    CHECK(
        handle("", R"("awsElasticBlockStore":{"volumeID":"aws://us-a-1/vol-1"})") ==
        "ebs.csi.aws.com vol-1");
    CHECK(
        handle("", R"("azureDisk":{"diskURI":"/subscriptions/s/disks/d"})") ==
        "disk.csi.azure.com /subscriptions/s/disks/d");
    core::Claim nfs;
    REQUIRE(add_volume(nfs, R"({"spec":{"nfs":{"server":"s"}}})"));
    CHECK(nfs.driver.empty());
    CHECK_FALSE(add_volume(nfs, R"({"spec":{"csi":7}})"));
}

namespace {

k8s::VolumeObject volume_of(const std::string& name, std::int64_t gib) {
    k8s::VolumeObject volume;
    volume.name = name;
    volume.storage_class = "local";
    volume.bytes = gib << 30;
    volume.modes = {"ReadWriteOnce"};
    volume.is_available = true;
    volume.terms = {{{{"host", core::SelectorOperator::in, {name}}}, {}}};
    return volume;
}

std::string available(
    const k8s::VolumeWish& wish, const std::vector<k8s::VolumeObject>& given, bool is_made = false) {
    k8s::Volumes volumes;
    for (const k8s::VolumeObject& volume : given) volumes.insert_or_assign(volume.name, volume);
    core::Claim claim;
    claim.uid = "u";
    claim.storage_class = "local";
    claim.bytes = std::int64_t{2} << 30;
    claim.is_never_made = !is_made;
    if (!is_made) claim.nodes = {{VolumeRule::unreachable, {}}};
    add_available(claim, wish, volumes);
    std::string text;
    for (const core::AvailableVolume& one : claim.available) text += one.name + " ";
    const std::size_t terms = claim.nodes.empty() ? 0 : claim.nodes[0].terms.size();
    return text + (claim.nodes.empty() ? "anywhere" : std::to_string(terms));
}

}  // namespace

TEST_CASE("PRED-12: codec_claim: volumes that are there, as FindMatchingVolume compares them") {
    k8s::VolumeWish wish;
    wish.namespace_name = "ns";
    wish.name = "c";
    wish.modes = {"ReadWriteOnce"};
    const auto a = volume_of("a", 1);
    const auto b = volume_of("b", 9);
    const auto c = volume_of("c", 2);
    CHECK(available(wish, {a, b, c}) == "c b 2");
    CHECK(available(wish, {a}) == "0");
    CHECK(available(wish, {c}, true) == "c anywhere");
    auto everywhere = c;
    everywhere.terms.clear();
    CHECK(available(wish, {everywhere, b}) == "c b anywhere");
    const auto without = [&](auto change) {
        auto changed = c;
        change(changed);
        return available(wish, {changed});
    };
    CHECK(without([](auto& v) { v.storage_class = "other"; }) == "0");
    CHECK(without([](auto& v) { v.modes = {"ReadOnlyMany"}; }) == "0");
    CHECK(without([](auto& v) { v.is_block = true; }) == "0");
    CHECK(without([](auto& v) { v.is_available = false; }) == "0");
    CHECK(without([](auto& v) { v.is_deleting = true; }) == "0");
    CHECK(without([](auto& v) { v.attributes_class = "gold"; }) == "0");
    CHECK(without([](auto& v) { v.claim_name = "other"; }) == "0");
    auto selecting = wish;
    selecting.selector.is_set = true;
    selecting.selector.require({"tier", core::LabelOperator::in, {"x"}});
    CHECK(available(selecting, {c}) == "0");
    auto promised = b;
    promised.claim_namespace = "ns";
    promised.claim_name = "c";
    CHECK(available(wish, {c, promised}, true) == "b 1");  // that one, and no other
    promised.claim_uid = "another";
    CHECK(available(wish, {c, promised}) == "c 1");
}

TEST_CASE("codec_claim: what a claim asks of a volume, and the volume's side of it") {
    const auto claim = decode_claim(
        R"({"metadata":{"name":"c","namespace":"ns","uid":"u"},"spec":{"accessModes":["ReadWriteOnce"],)"
        R"("volumeMode":"Block","storageClassName":"local","selector":{"matchLabels":{"a":"b"}},)"
        R"("resources":{"requests":{"storage":"2Gi"}}}})");
    REQUIRE(claim);
    CHECK(claim->claim.bytes == std::int64_t{2} << 30);
    CHECK(claim->wish.is_block);
    CHECK(claim->wish.selector.matches({{"a", "b"}}));
    CHECK_FALSE(claim->wish.selector.matches({}));
    const auto page = k8s::decode_volumes(
        R"({"metadata":{"resourceVersion":"9","continue":"t"},"items":[)"
        R"({"metadata":{"name":"v","resourceVersion":"7","labels":{"a":"b"}},"spec":{"capacity":{"storage":)"
        R"("3Gi"},"accessModes":["ReadWriteOnce"],"storageClassName":"local","volumeMode":"Block"},)"
        R"("status":{"phase":"Available"}},)"
        R"({"metadata":{"name":"used"},"spec":{"claimRef":{"name":"x"}},"status":{"phase":"Bound"}},)"
        R"({"metadata":{"name":"bad"},"spec":{"capacity":7},"status":{"phase":"Available"}}]})");
    REQUIRE(page);
    CHECK(page->continue_token == "t");
    CHECK(page->version == "9");
    CHECK_FALSE(k8s::decode_volumes(R"({"metadata":{},"items":[]})"));  // nothing to watch from
    REQUIRE(page->volumes.size() == 1);
    CHECK(page->volumes[0].bytes == std::int64_t{3} << 30);
    CHECK(page->volumes[0].is_block);
    CHECK(
        k8s::encode_claim_ref("ns", "c", "u", "7") ==
        R"({"metadata":{"resourceVersion":"7","annotations":{"pv.kubernetes.io/bound-by-controller":)"
        R"("yes"}},"spec":{"claimRef":{"apiVersion":"v1","kind":"PersistentVolumeClaim",)"
        R"("namespace":"ns","name":"c","uid":"u"}}})");
}

TEST_CASE("codec_claim: lines of a watch of volumes") {
    using Type = k8s::VolumeLine::Type;
    const auto line = [](const std::string& type, const std::string& spec) {
        return k8s::decode_volume_line(
            R"({"type":")" + type + R"(","object":{"metadata":{"name":"v"},"spec":)" + spec +
            R"(,"status":{"phase":"Available"}}})");
    };
    const auto changed = line("MODIFIED", R"({"capacity":{"storage":"3Gi"}})");
    REQUIRE(changed);
    CHECK(changed->type == Type::changed);
    CHECK(changed->volume.bytes == std::int64_t{3} << 30);
    CHECK(line("DELETED", "{}")->type == Type::gone);
    const auto senseless = line("MODIFIED", R"({"capacity":7})");
    REQUIRE(senseless);
    CHECK(senseless->type == Type::gone);
    CHECK(senseless->volume.name == "v");
    CHECK(line("BOOKMARK", "{}")->type == Type::bookmark);
    CHECK(line("ERROR", "{}")->type == Type::error);
    CHECK_FALSE(k8s::decode_volume_line(R"({"type":"ADDED","object":{}})"));
    CHECK_FALSE(k8s::decode_volume_line(R"({"type":"ADDED"})"));
    CHECK_FALSE(k8s::decode_volume_line("[]"));
}

TEST_CASE("codec_csi_node: drivers that say a number, and no others") {
    const auto page = k8s::decode_csi_nodes(
        R"({"metadata":{"resourceVersion":"5"},"items":[)"
        R"({"metadata":{"name":"n1"},"spec":{"drivers":[{"name":"z","allocatable":{"count":3}},)"
        R"({"name":"a","allocatable":{"count":0}},{"name":"m","allocatable":{}},{"name":"o"}]}},)"
        R"({"metadata":{"name":"n2"},"spec":{"drivers":[{"name":"o"}]}}]})");
    REQUIRE(page);
    CHECK(page->version == "5");
    REQUIRE(page->nodes.size() == 1);
    CHECK(page->nodes[0] == core::NodeVolumeLimits{"n1", {{"a", 0}, {"z", 3}}});
    const auto gone = k8s::decode_csi_node_line(
        R"({"type":"DELETED","object":{"metadata":{"name":"n1"},"spec":{"drivers":[)"
        R"({"name":"z","allocatable":{"count":3}}]}}})");
    REQUIRE(gone);
    CHECK(gone->node == core::NodeVolumeLimits{"n1", {}});
    const auto error = k8s::decode_csi_node_line(
        R"({"type":"ERROR","object":{"message":"too old"}})");
    REQUIRE(error);
    CHECK(error->type == k8s::CsiNodeLine::Type::error);
    CHECK_FALSE(k8s::decode_csi_nodes("{}"));
    CHECK_FALSE(k8s::decode_csi_node_line("[]"));
    CHECK_FALSE(k8s::decode_csi_node_line(R"({"type":"ADDED","object":{"spec":{"drivers":7}}})"));
}
