#include "k8s/net/tls.hpp"

#include "k8s/base/time.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cerrno>
#include <sys/socket.h>
#include <utility>

namespace k8s {
namespace ssl = boost::asio::ssl;
namespace {

bool is_address(const std::string& name) {
    boost::system::error_code ec;
    boost::asio::ip::make_address(name, ec);
    return !ec;
}

core::Error cannot_use(const char* what, const boost::system::error_code& ec) {
    return core::Error{std::string("cannot use the ") + what + ": " + ec.message()};
}

core::Result<core::Done> load_trust(ssl::context& context, const Access& access) {
    boost::system::error_code ec;
    if (access.insecure_skip_verify) {
        context.set_verify_mode(ssl::verify_none, ec);
        return core::Done{};
    }
    context.set_verify_mode(ssl::verify_peer, ec);
    if (access.ca_pem.empty()) {
        context.set_default_verify_paths(ec);
    } else {
        context.add_certificate_authority(boost::asio::buffer(access.ca_pem), ec);
    }
    if (ec) return cannot_use("certificate authority", ec);
    return core::Done{};
}

core::Result<core::Done> load_client(ssl::context& context, const Access& access) {
    if (access.client_certificate_pem.empty()) return core::Done{};
    boost::system::error_code ec;
    // Without this callback OpenSSL would ask for an encrypted key's password on the terminal.
    context.set_password_callback(
        [](std::size_t, ssl::context_base::password_purpose) { return std::string(); }, ec);
    context.use_certificate_chain(boost::asio::buffer(access.client_certificate_pem), ec);
    if (ec) return cannot_use("client certificate", ec);
    context.use_private_key(boost::asio::buffer(access.client_key_pem), ssl::context::pem, ec);
    if (ec) return cannot_use("client key", ec);
    if (SSL_CTX_check_private_key(context.native_handle()) != 1) {
        return core::Error{"the client key does not belong to the client certificate"};
    }
    return core::Done{};
}

/// Where a connection names its context. OpenSSL's "app data" is Asio's, whose streams delete it.
int context_index() {
    static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
    return index;
}

// The server has given a session for later. 1: it is kept.
int keep_session(SSL* connection, SSL_SESSION* session) {
    auto* const context = static_cast<TlsContext*>(SSL_get_ex_data(connection, context_index()));
    const bool is_resumed = SSL_session_reused(connection) == 1;
    context->resumption().keep(session, is_resumed, monotonic_ms());
    return 1;
}

// A copy: OpenSSL lets each be taken up once, so that an onlooker cannot tell that two connections
// are of one client. Ours are opened a dozen at a time and hide nothing of that kind.
void offer_session(SSL* connection, SSL_SESSION* last) {
    SSL_SESSION* const copy = last == nullptr ? nullptr : SSL_SESSION_dup(last);
    if (copy != nullptr) SSL_set_session(connection, copy);
    SSL_SESSION_free(copy);
}

}  // namespace

void TlsResumption::keep(ssl_session_st* session, bool is_resumed, std::int64_t now_ms) {
    SSL_SESSION_free(std::exchange(session_, session));
    if (!is_resumed) trusted_since_ms_ = now_ms;
}

ssl_session_st* TlsResumption::offered(std::int64_t now_ms) const {
    const bool is_good = session_ != nullptr && SSL_SESSION_is_resumable(session_) == 1 &&
                         now_ms >= offered_from_ms_ && now_ms - trusted_since_ms_ < trusted_ms_max;
    return is_good ? session_ : nullptr;
}

void TlsResumption::failed(std::int64_t now_ms) {
    SSL_SESSION_free(std::exchange(session_, nullptr));
    offered_from_ms_ = now_ms + trusted_ms_max;
}

TlsResumption::~TlsResumption() {
    SSL_SESSION_free(session_);
}

TlsContext::TlsContext()
    : context_(std::make_unique<boost::asio::ssl::context>(ssl::context::tls_client)) {}

TlsContext::~TlsContext() = default;

core::Result<std::shared_ptr<TlsContext>> TlsContext::make(const Access& access) {
    std::shared_ptr<TlsContext> made(new TlsContext());
    SSL_CTX* native = made->context_->native_handle();
    static constexpr unsigned char http_1_1[] = "\x08http/1.1";
    if (SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION) != 1 ||
        SSL_CTX_set_alpn_protos(native, http_1_1, sizeof http_1_1 - 1) != 0) {
        return core::Error{"OpenSSL refuses TLS 1.2 or ALPN"};
    }
    if (auto trust = load_trust(*made->context_, access); !trust) return trust.error();
    if (auto client = load_client(*made->context_, access); !client) return client.error();
    SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(native, keep_session);
    made->name_ = access.tls_server_name.empty() ? access.host : access.tls_server_name;
    made->verify_ = !access.insecure_skip_verify;
    return made;
}

bool TlsContext::prepare(ssl_st* connection) {
    if (SSL_set_ex_data(connection, context_index(), this) != 1) return false;
    const bool address = is_address(name_);
    if (!address && SSL_set_tlsext_host_name(connection, name_.c_str()) != 1) return false;
    offer_session(connection, resumption_.offered(monotonic_ms()));
    if (!verify_) return true;
    X509_VERIFY_PARAM* rules = SSL_get0_param(connection);
    if (address) return X509_VERIFY_PARAM_set1_ip_asc(rules, name_.c_str()) == 1;
    X509_VERIFY_PARAM_set_hostflags(
        rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    return X509_VERIFY_PARAM_set1_host(rules, name_.c_str(), name_.size()) == 1;
}

/// OpenSSL's own socket BIO would raise SIGPIPE, and could not tell an end from an error.
struct TlsSession::Transport {
    static TlsSession& session_of(BIO* bio) { return *static_cast<TlsSession*>(BIO_get_data(bio)); }

    static int finish(BIO* bio, ssize_t result, int retry_flag) {
        BIO_clear_retry_flags(bio);
        if (result >= 0) return static_cast<int>(result);
        const int error = errno;
        if (error == EAGAIN || error == EWOULDBLOCK || error == EINTR) {
            BIO_set_flags(bio, retry_flag | BIO_FLAGS_SHOULD_RETRY);
        } else {
            session_of(bio).error_ = error;
        }
        return -1;
    }

    static int read(BIO* bio, char* into, int size) {
        TlsSession& session = session_of(bio);
        const ssize_t result = ::recv(session.socket_, into, static_cast<std::size_t>(size), 0);
        session.has_ended_ = session.has_ended_ || (result == 0 && size > 0);
        return finish(bio, result, BIO_FLAGS_READ);
    }

    static int write(BIO* bio, const char* bytes, int size) {
        const ssize_t result =
            ::send(session_of(bio).socket_, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
        return finish(bio, result, BIO_FLAGS_WRITE);
    }

    static long control(BIO* bio, int command, long, void*) {
        if (command == BIO_CTRL_EOF) return session_of(bio).has_ended_ ? 1 : 0;
        return command == BIO_CTRL_FLUSH ? 1 : 0;
    }

    /// Made once, for the life of the process.
    static const BIO_METHOD* method() {
        static const BIO_METHOD* const made = [] {
            BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
            if (method == nullptr) return method;
            BIO_meth_set_read(method, read);
            BIO_meth_set_write(method, write);
            BIO_meth_set_ctrl(method, control);
            return method;
        }();
        return made;
    }
};

TlsSession::TlsSession(std::shared_ptr<TlsContext> trust, int socket)
    : trust_(std::move(trust)), socket_(socket) {
    session_ = SSL_new(trust_->native().native_handle());
    BIO* const bio = Transport::method() == nullptr ? nullptr : BIO_new(Transport::method());
    if (session_ == nullptr || bio == nullptr || !trust_->prepare(session_)) {
        BIO_free(bio);
        SSL_free(session_);
        session_ = nullptr;
        return;
    }
    is_resuming_ = SSL_get_session(session_) != nullptr;
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    SSL_set_bio(session_, bio, bio);
    SSL_set_connect_state(session_);
    // Idle connections hold no buffers of 16 KB; a record's head is not read by itself.
    SSL_set_mode(
        session_,
        SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
            SSL_MODE_RELEASE_BUFFERS);
    SSL_set_read_ahead(session_, 1);
}

TlsSession::~TlsSession() {
    // Else OpenSSL takes the session for broken: nobody may take it up any more.
    if (session_ != nullptr && SSL_is_init_finished(session_) == 1) {
        SSL_set_shutdown(session_, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    }
    SSL_free(session_);
}

TlsSession::Step TlsSession::step_of(int result, std::size_t bytes) {
    Step step;
    if (result > 0) {
        step.bytes = bytes;
        return step;
    }
    switch (SSL_get_error(session_, result)) {
        case SSL_ERROR_WANT_READ:
            step.need = Need::readable;
            return step;
        case SSL_ERROR_WANT_WRITE:
            step.need = Need::writable;
            return step;
        case SSL_ERROR_ZERO_RETURN:
            step.ec = boost::asio::error::eof;
            return step;
        default:
            break;
    }
    // What OpenSSL says comes first: a transport's error may be that of the alert that followed.
    const unsigned long why = ERR_get_error();
    if (why != 0 && ERR_GET_REASON(why) != SSL_R_UNEXPECTED_EOF_WHILE_READING) {
        step.ec = {static_cast<int>(why), boost::asio::error::get_ssl_category()};
    } else if (why == 0 && error_ != 0) {
        step.ec = {error_, boost::system::system_category()};
    } else {
        step.ec = ssl::error::stream_truncated;
    }
    return step;
}

TlsSession::Step TlsSession::shake_hands() {
    ERR_clear_error();
    const Step step = step_of(SSL_do_handshake(session_), 0);
    if (step.ec && is_resuming_) trust_->resumption().failed(monotonic_ms());
    return step;
}

TlsSession::Step TlsSession::read(std::span<char> into) {
    ERR_clear_error();
    std::size_t bytes = 0;
    const int result = SSL_read_ex(session_, into.data(), into.size(), &bytes);
    const Step step = step_of(result, bytes);
    // A session for later (keep_session) makes OpenSSL get 16 KB for an answer that it never sends.
    SSL_free_buffers(session_);
    return step;
}

TlsSession::Step TlsSession::write(std::string_view text) {
    ERR_clear_error();
    std::size_t bytes = 0;
    const int result = SSL_write_ex(session_, text.data(), text.size(), &bytes);
    return step_of(result, bytes);
}

std::string TlsSession::verify_problem() const {
    const long result = SSL_get_verify_result(session_);
    return result == X509_V_OK ? std::string() : X509_verify_cert_error_string(result);
}

}  // namespace k8s
