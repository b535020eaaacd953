#include "gang/app/api/access/callers.hpp"

#include <algorithm>
#include <utility>

namespace gang::app {

Callers::Callers(std::string_view key, Review review)
    : code_(key), review_(std::move(review)), known_(std::make_shared<Table>()) {}

void Callers::find(
    const std::string& token,
    const std::vector<std::string>& namespaces,
    std::int64_t now_ms,
    const Seen& seen) {
    if (token.empty()) {
        seen(Sight{false, {}});
        return;
    }
    std::vector<std::string> asked = namespaces;
    std::sort(asked.begin(), asked.end());
    asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
    const std::string code = code_.code(token);
    const auto found = known_->find(code);
    const bool is_fresh = found != known_->end() && now_ms < found->second.until_ms;
    if (is_fresh && std::includes(
                        found->second.asked.begin(),
                        found->second.asked.end(),
                        asked.begin(),
                        asked.end())) {
        seen(found->second.sight);
        return;
    }
    make_room(now_ms);
    review_(
        token,
        asked,
        [table = known_, code, asked, now_ms, seen](const core::Result<Sight>& sight) {
            // A token that was refused is asked about again: it may be valid soon.
            if (sight) {
                (*table)[code] = Known{*sight, asked, now_ms + kept_ms};
            }
            seen(sight);
        });
}

void Callers::make_room(std::int64_t now_ms) {
    std::erase_if(*known_, [now_ms](const auto& entry) { return now_ms >= entry.second.until_ms; });
    while (known_->size() >= kept_max) {
        const auto oldest = std::min_element(
            known_->begin(), known_->end(), [](const auto& a, const auto& b) {
                return a.second.until_ms < b.second.until_ms;
            });
        known_->erase(oldest);
    }
}

}  // namespace gang::app
