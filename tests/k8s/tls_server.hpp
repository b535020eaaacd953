#pragma once
// A TLS server on loopback with a certificate of pki/, and whom its clients trust.

#include "k8s/credentials/access.hpp"

#include <doctest/doctest.h>
#include <openssl/ssl.h>

#include <arpa/inet.h>
#include <atomic>
#include <fstream>
#include <list>
#include <mutex>
#include <netinet/in.h>
#include <sstream>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace fake_tls {

using k8s::Access;

inline std::string pki(const std::string& name) {
    return std::string(TESTS_DIR) + "/k8s/pki/" + name;
}

inline std::string read(const std::string& name) {
    std::ifstream in(pki(name));
    std::ostringstream text;
    text << in.rdbuf();
    REQUIRE_FALSE(text.str().empty());
    return text.str();
}

inline int choose_http_1_1(
    SSL*,
    const unsigned char** out,
    unsigned char* length,
    const unsigned char* offered,
    unsigned offered_length,
    void*) {
    static const unsigned char wanted[] = "\x08http/1.1";
    return SSL_select_next_proto(
               const_cast<unsigned char**>(out), length, wanted, 9, offered, offered_length) ==
                   OPENSSL_NPN_NEGOTIATED
               ? SSL_TLSEXT_ERR_OK
               : SSL_TLSEXT_ERR_ALERT_FATAL;
}

constexpr std::size_t flood_size = 8 * 1024 * 1024;

/// Each request is answered with what the client showed: "ALPN|SNI|CN of its certificate"; /stream
/// says so and falls silent, /flood goes on to `flood_size` as fast as the client reads.
class TlsServer {
public:
    /// `names_sessions` false: as servers do that ask for certificates and forget to say what their
    /// sessions are for: a client that takes one up is refused.
    explicit TlsServer(
        const std::string& certificate, int version_max = 0, bool names_sessions = true)
        : version_max_(version_max),
          names_sessions_(names_sessions),
          context_(context_with(certificate)) {
        listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
        REQUIRE(::listen(listener_, 4) == 0);
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
        acceptor_ = std::thread([this] { accept(); });
    }
    ~TlsServer() {
        ::shutdown(listener_, SHUT_RDWR);
        acceptor_.join();
        for (int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
        for (std::thread& thread : threads_) thread.join();
        for (int socket : sockets_) ::close(socket);
        ::close(listener_);
        SSL_CTX_free(context_);
    }
    TlsServer(const TlsServer&) = delete;
    TlsServer& operator=(const TlsServer&) = delete;
    std::uint16_t port() const { return port_; }
    int connections() const { return connections_; }
    int resumed() const { return resumed_; }

    /// What new connections see from now on.
    void use(const std::string& certificate) {
        SSL_CTX* fresh = context_with(certificate);
        const std::lock_guard lock(mutex_);
        SSL_CTX_free(std::exchange(context_, fresh));
    }

private:
    SSL_CTX* context_with(const std::string& certificate) const {
        SSL_CTX* made = SSL_CTX_new(TLS_server_method());
        REQUIRE(
            SSL_CTX_use_certificate_file(
                made, pki(certificate + ".pem").c_str(), SSL_FILETYPE_PEM) == 1);
        REQUIRE(
            SSL_CTX_use_PrivateKey_file(
                made, pki(certificate + ".key").c_str(), SSL_FILETYPE_PEM) == 1);
        SSL_CTX_load_verify_locations(made, pki("ca.pem").c_str(), nullptr);
        SSL_CTX_set_verify(made, SSL_VERIFY_PEER, nullptr);
        SSL_CTX_set_session_cache_mode(made, SSL_SESS_CACHE_OFF);
        static constexpr unsigned char purpose[] = "test";
        if (names_sessions_) SSL_CTX_set_session_id_context(made, purpose, sizeof purpose - 1);
        SSL_CTX_set_alpn_select_cb(made, choose_http_1_1, nullptr);
        if (version_max_ != 0) {
            SSL_CTX_set_security_level(made, 0);
            SSL_CTX_set_min_proto_version(made, version_max_);
            SSL_CTX_set_max_proto_version(made, version_max_);
        }
        return made;
    }
    void accept() {
        for (;;) {
            const int socket = ::accept(listener_, nullptr, nullptr);
            if (socket < 0) return;
            ++connections_;
            sockets_.push_back(socket);
            const std::lock_guard lock(mutex_);
            SSL* session = SSL_new(context_);
            threads_.emplace_back([this, session, socket] { serve(session, socket); });
        }
    }
    void serve(SSL* session, int socket) {
        SSL_set_fd(session, socket);
        char bytes[8192];
        bool goes_on = SSL_accept(session) == 1;
        if (goes_on && SSL_session_reused(session) == 1) ++resumed_;
        while (goes_on && SSL_read(session, bytes, sizeof bytes) > 0) {
            std::string body = shown(session);
            const bool is_stream = std::string(bytes, 11) == "GET /stream";
            if (std::string(bytes, 10) == "GET /flood") body.resize(flood_size, '.');
            const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: " +
                                       std::to_string(is_stream ? 1'000'000 : body.size()) +
                                       "\r\n\r\n" + body;
            goes_on = SSL_write(session, answer.data(), static_cast<int>(answer.size())) > 0;
        }
        SSL_shutdown(session);
        SSL_free(session);
        ::shutdown(socket, SHUT_RDWR);
    }
    static std::string shown(SSL* session) {
        const unsigned char* alpn = nullptr;
        unsigned length = 0;
        SSL_get0_alpn_selected(session, &alpn, &length);
        const char* name = SSL_get_servername(session, TLSEXT_NAMETYPE_host_name);
        char common_name[64] = "";
        if (X509* peer = SSL_get1_peer_certificate(session); peer != nullptr) {
            X509_NAME_get_text_by_NID(
                X509_get_subject_name(peer), NID_commonName, common_name, sizeof common_name);
            X509_free(peer);
        }
        return std::string(reinterpret_cast<const char*>(alpn), length) + "|" +
               (name == nullptr ? "" : name) + "|" + common_name;
    }

    int version_max_;
    bool names_sessions_;
    std::mutex mutex_;
    SSL_CTX* context_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::atomic<int> connections_ = 0;
    std::atomic<int> resumed_ = 0;
    std::thread acceptor_;
    std::list<std::thread> threads_;
    std::list<int> sockets_;
};

inline Access trusting(const TlsServer& server, const std::string& ca = "ca.pem") {
    Access access;
    access.host = "127.0.0.1";
    access.port = server.port();
    access.ca_pem = read(ca);
    return access;
}

}  // namespace fake_tls
