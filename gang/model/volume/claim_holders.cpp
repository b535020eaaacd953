#include "gang/model/volume/claim_holders.hpp"

#include <algorithm>

namespace gang {

void ClaimHolders::hold(std::string_view uid, const std::vector<std::string>& claims) {
    ++version_;
    std::vector<Held> held;
    for (const std::string& claim : claims) {
        held.push_back(&*counts_.try_emplace(claim).first);
        ++held.back()->second;
    }
    by_uid_.insert(uid, held.front());
    if (held.size() > 1) {
        held.erase(held.begin());
        more_.emplace(uid, std::move(held));
    }
}

std::vector<std::string> ClaimHolders::release(std::string_view uid) {
    const auto first = by_uid_.take(uid);
    if (!first) {
        return {};
    }
    ++version_;
    std::vector<Held> held = {*first};
    if (const auto more = more_.find(uid); more != more_.end()) {
        held.insert(held.end(), more->second.begin(), more->second.end());
        more_.erase(more);
    }
    std::vector<std::string> freed;
    for (Held one : held) {
        if (--one->second == 0) {
            freed.push_back(one->first);
            counts_.erase(freed.back());
        }
    }
    return freed;
}

std::vector<std::string> ClaimHolders::claims_of(std::string_view uid) const {
    std::vector<std::string> claims;
    if (const auto first = by_uid_.find(uid)) {
        claims.push_back((*first)->first);
    }
    if (const auto more = more_.find(uid); more != more_.end()) {
        for (const Held one : more->second) {
            claims.push_back(one->first);
        }
    }
    return claims;
}

std::map<std::string, std::vector<std::string>> ClaimHolders::all() const {
    std::map<std::string, std::vector<std::string>> held;
    by_uid_.for_each([&](std::string_view uid, Held) {
        held.emplace(std::string(uid), claims_of(uid));
    });
    return held;
}

bool ClaimHolders::is_held_beside(const std::string& claim, std::string_view uid) const {
    const auto found = counts_.find(claim);
    if (found == counts_.end()) {
        return false;
    }
    const std::vector<std::string> own = claims_of(uid);
    const bool is_own = std::find(own.begin(), own.end(), claim) != own.end();
    return found->second > (is_own ? 1U : 0U);
}

}  // namespace gang
