#include "gang/app/daemon/policy_wait.hpp"

#include "gang/app/serve/endpoints.hpp"
#include "k8s/base/time.hpp"
#include "k8s/write/writer.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace gang::app {

namespace asio = boost::asio;

struct PolicyWait::Impl : std::enable_shared_from_this<PolicyWait::Impl> {
    Impl(asio::io_context& io, PolicyWaitOptions with)
        : options(std::move(with)),
          timer(io),
          writer(io, options.endpoint, k8s::WriterOptions{}),
          endpoints(io, options.log) {}

    void start();
    void stop();
    void ask();
    void answered(const k8s::ConfigMapResult& result);
    void wait(const std::string& why);

    PolicyWaitOptions options;
    asio::steady_timer timer;
    k8s::Writer writer;
    Endpoints endpoints;
    std::optional<std::int64_t> said_ms;
    bool is_over = false;
};

void PolicyWait::Impl::start() {
    config::Schema served = options.loaded.schema;
    served.control_listen.clear();  // nobody could answer there
    Health health;
    health.policy_missing = true;
    endpoints.start(
        served,
        ControlSource{},
        ServedSource{[health] { return health; }, [] { return std::string(); }});
    ask();
}

void PolicyWait::Impl::stop() {
    if (std::exchange(is_over, true)) {
        return;
    }
    timer.cancel();
    endpoints.stop();
    writer.stop(0, [self = shared_from_this()](bool) {});
}

void PolicyWait::Impl::ask() {
    const config::PolicyMap& map = *options.loaded.policy_map;
    writer.get_config_map(
        map.namespace_name,
        map.name,
        [self = shared_from_this()](const k8s::ConfigMapResult& result) {
            if (!self->is_over) {
                self->answered(result);
            }
        });
}

void PolicyWait::Impl::answered(const k8s::ConfigMapResult& result) {
    if (result.outcome != k8s::FetchOutcome::found) {
        wait(result.message);
        return;
    }
    const std::string* const text = core::find_value(result.config_map.data, policy_key);
    if (text == nullptr) {
        wait(fmt::format("the map has no key {}", policy_key));
        return;
    }
    auto whole = config::apply_policy(options.loaded, *text, policy_key);
    if (!whole) {
        wait(whole.error().message);
        return;
    }
    stop();
    options.found(*std::move(whole));
}

void PolicyWait::Impl::wait(const std::string& why) {
    const std::int64_t now = k8s::monotonic_ms();
    if (!said_ms || now - *said_ms >= options.say_every_ms) {
        const config::PolicyMap& map = *options.loaded.policy_map;
        said_ms = now;
        options.log->write(
            config::LogLevel::warning,
            "waiting for the policy, nothing is scheduled",
            {{"configMap", map.namespace_name + "/" + map.name}, {"why", why}});
    }
    timer.expires_after(std::chrono::milliseconds(options.ask_every_ms));
    timer.async_wait([self = shared_from_this()](const boost::system::error_code& ec) {
        if (!ec && !self->is_over) {
            self->ask();
        }
    });
}

PolicyWait::PolicyWait(asio::io_context& io, PolicyWaitOptions options)
    : impl_(std::make_shared<Impl>(io, std::move(options))) {}

PolicyWait::~PolicyWait() {
    impl_->stop();
}

void PolicyWait::start() {
    impl_->start();
}

void PolicyWait::stop() {
    impl_->stop();
}

}  // namespace gang::app
