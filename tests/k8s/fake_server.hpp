#pragma once
// An HTTP server on loopback that does to the client what the test says: answers whole, in pieces,
// or not at all. Blocking sockets, one thread per connection; nothing of the code under test is in
// it.

#include "k8s/net/endpoint.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace fake {

struct Request {
    std::string method;
    std::string target;
    std::string body;
    std::map<std::string, std::string> headers;  // names in lower case
    int connection = 0;                          // 1 for the first, and so on
};

/// One accepted connection, for the handler.
class Peer {
public:
    explicit Peer(int socket) : socket_(socket) {}

    void send(const std::string& bytes) {
        std::size_t sent = 0;
        while (sent < bytes.size()) {
            const ssize_t n =
                ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
            if (n <= 0) return hang_up();
            sent += static_cast<std::size_t>(n);
        }
    }
    void reply(int status, const std::string& body, const std::string& headers = "") {
        send(
            "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: application/json\r\n" +
            headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    }
    void begin_chunks() { send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"); }
    void chunk(const std::string& bytes) {
        char size[32];
        std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
        send(size + bytes + "\r\n");
    }
    void end_chunks() { send("0\r\n\r\n"); }
    void hang_up() { open_ = false; }
    /// The client sees "connection reset".
    void reset() {
        const linger at_once{1, 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        open_ = false;
    }
    /// Holds the connection without a word until the client or the server's end closes it.
    void hold() {
        char byte = 0;
        while (::recv(socket_, &byte, 1, 0) > 0) {
        }
        open_ = false;
    }
    bool is_open() const { return open_; }
    int socket() const { return socket_; }
    /// The client, or the server's end, has closed the connection.
    bool is_gone() const {
        char byte = 0;
        return ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
    }

private:
    int socket_;
    bool open_ = true;
};

using Handler = std::function<void(Peer&, const Request&)>;

class Server {
public:
    explicit Server(Handler handler) : handler_(std::move(handler)) {
        listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
        REQUIRE(::listen(listener_, 64) == 0);
        socklen_t size = sizeof address;
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
        acceptor_ = std::thread([this] { accept(); });
    }
    ~Server() {
        ::shutdown(listener_, SHUT_RDWR);
        acceptor_.join();
        {
            const std::lock_guard lock(mutex_);
            for (int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
        }
        for (std::thread& thread : threads_) thread.join();
        ::close(listener_);
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    std::uint16_t port() const { return port_; }
    std::vector<Request> requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }
    std::size_t count(const std::string& method, const std::string& part) const {
        const auto all = requests();
        return static_cast<std::size_t>(
            std::count_if(all.begin(), all.end(), [&](const Request& r) {
                return r.method == method && r.target.find(part) != std::string::npos;
            }));
    }
    int connections() const {
        const std::lock_guard lock(mutex_);
        return connections_;
    }
    k8s::Access access() const {
        k8s::Access made;
        made.tls = false;
        made.host = "127.0.0.1";
        made.port = port_;
        return made;
    }
    std::shared_ptr<k8s::Endpoint> endpoint() const {
        auto made = k8s::Endpoint::make(access(), "gang-scheduler/test");
        REQUIRE(made);
        return *made;
    }

private:
    void accept() {
        for (;;) {
            const int socket = ::accept(listener_, nullptr, nullptr);
            if (socket < 0) return;
            const std::lock_guard lock(mutex_);
            sockets_.push_back(socket);
            const int number = ++connections_;
            threads_.emplace_back([this, socket, number] { serve(socket, number); });
        }
    }
    void serve(int socket, int number) {
        Peer peer(socket);
        std::string buffered;
        Request request;
        while (peer.is_open() && read_request(socket, buffered, request)) {
            request.connection = number;
            {
                const std::lock_guard lock(mutex_);
                requests_.push_back(request);
            }
            handler_(peer, request);
        }
        const std::lock_guard lock(mutex_);
        sockets_.remove(socket);
        ::close(socket);
    }
    static bool fill(int socket, std::string& buffered) {
        char bytes[4096];
        const ssize_t n = ::recv(socket, bytes, sizeof bytes, 0);
        if (n > 0) buffered.append(bytes, static_cast<std::size_t>(n));
        return n > 0;
    }
    static bool read_request(int socket, std::string& buffered, Request& request) {
        std::size_t end = 0;
        while ((end = buffered.find("\r\n\r\n")) == std::string::npos) {
            if (!fill(socket, buffered)) return false;
        }
        request = Request();
        std::size_t at = buffered.find("\r\n");
        const std::string first = buffered.substr(0, at);
        request.method = first.substr(0, first.find(' '));
        request.target = first.substr(first.find(' ') + 1);
        request.target.resize(request.target.find(' '));
        while (at < end) {
            const std::size_t next = buffered.find("\r\n", at + 2);
            const std::string line = buffered.substr(at + 2, next - at - 2);
            std::string name = line.substr(0, line.find(':'));
            for (char& c : name) c = static_cast<char>(std::tolower(c));
            request.headers[name] = line.substr(std::min(line.size(), line.find(':') + 2));
            at = next;
        }
        std::size_t length = 0;
        if (request.headers.count("content-length") != 0) {
            length = std::stoul(request.headers["content-length"]);
        }
        while (buffered.size() < end + 4 + length) {
            if (!fill(socket, buffered)) return false;
        }
        request.body = buffered.substr(end + 4, length);
        buffered.erase(0, end + 4 + length);
        return true;
    }

    Handler handler_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    mutable std::mutex mutex_;
    std::thread acceptor_;
    std::list<std::thread> threads_;
    std::list<int> sockets_;
    std::vector<Request> requests_;
    int connections_ = 0;
};

/// Runs the loop until the condition holds; fails the test after ten seconds.
template <typename Condition>
void run_until(boost::asio::io_context& io, Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!condition()) {
        REQUIRE(std::chrono::steady_clock::now() < end);
        io.restart();
        io.run_one_for(std::chrono::milliseconds(20));
    }
}

/// Runs the loop until nothing is left to do in it.
inline void run_out(boost::asio::io_context& io) {
    io.restart();
    io.run_for(std::chrono::seconds(10));
    REQUIRE(io.stopped());
}

inline std::string status_body(int code, const std::string& reason, const std::string& message) {
    return R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":")" + message +
           R"(","reason":")" + reason + R"(","code":)" + std::to_string(code) + "}";
}

}  // namespace fake
