// Claims that are read once more.
#include "gang/model/volume/claim_queries.hpp"

#include "tests/gang/builders.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

core::Pod pod_with_claim(const std::string& uid) {
    core::Pod pod = tests::pod(uid, 1'000, 100);
    pod.uid = uid;
    pod.claims = std::vector<core::ClaimUse>{{"data", false}};
    return pod;
}

core::Claim claim_with_volume() {
    core::Claim claim;
    claim.state = core::ClaimState::bound;
    claim.volume = "v1";
    return claim;
}

}  // namespace

TEST_CASE("claims: what is read again is not known until then, and what was wrong before is forgotten") {
    gang::Claims claims;
    const gang::StorageRoom storage;
    const gang::ClaimQueries queries(claims, storage);
    const core::Pod pod = pod_with_claim("p");
    claims.note(pod, gang::Claims::Mount::waits, 0);
    REQUIRE(claims.due(0).size() == 1);
    claims.missing({"etl", "data", gang::ClaimProblem::forbidden, "403"}, 0);
    CHECK(queries.find_obstacle(pod)->code == gang::ReasonCode::misconfigured);
    claims.found({"etl", "data", claim_with_volume()}, 0);
    CHECK_FALSE(queries.find_obstacle(pod));
    CHECK(claims.due(100'000).empty());
    claims.read_again(pod, 100'000);
    REQUIRE(queries.find_obstacle(pod));
    CHECK(queries.find_obstacle(pod)->code == gang::ReasonCode::none);
    CHECK(claims.due(100'000).size() == 1);
}

TEST_CASE("claims: one that was settled and is gone is followed again; that it cannot be read says nothing") {
    gang::Claims claims;
    const core::Pod pod = pod_with_claim("p");
    claims.note(pod, gang::Claims::Mount::waits, 0);
    CHECK(claims.due(0).size() == 1);
    CHECK(claims.found({"etl", "data", claim_with_volume()}, 0) == std::vector<std::string>{"p"});
    CHECK(claims.found({"etl", "data", claim_with_volume()}, 0).empty());
    CHECK(claims.missing({"etl", "data", gang::ClaimProblem::failed, "500"}, 0).empty());
    CHECK(claims.find("etl/data")->claim.has_value());
    CHECK(claims.due(100'000).empty());
    CHECK(claims.missing({"etl", "data", gang::ClaimProblem::not_found, "404"}, 100'000) ==
          std::vector<std::string>{"p"});
    CHECK_FALSE(claims.find("etl/data")->claim.has_value());
    CHECK(claims.due(100'000).size() == 1);
}
