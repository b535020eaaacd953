// Claims, volumes and storage classes as the API server sends them.
#include "k8s/codec/volume/codec_claim.hpp"

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
    CHECK(local.problem.find("local") != std::string::npos);
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
