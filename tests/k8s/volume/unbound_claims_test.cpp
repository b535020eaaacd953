#include "k8s/volume/unbound_claims.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace k8s;

namespace {

VolumeObject volume_of(const std::string& name, const std::string& storage_class = "local") {
    VolumeObject volume;
    volume.name = name;
    volume.storage_class = storage_class;
    volume.is_available = true;
    return volume;
}

struct UnboundRig {
    core::Claim put(const std::string& name, std::int64_t now_ms = 0) {
        core::Claim claim;
        claim.uid = "u-" + name;
        claim.storage_class = "local";
        claim.state = core::ClaimState::consumer;
        VolumeWish wish;
        wish.namespace_name = "ns";
        wish.name = name;
        const auto tell = [this, name](const core::Claim& now) {
            told.push_back(name + ":" + names(now));
        };
        return claims.put("ns/" + name, claim, wish, tell, volumes, now_ms);
    }
    static std::string names(const core::Claim& claim) {
        std::string text;
        for (const core::AvailableVolume& one : claim.available) text += one.name;
        return text;
    }
    void add(const VolumeObject& volume) {
        volumes.insert_or_assign(volume.name, volume);
        claims.changed(volume);
    }

    Volumes volumes;
    UnboundClaims claims;
    std::vector<std::string> told;
};

}  // namespace

TEST_CASE("unbound claims: who waits for a volume is told when one comes, and when it goes") {
    UnboundRig rig;
    CHECK(UnboundRig::names(rig.put("c")).empty());
    rig.add(volume_of("v"));
    CHECK(rig.claims.has_news());
    CHECK(rig.told.empty());  // not yet: volumes come in crowds
    rig.claims.tell(rig.volumes, 1);
    CHECK(rig.told == std::vector<std::string>{"c:v"});
    rig.claims.tell(rig.volumes, 1);
    CHECK(rig.told.size() == 1);
    rig.volumes.clear();
    rig.claims.changed(volume_of("v"));
    rig.claims.tell(rig.volumes, 2);
    CHECK(rig.told == std::vector<std::string>{"c:v", "c:"});
}

TEST_CASE("unbound claims: what makes no difference is not told") {
    UnboundRig rig;
    rig.add(volume_of("v"));
    CHECK(UnboundRig::names(rig.put("c")) == "v");
    rig.add(volume_of("other", "slow"));
    CHECK_FALSE(rig.claims.has_news());
    rig.claims.changed(volume_of("v"));
    CHECK(rig.claims.has_news());
    rig.claims.tell(rig.volumes, 1);
    CHECK(rig.told.empty());
    CHECK_FALSE(rig.claims.has_news());
}

TEST_CASE("unbound claims: a volume of another class that names the claim is its") {
    UnboundRig rig;
    rig.put("c");
    VolumeObject promised = volume_of("v", "slow");
    promised.claim_namespace = "ns";
    promised.claim_name = "c";
    rig.add(promised);
    rig.claims.tell(rig.volumes, 1);
    CHECK(rig.told == std::vector<std::string>{"c:v"});
}

TEST_CASE("unbound claims: who has not asked for long, or is read anew, is not told") {
    UnboundRig rig;
    rig.put("old");
    rig.put("written");
    rig.claims.forget("ns/written");
    rig.add(volume_of("v"));
    rig.claims.tell(rig.volumes, UnboundClaims::told_ms_max + 1);
    CHECK(rig.told.empty());
    rig.put("new", UnboundClaims::told_ms_max + 1);
    CHECK(rig.claims.size() == 1);  // the old one is gone
}

TEST_CASE("unbound claims: one too many has its answer, and is not told by itself") {
    UnboundRig rig;
    for (std::size_t i = 0; i < UnboundClaims::claims_max; ++i) rig.put("c" + std::to_string(i));
    rig.add(volume_of("v"));
    CHECK(UnboundRig::names(rig.put("more")) == "v");
    CHECK(rig.claims.size() == UnboundClaims::claims_max);
    rig.claims.tell(rig.volumes, 1);
    CHECK(rig.told.size() == UnboundClaims::claims_max);
}
