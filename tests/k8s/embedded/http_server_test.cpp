// The port itself, over real sockets on loopback: a blocking client against the server's loop,
// which runs on a thread of its own.

#include "k8s/embedded/http/http_server.hpp"

#include "k8s/embedded/cluster.hpp"
#include "rig.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <arpa/inet.h>
#include <fstream>
#include <netinet/in.h>
#include <sstream>
#include <sys/socket.h>
#include <sys/time.h>
#include <thread>
#include <unistd.h>

using namespace k8s::embedded;
using rig::json;

namespace {

/// A cluster on any port; the loop ends with the object.
class Running {
public:
    Running() : cluster_(io_, ClusterOptions{}) {
        const auto started = cluster_.start();
        REQUIRE(static_cast<bool>(started));
        port = *started;
        thread_ = std::thread([this] { io_.run(); });
    }
    ~Running() {
        stop();
        thread_.join();
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    void stop() {
        boost::asio::post(io_, [this] { cluster_.stop(); });
    }
    Cluster& cluster() { return cluster_; }

    std::uint16_t port = 0;

private:
    boost::asio::io_context io_;
    Cluster cluster_;
    std::thread thread_;
};

class Client {
public:
    explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const timeval limit{10, 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
        REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
    }
    ~Client() { ::close(socket_); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    void send(const std::string& text) const {
        // A server that refuses may close early; then the rest has nowhere to go.
        std::size_t sent = 0;
        while (sent < text.size()) {
            const auto count =
                ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
            if (count <= 0) {
                return;
            }
            sent += static_cast<std::size_t>(count);
        }
    }
    void request(
        const std::string& method,
        const std::string& target,
        const std::string& body = {},
        const std::string& headers = {}) const {
        send(
            method + " " + target + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
            headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    }
    std::string read(std::size_t count) {
        fill([&] { return buffer_.size() >= count; });
        return take(count);
    }
    std::string read_until(const std::string& mark) {
        fill([&] { return buffer_.find(mark) != std::string::npos; });
        const auto at = buffer_.find(mark);
        return at == std::string::npos ? take(buffer_.size()) : take(at + mark.size());
    }
    std::string read_to_end() {
        fill([] { return false; });
        return take(buffer_.size());
    }
    /// Head and body of one answer with a length.
    std::pair<std::string, std::string> answer() {
        auto head = read_until("\r\n\r\n");
        const std::string mark = "Content-Length: ";
        const auto at = head.find(mark);
        const auto size = at == std::string::npos ? 0 : std::stoul(head.substr(at + mark.size()));
        return {head, read(size)};
    }
    std::string chunk() {
        const auto size = std::stoul(read_until("\r\n"), nullptr, 16);
        auto bytes = read(size);
        read(2);
        return bytes;
    }
    /// Opcode and payload of one frame from the server, which is a whole message.
    std::pair<int, std::string> frame() {
        const auto head = read(2);
        REQUIRE(head.size() == 2);
        CHECK((static_cast<unsigned char>(head[0]) & 0x80U) != 0);
        auto size = static_cast<std::size_t>(head[1] & 0x7f);
        const std::size_t more = size == 126 ? 2 : size == 127 ? 8 : 0;
        if (more > 0) {
            size = 0;
            for (const char c : read(more)) {
                size = (size << 8U) | static_cast<unsigned char>(c);
            }
        }
        return {head[0] & 0x0f, read(size)};
    }

private:
    template <typename Enough>
    void fill(const Enough& enough) {
        char bytes[65536];
        while (!enough()) {
            const auto count = ::recv(socket_, bytes, sizeof(bytes), 0);
            if (count <= 0) {
                return;
            }
            buffer_.append(bytes, static_cast<std::size_t>(count));
        }
    }
    std::string take(std::size_t count) {
        auto taken = buffer_.substr(0, count);
        buffer_.erase(0, count);
        return taken;
    }

    int socket_;
    std::string buffer_;
};

const std::string maps = "/api/v1/namespaces/default/configmaps";

std::string map_named(const std::string& name) {
    return R"({"metadata":{"name":")" + name + "\"}}";
}

std::string websocket_headers(const std::string& more = {}) {
    return "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
           more;
}

void make_map(std::uint16_t port, const std::string& name) {
    Client client(port);
    client.request("POST", maps, map_named(name));
    REQUIRE(client.answer().first.rfind("HTTP/1.1 201", 0) == 0);
}

}  // namespace

TEST_CASE("http: one connection carries many requests") {
    Running running;
    Client client(running.port);
    client.request("GET", "/healthz");
    CHECK(client.answer().second == "ok");
    client.request("POST", maps, map_named("a"));
    CHECK(client.answer().first.rfind("HTTP/1.1 201 Created", 0) == 0);
    client.request("HEAD", maps + "/a");
    const auto head = client.read_until("\r\n\r\n");
    CHECK(head.rfind("HTTP/1.1 405", 0) == 0);
    CHECK(head.find("Content-Length: 0") == std::string::npos);
    client.request("OPTIONS", maps);
    CHECK(client.answer().first.rfind("HTTP/1.1 405", 0) == 0);
    client.request("GET", maps + "/a", "", "Connection: close\r\n");
    CHECK(json(client.answer().second).text({"metadata", "name"}) == "a");
    CHECK(client.read_to_end().empty());
}

TEST_CASE("http: 100-continue is answered before the body comes") {
    Running running;
    Client client(running.port);
    const auto body = map_named("a");
    client.send(
        "POST " + maps +
        " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n"
        "Content-Length: " +
        std::to_string(body.size()) + "\r\n\r\n");
    CHECK(client.read_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
    client.send(body);
    CHECK(client.answer().first.rfind("HTTP/1.1 201", 0) == 0);
}

TEST_CASE("http: too much and nonsense are refused with a Status, not with a broken connection") {
    Running running;
    SUBCASE("a body over 3 MiB") {
        Client client(running.port);
        client.request("POST", maps, std::string((3U << 20U) + 1, ' '));
        const auto [head, body] = client.answer();
        CHECK(head.rfind("HTTP/1.1 413", 0) == 0);
        CHECK(json(body).text({"reason"}) == "RequestEntityTooLarge");
    }
    SUBCASE("a huge header") {
        Client client(running.port);
        client.request("GET", maps, "", "X-Long: " + std::string(70'000, 'x') + "\r\n");
        CHECK(client.answer().first.rfind("HTTP/1.1 431", 0) == 0);
    }
    SUBCASE("no HTTP at all") {
        Client client(running.port);
        client.send("hello there\r\n\r\n");
        const auto [head, body] = client.answer();
        CHECK(head.rfind("HTTP/1.1 400", 0) == 0);
        CHECK(json(body).text({"kind"}) == "Status");
    }
}

TEST_CASE("http: a watch comes in chunks and ends at its timeout, the connection goes on") {
    Running running;
    make_map(running.port, "a");
    Client client(running.port);
    client.request("GET", maps + "?watch=true&timeoutSeconds=1&allowWatchBookmarks=true");
    CHECK(client.read_until("\r\n\r\n").find("Transfer-Encoding: chunked") != std::string::npos);
    const auto first = client.chunk();
    CHECK(first.back() == '\n');
    CHECK(json(first).text({"type"}) == "ADDED");
    make_map(running.port, "b");
    CHECK(json(client.chunk()).text({"object", "metadata", "name"}) == "b");
    CHECK(json(client.chunk()).text({"type"}) == "BOOKMARK");
    CHECK(client.chunk().empty());
    client.request("GET", "/healthz");
    CHECK(client.answer().second == "ok");
}

TEST_CASE("http: a watch over WebSocket sends each event as one text frame") {
    Running running;
    make_map(running.port, "a");
    Client client(running.port);
    client.request(
        "GET",
        maps + "?watch=true&timeoutSeconds=1",
        "",
        websocket_headers("Sec-WebSocket-Protocol: first, second\r\n"));
    const auto head = client.read_until("\r\n\r\n");
    CHECK(head.rfind("HTTP/1.1 101", 0) == 0);
    CHECK(head.find("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") != std::string::npos);
    CHECK(head.find("Sec-WebSocket-Protocol: first\r\n") != std::string::npos);
    const auto [opcode, text] = client.frame();
    CHECK(opcode == 1);
    CHECK(json(text).text({"object", "metadata", "name"}) == "a");
    const std::string large(100'000, 'x');
    Client(running.port)
        .request("POST", maps, R"({"metadata":{"name":"b"},"data":{"large":")" + large + "\"}}");
    const auto second = json(client.frame().second);
    CHECK(second.text({"object", "metadata", "name"}) == "b");
    CHECK(second.text({"object", "data", "large"}) == large);
    CHECK(client.frame().first == 8);
}

TEST_CASE("http: a WebSocket that is no watch gets a plain answer") {
    Running running;
    Client client(running.port);
    client.request("GET", maps + "/none", "", websocket_headers());
    CHECK(client.answer().first.rfind("HTTP/1.1 404", 0) == 0);
}

TEST_CASE("http: stop ends watches of both forms and lets the loop run dry") {
    Running running;
    Client chunks(running.port);
    chunks.request("GET", maps + "?watch=true");
    chunks.read_until("\r\n\r\n");
    Client frames(running.port);
    frames.request("GET", maps + "?watch=true", "", websocket_headers());
    frames.read_until("\r\n\r\n");
    Client idle(running.port);
    running.stop();
    CHECK(chunks.read_to_end().empty());
    CHECK(frames.read_to_end().empty());
    CHECK(idle.read_to_end().empty());
}

TEST_CASE("cluster: the kubeconfig file is whole and names the port") {
    Running running;
    const std::string path = "/tmp/gang-kubeconfig-" + std::to_string(::getpid());
    REQUIRE(static_cast<bool>(running.cluster().write_kubeconfig(path)));
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    CHECK(text.str() == running.cluster().kubeconfig());
    CHECK(
        text.str().find("server: http://127.0.0.1:" + std::to_string(running.port)) !=
        std::string::npos);
    ::unlink(path.c_str());
    CHECK_FALSE(static_cast<bool>(running.cluster().write_kubeconfig("/nowhere/at/all")));
}
