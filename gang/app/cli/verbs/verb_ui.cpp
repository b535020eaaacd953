// `ui`: the page of a scheduler in a cluster, on loopback, through the user's own kubeconfig.
#include "config/address.hpp"
#include "config/printable.hpp"
#include "gang/app/api/api_http.hpp"
#include "gang/app/cli/access_flags.hpp"
#include "gang/app/cli/cli.hpp"
#include "gang/app/cli/service/ui_proxy.hpp"
#include "gang/app/cli/sources.hpp"
#include "k8s/json/json.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <fmt/format.h>

#include <csignal>
#include <exception>
#include <memory>
#include <ostream>
#include <utility>

namespace gang::app {
namespace {

namespace asio = boost::asio;

constexpr std::size_t shown_name_max = 300;

std::string member_of(const std::string& json, const char* key) {
    rapidjson::Document document;
    document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
    if (document.HasParseError() || !document.IsObject()) {
        return {};
    }
    const auto found = document.FindMember(key);
    const bool is_text = found != document.MemberEnd() && found->value.IsString();
    return is_text ? config::printable(found->value.GetString(), shown_name_max) : std::string();
}

/// Before anybody opens the page: whether it can be had at all.
HttpReply first_answer(asio::io_context& io, UiProxy& proxy) {
    HttpReply first;
    asio::co_spawn(
        io, proxy.ask("/api/v1/summary"), [&first](const std::exception_ptr& e, HttpReply reply) {
            if (e) {
                std::rethrow_exception(e);
            }
            first = std::move(reply);
        });
    io.run();
    io.restart();
    return first;
}

int serve_page(
    const config::ListenAddress& address,
    std::shared_ptr<k8s::Endpoint> endpoint,
    const PageService& service,
    std::ostream& out,
    std::ostream& err) {
    asio::io_context io(1);
    UiProxy proxy(io, std::move(endpoint), service);
    const HttpReply first = first_answer(io, proxy);
    if (first.status != 200) {
        return failure(err, "ui", member_of(first.body, "error"));
    }
    auto server = HttpServer::listen_later(
        io,
        address,
        api_limits(),
        [&proxy](HttpAsk ask, HttpAnswer take) { proxy.answer(std::move(ask), std::move(take)); },
        api_manners());
    if (!server) {
        return failure(err, "ui", config::describe(address) + ": " + server.error().message);
    }
    const config::ListenAddress open{address.host, (*server)->port()};
    out << fmt::format(
               "The page of {}/{}, led by {}:\n\n  http://{}/\n\nCtrl-C ends it.",
               service.namespace_name,
               service.name,
               member_of(first.body, "leader"),
               config::describe(open))
        << std::endl;
    asio::signal_set signals(io, SIGTERM, SIGINT);
    signals.async_wait([&](const boost::system::error_code&, int) {
        (*server)->stop();
        io.stop();
    });
    io.run();
    return exit_done;
}

int ui(const CommandLine& line, std::ostream& out, std::ostream& err) {
    const auto address = config::parse_loopback(line.text("listen", "127.0.0.1:0"));
    if (!address) {
        return usage_error(err, "ui", "--listen: " + address.error().message);
    }
    if (const auto checked = check_access_flags(line, {}); !checked) {
        return usage_error(err, "ui", checked.error().message);
    }
    auto access = find_access(line, {});
    if (!access) {
        return failure(err, "ui", access.error().message);
    }
    auto endpoint = make_endpoint(*access);
    if (!endpoint) {
        return failure(err, "ui", endpoint.error().message);
    }
    PageService service;
    service.namespace_name = line.text("namespace", service.namespace_name);
    service.name = line.text("service", service.name);
    service.port = line.text("port", service.port);
    return serve_page(*address, *std::move(endpoint), service, out, err);
}

}  // namespace

Verb ui_verb() {
    std::vector<Flag> flags = access_flags();
    for (const Flag& flag : std::vector<Flag>{
             {"namespace", 'n', "NS", "where the scheduler runs (default: gang-system)"},
             {"service", 0, "NAME", "its Service (default: gang-scheduler)"},
             {"port", 0, "NAME", "name or number of the Service's port (default: api)"},
             {"listen",
              0,
              "ADDR:PORT",
              "loopback address of the page (default: 127.0.0.1:0, any free port)"}}) {
        flags.push_back(flag);
    }
    return Verb{
        "ui",
        "show a cluster's queue in a browser, through the kubeconfig",
        "",
        std::move(flags),
        {"gang-scheduler ui", "gang-scheduler ui --context prod -n spark-system"},
        ui};
}

}  // namespace gang::app
