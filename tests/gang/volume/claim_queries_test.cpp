#include "gang/model/volume/claim_queries.hpp"

#include "tests/gang/builders.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

core::Pod pod_that_mounts(std::vector<core::ClaimUse> claims) {
    core::Pod pod = tests::pod("p", 1'000, 100);
    pod.uid = "p";
    pod.claims = std::move(claims);
    return pod;
}

}  // namespace

TEST_CASE("claim queries: a pod waits without a word until its claim was looked for") {
    gang::Claims claims;
    const gang::StorageRoom storage;
    const gang::ClaimQueries queries(claims, storage);
    const core::Pod pod = pod_that_mounts({{"data"}});
    claims.note(pod, gang::Claims::Mount::waits, 0);
    REQUIRE(queries.find_obstacle(pod).has_value());
    CHECK(queries.find_obstacle(pod)->text.empty());
    core::Claim claim;
    claim.state = core::ClaimState::lost;
    claim.volume = "v1";
    claims.found({"etl", "data", claim}, 0);
    CHECK(queries.find_obstacle(pod)->code == gang::ReasonCode::waiting_for_volumes);
    claim.state = core::ClaimState::bound;
    claim.driver = "csi.example";
    claim.handle = "h1";
    claims.found({"etl", "data", claim}, 0);
    CHECK_FALSE(queries.find_obstacle(pod).has_value());
    REQUIRE(queries.volumes_of(pod).size() == 1);
    CHECK(queries.volumes_of(pod)[0].handle == "h1");
}

TEST_CASE("claim queries: the smallest claim gets the smallest volume, and none is given twice") {
    gang::Claims claims;
    const gang::StorageRoom storage;
    const gang::ClaimQueries queries(claims, storage);
    const core::Pod pod = pod_that_mounts({{"large"}, {"small"}, {"made"}});
    claims.note(pod, gang::Claims::Mount::waits, 0);
    core::Claim claim;
    claim.state = core::ClaimState::consumer;
    claim.available = {{"v1", {}}, {"v2", {}}};
    claim.bytes = 2;
    claims.found({"etl", "large", claim}, 0);
    claim.bytes = 1;
    claims.found({"etl", "small", claim}, 0);
    claim.available.clear();
    claims.found({"etl", "made", claim}, 0);
    const auto choice = queries.choose_volumes(pod, tests::node("n1", 8, 8'192));
    CHECK(choice.made == std::vector<std::string>{"made"});
    REQUIRE(choice.there.size() == 2);
    CHECK(choice.there[0].claim == "small");
    CHECK(choice.there[0].volume == "v1");
    CHECK(choice.there[1].volume == "v2");
}
