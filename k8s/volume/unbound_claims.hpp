#pragma once
// Claims that wait for their first consumer, with what was found of them without the volumes that
// are there: when one of those comes or goes, who asked for a claim is told what it may get now.
// Pure.

#include "core/value/claim.hpp"
#include "k8s/codec/volume/codec_claim.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace k8s {

class UnboundClaims {
public:
    using Tell = std::function<void(const core::Claim&)>;
    /// So many at most are told by themselves; the others are looked at when they are read again.
    static constexpr std::size_t claims_max = 256;
    /// From the read on. Who still wants to know reads the claim again before.
    static constexpr std::int64_t told_ms_max = 90'000;

    /// `claim` without its volumes. Returned: with them.
    core::Claim put(
        const std::string& key,
        core::Claim claim,
        VolumeWish wish,
        Tell tell,
        const Volumes& volumes,
        std::int64_t now_ms);
    /// It is read anew, or is written to.
    void forget(const std::string& key) { claims_.erase(key); }
    /// This volume has come, gone or changed.
    void changed(const VolumeObject& volume);
    bool has_news() const { return has_news_; }
    /// Calls those for whose claims it makes a difference.
    void tell(const Volumes& volumes, std::int64_t now_ms);
    std::size_t size() const { return claims_.size(); }

private:
    struct Entry {
        core::Claim claim;
        VolumeWish wish;
        Tell tell;
        core::Claim told;
        std::int64_t until_ms = 0;
        bool is_dirty = false;
    };
    std::map<std::string, Entry> claims_;
    bool has_news_ = false;
};

}  // namespace k8s
