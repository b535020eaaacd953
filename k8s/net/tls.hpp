#pragma once
// Trust for TLS connections to the API server: TLS 1.2 or later, ALPN http/1.1, the chain checked
// against the CA, the name or address against the certificate's subjectAltNames (never its CN).
// This file and hmac.hpp are the ones that know OpenSSL.
//
// A TlsSession speaks TLS over a socket without waiting: each step either is done or says what the
// socket must be ready for. It reads from and writes to the socket itself: Asio's stream puts four
// buffers of 17 KB each between the two, for every connection, idle or not.

#include "core/base/result.hpp"
#include "k8s/credentials/access.hpp"

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct ssl_session_st;
struct ssl_st;

namespace boost::asio::ssl {
class context;
}

namespace k8s {

/// What the server has given for the next handshake, which then goes without certificates (RFC
/// 8446, 2.2): less work for the server, and no chain to be unpacked and checked for each of the
/// dozens of connections that a burst opens. Whom we trust is looked at again after
/// `trusted_ms_max`, however often the session was taken up in between.
class TlsResumption {
public:
    static constexpr std::int64_t trusted_ms_max = 600'000;

    TlsResumption() = default;
    ~TlsResumption();
    TlsResumption(const TlsResumption&) = delete;
    TlsResumption& operator=(const TlsResumption&) = delete;

    /// Takes the session over. `is_resumed`: its connection had shown no certificate itself.
    void keep(ssl_session_st* session, bool is_resumed, std::int64_t now_ms);
    /// Still ours; nullptr: certificates are to be shown.
    ssl_session_st* offered(std::int64_t now_ms) const;
    /// A handshake that offered one has failed. There are servers that cannot take up what they
    /// gave: for `trusted_ms_max` nothing is offered.
    void failed(std::int64_t now_ms);

private:
    ssl_session_st* session_ = nullptr;
    std::int64_t trusted_since_ms_ = 0;
    std::int64_t offered_from_ms_ = std::numeric_limits<std::int64_t>::min();
};

class TlsContext {
public:
    /// Loads CA, client certificate and key. Error texts name the thing, never its content.
    static core::Result<std::shared_ptr<TlsContext>> make(const Access& access);
    ~TlsContext();
    TlsContext(const TlsContext&) = delete;
    TlsContext& operator=(const TlsContext&) = delete;

    boost::asio::ssl::context& native() { return *context_; }
    /// Of this trust and this client certificate: other files, other context.
    TlsResumption& resumption() { return resumption_; }

    /// Makes a new connection check the server's name, send SNI (for names only), take up the last
    /// session if there is one, and keep what the server gives for the next. The connection is not
    /// to outlive this. False if OpenSSL refuses.
    bool prepare(ssl_st* connection);

private:
    TlsContext();

    std::unique_ptr<boost::asio::ssl::context> context_;
    TlsResumption resumption_;
    std::string name_;  ///< expected name or address
    bool verify_ = true;
};

/// One connection's TLS, as a client, over a connected socket that does not block. It is one
/// coroutine's: one step at a time.
class TlsSession {
public:
    enum class Need : std::uint8_t {
        nothing,   ///< the step is done, or has failed: see `ec`
        readable,  ///< the same step again when the socket can be read
        writable
    };
    struct Step {
        Need need = Need::nothing;
        std::size_t bytes = 0;  ///< done; 0 unless the step is done without error
        /// Asio's eof: the server has said that this is the end; stream_truncated: it has not.
        boost::system::error_code ec;
    };

    /// The socket stays the caller's; close() comes before its end.
    TlsSession(std::shared_ptr<TlsContext> trust, int socket);
    ~TlsSession();
    TlsSession(const TlsSession&) = delete;
    TlsSession& operator=(const TlsSession&) = delete;

    /// False: OpenSSL refuses the server's name, or has no memory.
    bool is_ready() const { return session_ != nullptr; }
    Step shake_hands();
    /// At least one byte, or eof.
    Step read(std::span<char> into);
    /// A part of it, perhaps; never nothing.
    Step write(std::string_view bytes);
    /// Every later step fails: the number of the socket may soon be somebody else's.
    void close() { socket_ = -1; }

    /// An earlier session was offered: what fails may go well without.
    bool is_resuming() const { return is_resuming_; }
    /// Why the server's certificate was not accepted; empty if it was.
    std::string verify_problem() const;

private:
    struct Transport;
    Step step_of(int result, std::size_t bytes);

    std::shared_ptr<TlsContext> trust_;
    ssl_st* session_ = nullptr;
    bool is_resuming_ = false;
    int socket_;
    int error_ = 0;           ///< errno of the last failed step of the transport
    bool has_ended_ = false;  ///< the server sends nothing more
};

}  // namespace k8s
