#pragma once
// What `ui` serves on loopback: the page, and what it asks, passed on to a scheduler's Service
// through the API server, with the credentials of whoever runs it. Only GET, and only below
// /api/v1/ of that one Service: whoever else can open the port gets no further with them.

#include "gang/app/api/host_rule.hpp"
#include "gang/app/cli/sources.hpp"
#include "gang/app/serve/http_server.hpp"
#include "k8s/base/http.hpp"
#include "k8s/net/endpoint.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace gang::app {

/// Where the API server passes requests on to it, with a slash at the end.
std::string proxy_path(const PageService& service);

/// Whether the target is one that may be passed on: below /api/v1/, without a way out of it.
bool is_passed_on(std::string_view target);

/// Whether it is an answer of our API, and not one of the API server on the way to it.
bool is_of_scheduler(const std::string& body);

class UiProxy {
public:
    UiProxy(
        boost::asio::io_context& io, std::shared_ptr<k8s::Endpoint> endpoint, PageService service);

    /// For HttpServer::listen_later; this must outlive the loop's run.
    void answer(HttpAsk ask, HttpAnswer take);

    /// The scheduler's answer to a target. A standby's is asked for again, for behind a Service
    /// there are several; its own comes when no other is found.
    boost::asio::awaitable<HttpReply> ask(std::string target);
    /// The same as the API server gave it. Each try may take so long.
    boost::asio::awaitable<k8s::Reply> fetch(std::string target, std::int64_t try_ms);

private:
    boost::asio::awaitable<HttpReply> follow(std::string target, std::string seen);
    HttpReply told(int status, const std::string& body) const;
    HttpReply unreachable(const std::string& why) const;

    boost::asio::io_context& io_;
    std::shared_ptr<k8s::Endpoint> endpoint_;
    PageService service_;
    HostRule hosts_;
};

}  // namespace gang::app
