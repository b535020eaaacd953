// Real handshakes: whom we trust, what we offer. The certificates are in pki/.
#include "k8s/connection.hpp"
#include "k8s/endpoint.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>
#include <openssl/ssl.h>

#include <arpa/inet.h>
#include <fstream>
#include <netinet/in.h>
#include <optional>
#include <sstream>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace k8s;

namespace {

std::string pki(const std::string& name) {
    return std::string(TESTS_DIR) + "/k8s/pki/" + name;
}

std::string read(const std::string& name) {
    std::ifstream in(pki(name));
    std::ostringstream text;
    text << in.rdbuf();
    REQUIRE_FALSE(text.str().empty());
    return text.str();
}

int choose_http_1_1(
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

/// One handshake, one request, one answer that says what the client showed: "ALPN|SNI|CN".
class TlsServer {
public:
    explicit TlsServer(const std::string& certificate, int version_max = 0)
        : context_(SSL_CTX_new(TLS_server_method())) {
        REQUIRE(
            SSL_CTX_use_certificate_file(
                context_, pki(certificate + ".pem").c_str(), SSL_FILETYPE_PEM) == 1);
        REQUIRE(
            SSL_CTX_use_PrivateKey_file(
                context_, pki(certificate + ".key").c_str(), SSL_FILETYPE_PEM) == 1);
        SSL_CTX_load_verify_locations(context_, pki("ca.pem").c_str(), nullptr);
        SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
        SSL_CTX_set_alpn_select_cb(context_, choose_http_1_1, nullptr);
        if (version_max != 0) {
            SSL_CTX_set_security_level(context_, 0);
            SSL_CTX_set_min_proto_version(context_, version_max);
            SSL_CTX_set_max_proto_version(context_, version_max);
        }
        listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
        REQUIRE(::listen(listener_, 4) == 0);
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    ~TlsServer() {
        ::shutdown(listener_, SHUT_RDWR);
        thread_.join();
        ::close(listener_);
        SSL_CTX_free(context_);
    }
    TlsServer(const TlsServer&) = delete;
    TlsServer& operator=(const TlsServer&) = delete;
    std::uint16_t port() const { return port_; }

private:
    void serve() {
        const int socket = ::accept(listener_, nullptr, nullptr);
        if (socket < 0) return;
        SSL* session = SSL_new(context_);
        SSL_set_fd(session, socket);
        char bytes[8192];
        if (SSL_accept(session) == 1 && SSL_read(session, bytes, sizeof bytes) > 0) {
            const std::string body = shown(session);
            const std::string answer =
                "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                body;
            SSL_write(session, answer.data(), static_cast<int>(answer.size()));
            SSL_shutdown(session);
        }
        SSL_free(session);
        ::close(socket);
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

    SSL_CTX* context_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

Access trusting(const TlsServer& server, const std::string& ca = "ca.pem") {
    Access access;
    access.host = "127.0.0.1";
    access.port = server.port();
    access.ca_pem = read(ca);
    return access;
}

boost::asio::awaitable<void> call(Connection& connection, std::optional<Reply>& into) {
    into = co_await connection.call(Request("GET", "/"), CallLimits(5'000));
}

/// The body, or the failure's text after "!".
std::string answer(const Access& access) {
    auto endpoint = Endpoint::make(access, "gang-scheduler/test");
    REQUIRE(endpoint);
    boost::asio::io_context io;
    Connection connection(io, *endpoint);
    std::optional<Reply> reply;
    boost::asio::co_spawn(io, call(connection, reply), [](std::exception_ptr e) {
        if (e) std::rethrow_exception(e);
    });
    io.run();
    REQUIRE(reply);
    if (const auto* failure = std::get_if<Failure>(&*reply)) {
        CHECK_FALSE(failure->maybe_sent);  // no request goes to a server that is not trusted
        return "!" + failure->message;
    }
    return std::get<Response>(*reply).body;
}

bool refused(const std::string& text, const std::string& why) {
    return text.front() == '!' && text.find(why) != std::string::npos;
}

}  // namespace

TEST_CASE("tls: a literal address is checked as an address, without SNI, with ALPN") {
    TlsServer server("by-address");
    CHECK(answer(trusting(server)) == "http/1.1||");
}

TEST_CASE("tls: tls-server-name is what is checked and sent") {
    TlsServer server("by-name");
    Access access = trusting(server);
    access.tls_server_name = "api.test";
    CHECK(answer(access) == "http/1.1|api.test|");
}

TEST_CASE("tls: the client certificate is shown") {
    TlsServer server("by-address");
    Access access = trusting(server);
    access.client_certificate_pem = read("client.pem");
    access.client_key_pem = read("client.key");
    CHECK(answer(access) == "http/1.1||a-user");
}

TEST_CASE("tls: certificates that are not the server's are refused, before a request is sent") {
    struct Case {
        const char* certificate;
        const char* why;
    };
    for (const Case& one :
         {Case{"by-name", "IP address mismatch"},
          Case{"cn-only", "IP address mismatch"},
          Case{"address-as-name", "IP address mismatch"},
          Case{"expired", "expired"},
          Case{"wrong-use", "purpose"},
          Case{"foreign", "unable to get local issuer certificate"}}) {
        CAPTURE(one.certificate);
        TlsServer server(one.certificate);
        const std::string text = answer(trusting(server));
        CAPTURE(text);
        CHECK(refused(text, one.why));
    }
}

TEST_CASE("tls: several roots in one bundle are all trusted") {
    TlsServer server("foreign");
    Access access = trusting(server);
    access.ca_pem += read("other-ca.pem");
    CHECK(answer(access) == "http/1.1||");
}

TEST_CASE("tls: without a CA the system's roots decide, and ours is not among them") {
    TlsServer server("by-address");
    Access access = trusting(server);
    access.ca_pem.clear();
    CHECK(answer(access).front() == '!');
}

TEST_CASE("tls: verification is left out only when asked for") {
    TlsServer server("expired");
    Access access = trusting(server);
    access.ca_pem.clear();
    access.insecure_skip_verify = true;
    CHECK(answer(access) == "http/1.1||");
}

TEST_CASE("tls: 1.1 is too old") {
    TlsServer server("by-address", TLS1_1_VERSION);
    CHECK(answer(trusting(server)).front() == '!');
}

TEST_CASE("tls: a plain HTTP server behind https is a failure") {
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(::bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(::listen(listener, 1) == 0);
    ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    std::thread server([&] {
        const int socket = ::accept(listener, nullptr, nullptr);
        const std::string text = "HTTP/1.1 400 Bad Request\r\n\r\n";
        ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
        ::shutdown(socket, SHUT_WR);
        char byte = 0;
        while (::recv(socket, &byte, 1, 0) > 0) {
        }
        ::close(socket);
    });
    Access access;
    access.host = "127.0.0.1";
    access.port = ntohs(address.sin_port);
    access.ca_pem = read("ca.pem");
    CHECK(answer(access).front() == '!');
    server.join();
    ::close(listener);
}

TEST_CASE("tls: bad material is a start-up error that does not quote it") {
    Access access;
    access.host = "127.0.0.1";
    const auto problem = [&] {
        const auto endpoint = Endpoint::make(access, "gang-scheduler/test");
        return endpoint ? std::string("accepted") : endpoint.error().message;
    };
    access.ca_pem = "canary-not-a-certificate";
    CHECK(problem().find("certificate authority") != std::string::npos);
    CHECK(problem().find("canary") == std::string::npos);
    access.ca_pem = read("ca.pem");
    CHECK(problem() == "accepted");
    access.client_certificate_pem = read("client.pem");
    access.client_key_pem = "canary-not-a-key";
    CHECK(problem().find("client key") != std::string::npos);
    CHECK(problem().find("canary") == std::string::npos);
    access.client_key_pem = read("by-name.key");
    CHECK(problem() != "accepted");
}
