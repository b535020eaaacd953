#pragma once
// Tokens of callers and what their owners may see, kept for a minute.

#include "core/base/result.hpp"
#include "gang/app/api/access/sight.hpp"
#include "k8s/credentials/hmac.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gang::app {

/// The error of a token that the API server does not know.
inline constexpr std::string_view token_is_nobodys = "the bearer token is nobody's";

class Callers {
public:
    using Seen = std::function<void(const core::Result<Sight>&)>;
    /// Asks the API server. An error of `Seen`: nobody knows, or the token is nobody's.
    using Review = std::function<void(
        const std::string& token, const std::vector<std::string>& namespaces, Seen seen)>;

    static constexpr std::int64_t kept_ms = 60'000;
    static constexpr std::size_t kept_max = 256;

    /// `key` is secret and of this process: by it tokens are kept as codes.
    Callers(std::string_view key, Review review);

    /// What the owner of the token may see of the namespaces: at once, or when the API server has
    /// answered. Without a token nothing. `now_ms` is monotonic.
    void find(
        const std::string& token,
        const std::vector<std::string>& namespaces,
        std::int64_t now_ms,
        const Seen& seen);

    std::size_t size() const { return known_->size(); }

private:
    struct Known {
        Sight sight;
        std::vector<std::string> asked;  ///< sorted
        std::int64_t until_ms = 0;
    };
    using Table = std::map<std::string, Known>;

    void make_room(std::int64_t now_ms);

    k8s::Hmac code_;
    Review review_;
    std::shared_ptr<Table> known_;  ///< answers may come after us
};

}  // namespace gang::app
