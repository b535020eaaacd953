#include "k8s/volume/unbound_claims.hpp"

#include <utility>
#include <vector>

namespace k8s {

core::Claim UnboundClaims::put(
    const std::string& key,
    core::Claim claim,
    VolumeWish wish,
    Tell tell,
    const Volumes& volumes,
    std::int64_t now_ms) {
    std::erase_if(claims_, [now_ms](const auto& one) { return one.second.until_ms < now_ms; });
    core::Claim with = claim;
    add_available(with, wish, volumes);
    if (claims_.size() < claims_max || claims_.contains(key)) {
        claims_.insert_or_assign(
            key,
            Entry{
                std::move(claim), std::move(wish), std::move(tell), with, now_ms + told_ms_max});
    }
    return with;
}

void UnboundClaims::changed(const VolumeObject& volume) {
    for (auto& [key, entry] : claims_) {
        const bool is_named = volume.claim_name == entry.wish.name &&
                              volume.claim_namespace == entry.wish.namespace_name;
        if (is_named || entry.claim.storage_class == volume.storage_class) {
            entry.is_dirty = true;
            has_news_ = true;
        }
    }
}

void UnboundClaims::tell(const Volumes& volumes, std::int64_t now_ms) {
    has_news_ = false;
    std::vector<std::pair<Tell, core::Claim>> news;
    for (auto& [key, entry] : claims_) {
        if (!std::exchange(entry.is_dirty, false) || entry.until_ms < now_ms) continue;
        core::Claim with = entry.claim;
        add_available(with, entry.wish, volumes);
        if (with == entry.told) continue;
        entry.told = with;
        news.emplace_back(entry.tell, std::move(with));
    }
    for (const auto& [tell, claim] : news) tell(claim);
}

}  // namespace k8s
