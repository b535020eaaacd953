#pragma once
// The API server as every connection of ours needs to know it: address, trust, the token of the
// moment. Made once from an Access and shared by all connections.
//
// What was read from files is read again while we run: the token each minute (token.hpp), CA and
// client certificate every five minutes and after a handshake that failed. Nobody needs a timer for
// that: each request and each read of a stream asks. Bad content keeps what was good, and is said.
// A credential plugin is run in the same way, before what it gave is over (exec/renewal.hpp).

#include "core/base/result.hpp"
#include "k8s/base/notice.hpp"
#include "k8s/base/request_stats.hpp"
#include "k8s/credentials/access.hpp"
#include "k8s/credentials/exec/renewal.hpp"
#include "k8s/credentials/token.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace k8s {

class TlsContext;

inline constexpr std::int64_t trust_reread_ms = 300'000;
inline constexpr std::int64_t trust_retry_ms = 10'000;  ///< after bad content or a bad handshake

/// What is wrong with the credentials' files and plugin now, for an alarm; empty while all is well.
struct CredentialProblems {
    std::string token;  ///< or the plugin, whatever it gives
    std::string trust;  ///< CA, client certificate or key
};

class Endpoint {
public:
    /// Checks certificates and keys; `user_agent` is "gang-scheduler/<version>". A credential
    /// plugin is run here for the first time, and waited for.
    static core::Result<std::shared_ptr<Endpoint>> make(Access access, std::string user_agent);

    const Access& access() const { return access_; }
    const std::string& user_agent() const { return user_agent_; }

    /// Trust for a new connection, which keeps it; nullptr for plain HTTP.
    std::shared_ptr<TlsContext> tls() const { return tls_; }
    /// The token to send now; empty: none.
    const std::string& token(std::int64_t now_ms);
    /// Grows with each other answer of the credential plugin.
    std::uint64_t credential() const { return renewal_ ? renewal_->number() : 0; }
    /// The server answered 401 to a request with that credential(). True if there is another token
    /// by now. A credential plugin is run: see renewal().
    bool token_refused(std::uint64_t credential, std::int64_t now_ms);

    /// Reads the files of trust again, and begins or ends a run of the credential plugin, if it is
    /// time. `now_ms` is monotonic.
    void refresh(std::int64_t now_ms);
    /// A descriptor that can be read once the credential plugin has answered, to be followed by
    /// refresh(); -1: it is not running.
    int renewal() const { return renewal_ ? renewal_->under_way() : -1; }
    /// What the credential plugin gave is over: whoever has time waits for renewal().
    bool is_expired() const;
    /// A handshake failed: the files may have changed since they were read.
    void handshake_failed(std::int64_t now_ms);
    /// Grows when the client certificate changes: connections of before show the old one and end.
    std::uint64_t identity() const { return identity_; }

    const CredentialProblems& problems() const { return problems_; }
    /// Told at once what is unusual about our trust, later each problem when it begins and ends.
    void set_notice(NoticeSink notice);

    RequestStats& requests() { return requests_; }  ///< of every connection together

private:
    Endpoint(Access access, std::string user_agent);
    core::Result<core::Done> ask_plugin();
    void renew();
    void take_certificate(const ExecCredential& credential);
    void read_trust(std::int64_t now_ms);
    void set_problem(std::string& problem, const char* what, std::string now);

    Access access_;
    std::string user_agent_;
    std::shared_ptr<TlsContext> tls_;
    Token token_;
    std::unique_ptr<Renewal> renewal_;  ///< where a plugin gives the credentials
    CredentialProblems problems_;
    NoticeSink notice_;
    std::uint64_t identity_ = 0;
    std::int64_t trust_read_ms_ = 0;
    std::int64_t trust_due_ms_ = 0;
    bool trust_was_asked_ = false;
    RequestStats requests_;
};

}  // namespace k8s
