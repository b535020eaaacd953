#pragma once
// The bearer token of the moment. A service account's token lives about an hour and its file is
// replaced before that, so the file is read again at least once a minute, and at once when the
// server says 401. An unreadable or empty file keeps the old token.

#include <cstdint>
#include <string>

namespace k8s {

inline constexpr std::int64_t token_reread_ms = 60'000;
inline constexpr std::size_t token_max = 64 * 1024;  ///< bytes; a longer file is not a token

class Token {
public:
    /// `file` empty: the fixed token, or none at all.
    Token(std::string fixed, std::string file);

    /// The token to send now; empty: send none. `now_ms` is monotonic.
    const std::string& current(std::int64_t now_ms);

    /// The server refused the token. Reads the file again; true if it holds another one now, so
    /// that sending the request once more makes sense.
    bool refused(std::int64_t now_ms);

    /// Why the last reading of the file gave no token; empty if it did.
    const std::string& problem() const { return problem_; }

private:
    void read(std::int64_t now_ms);

    std::string token_;
    std::string file_;
    std::string problem_;
    std::int64_t read_at_ms_ = 0;
    bool was_read_ = false;
};

}  // namespace k8s
