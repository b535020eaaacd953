#pragma once
// What `ui` serves on loopback: the page, and what it asks, passed on to a scheduler's Service
// through the API server, with the credentials of whoever runs it. Only GET, and only below
// /api/v1/ of that one Service: whoever else can open the port gets no further with them.

#include "gang/app/api/host_rule.hpp"
#include "gang/app/serve/http_server.hpp"
#include "k8s/net/endpoint.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <memory>
#include <string>

namespace gang::app {

/// A Service in front of schedulers, and which of its ports is the page's.
struct PageService {
    std::string namespace_name = "gang-system";
    std::string name = "gang-scheduler";
    std::string port = "api";
};

/// Where the API server passes requests on to it, with a slash at the end.
std::string proxy_path(const PageService& service);

/// Whether the target is one that may be passed on: below /api/v1/, without a way out of it.
bool is_passed_on(std::string_view target);

class UiProxy {
public:
    UiProxy(
        boost::asio::io_context& io, std::shared_ptr<k8s::Endpoint> endpoint, PageService service);

    /// For HttpServer::listen_later; this must outlive the loop's run.
    void answer(HttpAsk ask, HttpAnswer take);

    /// The scheduler's answer to a target. A standby's is asked for again, for behind a Service
    /// there are several; its own comes when no other is found.
    boost::asio::awaitable<HttpReply> ask(std::string target);

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
