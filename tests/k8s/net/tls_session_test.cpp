// A session against OpenSSL's own server side over a pair of sockets, step by step: nobody waits.
#include "k8s/base/time.hpp"
#include "k8s/net/tls.hpp"
#include "tests/k8s/tls_server.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <doctest/doctest.h>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

using namespace k8s;
using Need = TlsSession::Need;

namespace {

SSL_CTX* server_context(const std::string& certificate) {
    SSL_CTX* made = SSL_CTX_new(TLS_server_method());
    SSL_CTX_use_certificate_file(
        made, fake_tls::pki(certificate + ".pem").c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(
        made, fake_tls::pki(certificate + ".key").c_str(), SSL_FILETYPE_PEM);
    return made;
}

struct Pair {
    Pair() : Pair(server_context("by-address")) {}
    /// Another connection to the same server.
    explicit Pair(const Pair& other) : Pair(other.context) { SSL_CTX_up_ref(context); }
    explicit Pair(SSL_CTX* of) : context(of) {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
        near = ends[0];
        far = ends[1];
        for (const int end : ends) ::fcntl(end, F_SETFL, O_NONBLOCK);
        server = SSL_new(context);
        SSL_set_fd(server, far);
        SSL_set_accept_state(server);
    }
    ~Pair() {
        SSL_free(server);
        SSL_CTX_free(context);
        ::close(near);
        hang_up();
    }
    Pair& operator=(const Pair&) = delete;

    void hang_up() {
        if (far >= 0) ::close(far);
        far = -1;
    }

    int near = -1;
    int far = -1;
    SSL_CTX* context = nullptr;
    SSL* server = nullptr;
};

std::shared_ptr<TlsContext> trust() {
    Access access;
    access.host = "127.0.0.1";
    access.ca_pem = fake_tls::read("ca.pem");
    auto made = TlsContext::make(access);
    REQUIRE(made);
    return *made;
}

void shake_hands(TlsSession& session, Pair& pair) {
    REQUIRE(session.is_ready());
    CHECK(session.shake_hands().need == Need::readable);  // it has spoken first
    for (int turn = 0; turn < 10; ++turn) {
        const bool is_server_done = SSL_do_handshake(pair.server) == 1;
        const TlsSession::Step step = session.shake_hands();
        REQUIRE_FALSE(step.ec);
        if (step.need == Need::nothing && is_server_done) return;
    }
    FAIL("no handshake");
}

std::string server_reads(Pair& pair) {
    std::string all;
    std::array<char, 8192> bytes{};
    for (int got = 1; got > 0;) {
        got = SSL_read(pair.server, bytes.data(), bytes.size());
        if (got > 0) all.append(bytes.data(), static_cast<std::size_t>(got));
    }
    return all;
}

std::string many_bytes() {
    std::string text;
    for (int i = 0; text.size() < 2'000'000; ++i) text += std::to_string(i) + ",";
    return text;
}

// The server's sessions for later come with the first bytes that it sends.
std::shared_ptr<TlsContext> trust_with_session(const Pair& server) {
    auto known = trust();
    Pair first(server);
    TlsSession session(known, first.near);
    shake_hands(session, first);
    CHECK(SSL_session_reused(first.server) == 0);
    REQUIRE(SSL_write(first.server, "x", 1) == 1);
    std::array<char, 8> room{};
    REQUIRE(session.read(room).bytes == 1);
    return known;
}

/// A session as servers give them, for as many TlsResumptions as are wanted.
class GivenSession {
public:
    GivenSession() : known_(trust_with_session(Pair())) {
        session_ = known_->resumption().offered(monotonic_ms());
        REQUIRE(session_ != nullptr);
    }
    void keep_in(TlsResumption& resumption, bool is_resumed, std::int64_t now_ms) const {
        SSL_SESSION_up_ref(session_);
        resumption.keep(session_, is_resumed, now_ms);
    }
    SSL_SESSION* get() const { return session_; }

private:
    std::shared_ptr<TlsContext> known_;
    SSL_SESSION* session_ = nullptr;  // known_'s
};

bool is_resumed(const std::shared_ptr<TlsContext>& known, const Pair& server) {
    Pair next(server);
    TlsSession session(known, next.near);
    shake_hands(session, next);
    CHECK(session.verify_problem().empty());
    return SSL_session_reused(next.server) == 1;
}

}  // namespace

TEST_CASE("tls session: what does not fit the socket goes on when it is writable again") {
    Pair pair;
    TlsSession session(trust(), pair.near);
    shake_hands(session, pair);
    const std::string text = many_bytes();
    std::string_view left = text;
    std::string heard;
    bool was_full = false;
    while (!left.empty()) {
        const TlsSession::Step step = session.write(left);
        REQUIRE_FALSE(step.ec);
        left.remove_prefix(step.bytes);
        if (step.need == Need::nothing) continue;
        CHECK(step.need == Need::writable);
        was_full = true;
        heard += server_reads(pair);
    }
    heard += server_reads(pair);
    CHECK(was_full);
    CHECK((heard == text));
}

TEST_CASE("tls session: many records are read whole, and then the socket must be readable") {
    Pair pair;
    TlsSession session(trust(), pair.near);
    shake_hands(session, pair);
    const std::string text = many_bytes().substr(0, 100'000);
    std::string heard;
    std::string_view left = text;
    SSL_set_mode(pair.server, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    std::array<char, 4096> room{};
    while (heard.size() < text.size()) {
        const int sent =
            left.empty() ? 0 : SSL_write(pair.server, left.data(), static_cast<int>(left.size()));
        if (sent > 0) left.remove_prefix(static_cast<std::size_t>(sent));
        for (;;) {
            const TlsSession::Step step = session.read(room);
            REQUIRE_FALSE(step.ec);
            if (step.need != Need::nothing) {
                CHECK(step.need == Need::readable);
                break;
            }
            heard.append(room.data(), step.bytes);
        }
    }
    CHECK((heard == text));
}

TEST_CASE("tls session: an end that was said is told from one that was not") {
    for (const bool is_said : {true, false}) {
        CAPTURE(is_said);
        Pair pair;
        TlsSession session(trust(), pair.near);
        shake_hands(session, pair);
        if (is_said) SSL_shutdown(pair.server);
        pair.hang_up();
        std::array<char, 64> room{};
        const TlsSession::Step step = session.read(room);
        CHECK(step.need == Need::nothing);
        if (is_said) {
            CHECK((step.ec == boost::asio::error::eof));
        } else {
            CHECK((step.ec == boost::asio::ssl::error::stream_truncated));
        }
    }
}

TEST_CASE("tls session: a write to a server that is gone is an error, not a signal") {
    Pair pair;
    TlsSession session(trust(), pair.near);
    shake_hands(session, pair);
    pair.hang_up();
    const auto before = std::signal(SIGPIPE, SIG_DFL);  // Asio has it ignored
    const TlsSession::Step step = session.write("hello");
    std::signal(SIGPIPE, before);
    CHECK(step.need == Need::nothing);
    CHECK((step.ec == boost::system::errc::broken_pipe));
}

TEST_CASE("tls session: after close() the socket's number is not used again") {
    Pair pair;
    TlsSession session(trust(), pair.near);
    shake_hands(session, pair);
    session.close();
    const TlsSession::Step step = session.write("hello");
    CHECK(step.need == Need::nothing);
    CHECK((step.ec == boost::system::errc::bad_file_descriptor));
    CHECK(server_reads(pair).empty());
}

TEST_CASE("tls session: the next connections take up the first one's session") {
    Pair server;
    const auto known = trust_with_session(server);
    CHECK(is_resumed(known, server));
    CHECK(is_resumed(known, server));  // also when the one before it was not ended orderly
    CHECK_FALSE(is_resumed(trust(), server));
    CHECK_FALSE(is_resumed(known, Pair()));  // a server that knows nothing of it
}

TEST_CASE("tls session: a handshake that fails makes the next one begin afresh") {
    Pair server;
    const auto known = trust_with_session(server);
    Pair stranger(server_context("by-name"));
    TlsSession session(known, stranger.near);
    for (int turn = 0; turn < 4; ++turn) {
        SSL_do_handshake(stranger.server);
        if (session.shake_hands().ec) break;
    }
    CHECK_FALSE(session.verify_problem().empty());
    CHECK_FALSE(is_resumed(known, server));
}

TEST_CASE("tls session: however often it is taken up, certificates are looked at again") {
    const GivenSession session;
    constexpr std::int64_t max = TlsResumption::trusted_ms_max;
    TlsResumption resumption;
    CHECK(resumption.offered(0) == nullptr);
    session.keep_in(resumption, false, 1'000);
    CHECK(resumption.offered(1'000 + max - 1) == session.get());
    session.keep_in(resumption, true, max);
    CHECK(resumption.offered(1'000 + max - 1) == session.get());
    CHECK(resumption.offered(1'000 + max) == nullptr);
    session.keep_in(resumption, false, max);
    CHECK(resumption.offered(1'000 + max) == session.get());
}

TEST_CASE("tls session: where taking one up fails, none is offered for a while") {
    const GivenSession session;
    constexpr std::int64_t max = TlsResumption::trusted_ms_max;
    TlsResumption resumption;
    resumption.failed(1'000);
    session.keep_in(resumption, false, 1'001);
    CHECK(resumption.offered(1'000 + max - 1) == nullptr);
    CHECK(resumption.offered(1'000 + max) == session.get());
}
