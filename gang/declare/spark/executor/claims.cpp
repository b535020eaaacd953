#include "gang/declare/spark/executor/claims.hpp"

#include "core/value/quantity.hpp"
#include "gang/declare/spark/keys.hpp"
#include "gang/declare/spark/text.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace gang::spark {
namespace {

constexpr std::string_view claim_type = "persistentVolumeClaim";

/// The types that Spark builds, each with an option that it cannot do without.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> types = {
    {{claim_type, "options.claimName"},
     {"hostPath", "options.path"},
     {"emptyDir", ""},
     {"nfs", "options.server"},
     {"csi", "options.driver"}}};

struct VolumeKey {
    std::string type;
    std::string name;
    friend auto operator<=>(const VolumeKey&, const VolumeKey&) = default;
};

/// One for each <type>.<name>. in the conf.
std::vector<VolumeKey> all_volumes(const ConfView& conf) {
    std::vector<VolumeKey> found;
    for (const auto& [key, value] : conf.with_prefix(keys::volume_prefix)) {
        const auto first = key.find('.');
        if (first == std::string::npos) {
            continue;
        }
        const auto second = std::min(key.find('.', first + 1), key.size());
        found.push_back({key.substr(0, first), key.substr(first + 1, second - first - 1)});
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

std::string key_of(const VolumeKey& volume, std::string_view what) {
    std::string key(keys::volume_prefix);
    return key.append(volume.type).append(".").append(volume.name).append(".").append(what);
}

core::Result<core::Done> check(const ConfView& conf, const VolumeKey& volume) {
    const auto type = std::find_if(
        types.begin(), types.end(), [&](const auto& known) { return known.first == volume.type; });
    if (type == types.end()) {
        return core::Error{
            std::string(keys::volume_prefix) + volume.type +
            ": expected a type of volume that "
            "Spark mounts: persistentVolumeClaim, hostPath, emptyDir, nfs or csi"};
    }
    for (const std::string_view what : {std::string_view("mount.path"), type->second}) {
        if (!what.empty() && conf.find(key_of(volume, what)) == nullptr) {
            return core::Error{key_of(volume, what) + " is missing: Spark cannot mount the volume"};
        }
    }
    return core::Done{};
}

core::Result<VolumeClaim> read_claim(const ConfView& conf, const VolumeKey& volume, bool one_pod) {
    VolumeClaim claim;
    claim.volume = volume.name;
    claim.claim_name = *conf.find(key_of(volume, "options.claimName"));
    const std::string* storage_class = conf.find(key_of(volume, "options.storageClass"));
    const std::string* size = conf.find(key_of(volume, "options.sizeLimit"));
    if (storage_class == nullptr || size == nullptr) {
        return claim;  // of a claim that somebody else makes
    }
    const auto bytes = core::parse_whole(*size);
    if (!bytes || *bytes <= 0) {
        return wrong_value(
            key_of(volume, "options.sizeLimit"),
            *size,
            "expected a Kubernetes quantity greater than 0, such as 10Gi");
    }
    claim.made = MadeClaim{*storage_class, *bytes, one_pod};
    return claim;
}

}  // namespace

core::Result<std::vector<VolumeClaim>> volume_claims(const ConfView& conf, Version version) {
    const auto legacy = conf.boolean_or(keys::legacy_access_mode, false);
    if (!legacy) {
        return legacy.error();
    }
    const bool one_pod = version >= one_pod_claims_since && !*legacy;
    std::vector<VolumeClaim> claims;
    for (const VolumeKey& volume : all_volumes(conf)) {
        if (const auto checked = check(conf, volume); !checked) {
            return checked.error();
        }
        if (volume.type != claim_type) {
            continue;
        }
        auto claim = read_claim(conf, volume, one_pod);
        if (!claim) {
            return claim.error();
        }
        claims.push_back(*std::move(claim));
    }
    return claims;
}

}  // namespace gang::spark
