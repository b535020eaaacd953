// `run`: the daemon as a process, with its signals.
#include "config/address.hpp"
#include "config/profiles/builtin_profiles.hpp"
#include "config/validate.hpp"
#include "core/value/quantity.hpp"
#include "gang/app/base/files.hpp"
#include "gang/app/base/memory.hpp"
#include "gang/app/cli/access_flags.hpp"
#include "gang/app/cli/cli.hpp"
#include "gang/app/cli/sources.hpp"
#include "gang/app/daemon/daemon.hpp"
#include "gang/app/daemon/policy_wait.hpp"
#include "gang/app/daemon/recorder.hpp"
#include "gang/app/daemon/seal_keys.hpp"
#include "gang/app/reload/config_reloader.hpp"
#include "gang/app/reload/file_watch.hpp"
#include "k8s/base/time.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <unistd.h>

namespace gang::app {
namespace {

namespace asio = boost::asio;
using config::LogLevel;

constexpr std::int64_t record_bytes_min = 64 * 1024;

std::string host_name() {
    std::array<char, 256> name{};
    const bool known = ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0';
    return known ? name.data() : "unknown";
}

/// Two processes on one host, or one restarted, are not the same holder of a lease.
std::string new_identity() {
    std::random_device random;
    return fmt::format("{}_{:08x}{:08x}", host_name(), random(), random());
}

/// The file, or the `text` that was read of it, and the flags.
core::Result<config::Loaded> effective_config(
    const CommandLine& line, std::optional<std::string_view> text = std::nullopt) {
    auto loaded =
        text ? parse_config(*text, line.text("config")) : load_config(line.text("config"));
    if (!loaded) {
        return loaded;
    }
    config::Schema& config = loaded->schema;
    if (const auto named = line.values.find("profile"); named != line.values.end()) {
        for (const std::string& name : named->second) {
            if (const auto added = config::add_builtin_profile(config, name); !added) {
                return core::Error{"--profile: " + added.error().message};
            }
        }
    }
    if (line.has("leader-elect")) {
        config.leader_election.enabled = line.text("leader-elect") == "true";
    }
    if (line.has("control")) {
        const std::string control = line.text("control");
        config.control_listen = control == "none" ? "" : control;
        const auto address = config::parse_private(control);
        if (control != "none" && !address) {
            return core::Error{"--control: " + address.error().message};
        }
    }
    if (line.has("server")) {
        const std::string server = line.text("server");
        config.server_listen = server == "none" ? "" : server;
        const auto address = config::parse_listen(server);
        if (server != "none" && !address) {
            return core::Error{"--server: " + address.error().message};
        }
    }
    if (line.has("api")) {
        const std::string api = line.text("api");
        config.api.enabled = api != "none";
        const auto address = config::parse_listen(api);
        if (config.api.enabled && !address) {
            return core::Error{"--api: " + address.error().message};
        }
        config.api.listen = config.api.enabled ? api : config.api.listen;
    }
    if (const auto problem = config::find_listen_problem(config)) {
        return core::Error{"gang-scheduler run: " + problem->key + ": " + problem->text};
    }
    if (line.has("kubeconfig")) {
        config.kubeconfig = line.text("kubeconfig");
    }
    return loaded;
}

/// Where and how much to record; nothing: not at all.
core::Result<std::optional<RecorderOptions>> recorder_options(const CommandLine& line) {
    if (!line.has("record")) {
        const bool pointless = line.has("record-size") || line.has("record-files");
        return pointless ? core::Result<std::optional<RecorderOptions>>(
                               core::Error{"--record-size and --record-files need --record"})
                         : std::optional<RecorderOptions>();
    }
    RecorderOptions options;
    options.directory = line.text("record");
    const auto bytes = core::parse_whole(line.text("record-size", "256Mi"));
    if (!bytes || *bytes < record_bytes_min) {
        return core::Error{"--record-size: expected a quantity of at least 64Ki"};
    }
    options.file_bytes_max = static_cast<std::uint64_t>(*bytes);
    const auto files = core::parse_whole(line.text("record-files", "4"));
    if (!files || *files < 1) {
        return core::Error{"--record-files: expected a number of at least 1"};
    }
    options.files_max = *files;
    return std::optional(options);
}

/// What ends by a broken invariant is what a recording is wanted for most: the events since the
/// last Tick are still in memory then. abort() is called on the thread that steps the scheduler,
/// never while the recorder is at work; writing allocates nothing.
Recorder* recorder_at_abort = nullptr;

extern "C" void flush_recording(int signal) {
    if (recorder_at_abort != nullptr) {
        recorder_at_abort->flush();
    }
    ::raise(signal);  // by now with its usual effect
}

class FlushAtAbort {
public:
    explicit FlushAtAbort(Recorder* recorder) {
        recorder_at_abort = recorder;
        if (recorder != nullptr) {
            struct sigaction action = {};
            action.sa_handler = flush_recording;
            action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
            ::sigaction(SIGABRT, &action, nullptr);
        }
    }
    ~FlushAtAbort() { recorder_at_abort = nullptr; }
    FlushAtAbort(const FlushAtAbort&) = delete;
    FlushAtAbort& operator=(const FlushAtAbort&) = delete;
};

/// The daemon from its first log line to its last, and the signals that end it.
class Process {
public:
    Process(Log& log, const CommandLine& line, DaemonOptions options)
        : log_(log),
          signals_(io_, SIGTERM, SIGINT),
          reload_signal_(io_),
          reloader_(reload_wiring(line), options.config),
          file_watch_(io_, line.text("config"), [this] { reloader_.look(); }),
          daemon_(io_, with_end(std::move(options))) {}

    int run() {
        signals_.async_wait([this](const boost::system::error_code& ec, int signal) {
            if (!ec) {
                log_.write(
                    LogLevel::info,
                    "signal, draining",
                    {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
                end(exit_done);
            }
        });
        daemon_.start();
        watch_file();
        io_.run();
        // What was cancelled gets its last turn before it is destroyed.
        io_.restart();
        io_.run_for(std::chrono::milliseconds(100));
        log_.write(LogLevel::info, "stopped", {{"exitCode", std::to_string(exit_code_)}});
        return exit_code_;
    }

private:
    DaemonOptions with_end(DaemonOptions options) {
        options.lost_lease = [this] { end(exit_error); };
        options.on_idle = give_back_unused;
        options.reloads = [this] { return reloader_.stats(); };
        return options;
    }

    ConfigReloader::Wiring reload_wiring(const CommandLine& line) {
        ConfigReloader::Wiring wiring;
        wiring.path = line.text("config");
        wiring.is_stream = wiring.path == "-";
        wiring.read = [path = wiring.path] { return read_file(path, config::file_bytes_max); };
        wiring.load = [line](std::string_view text) { return effective_config(line, text); };
        wiring.apply = [this](const config::Schema& config) {
            log_.set_level(config.log_level);
            daemon_.reconfigure(config);
        };
        wiring.unix_ms = k8s::unix_ms;
        wiring.log = &log_;
        return wiring;
    }

    void await_reload() {
        reload_signal_.async_wait([this](const boost::system::error_code& ec, int) {
            if (!ec) {
                log_.write(LogLevel::info, "SIGHUP, the configuration is read again");
                reloader_.look_now();
                await_reload();
            }
        });
    }

    void watch_file() {
        if (!reloader_.has_file()) {
            return;  // SIGHUP has its usual effect
        }
        reload_signal_.add(SIGHUP);
        await_reload();
        if (const std::string why = file_watch_.start(); !why.empty()) {
            log_.write(
                LogLevel::warning,
                "the configuration file cannot be watched, only SIGHUP has it read again",
                {{"why", why}});
        }
        reloader_.look();  // it may have changed while the process began
    }

    void end(int exit_code) {
        if (ending_) {
            return;
        }
        ending_ = true;
        exit_code_ = exit_code;
        // From here on a second signal has its usual effect.
        boost::system::error_code ec;
        signals_.cancel(ec);
        signals_.clear(ec);
        file_watch_.stop();
        reload_signal_.cancel(ec);
        daemon_.stop([this] { io_.stop(); });
    }

    Log& log_;
    asio::io_context io_{1};
    asio::signal_set signals_;
    asio::signal_set reload_signal_;
    ConfigReloader reloader_;
    FileWatch file_watch_;
    Daemon daemon_;
    int exit_code_ = exit_done;
    bool ending_ = false;
};

/// Nothing: a signal ended the wait.
std::optional<config::Loaded> wait_for_policy(
    const Log& log, std::shared_ptr<k8s::Endpoint> endpoint, config::Loaded loaded) {
    asio::io_context io{1};
    asio::signal_set signals(io, SIGTERM, SIGINT);
    std::optional<config::Loaded> whole;
    PolicyWaitOptions options;
    options.endpoint = std::move(endpoint);
    options.loaded = std::move(loaded);
    options.log = &log;
    options.found = [&](config::Loaded found) {
        whole = std::move(found);
        io.stop();
    };
    PolicyWait wait(io, std::move(options));
    signals.async_wait([&](const boost::system::error_code& ec, int) {
        if (!ec) {
            log.write(LogLevel::info, "signal, nothing was scheduled");
            io.stop();
        }
    });
    wait.start();
    io.run();
    wait.stop();
    // What was cancelled gets its last turn before it is destroyed.
    io.restart();
    io.run_for(std::chrono::milliseconds(100));
    return whole;
}

int run_daemon(const CommandLine& line, std::ostream&, std::ostream& err) {
    give_back_large_blocks();
    auto loaded = effective_config(line);
    if (!loaded) {
        return usage_error(err, "run", loaded.error().message);
    }
    config::Schema& config = loaded->schema;
    const auto recording = recorder_options(line);
    if (!recording) {
        return usage_error(err, "run", recording.error().message);
    }
    auto seal = read_seal(config.seal_key_file);
    if (!seal) {
        return usage_error(err, "run", seal.error().message);
    }
    if (const auto checked = check_access_flags(line, config.kubeconfig); !checked) {
        return usage_error(err, "run", checked.error().message);
    }
    Log log(config.log_format, config.log_level);
    auto access = find_access(line, config.kubeconfig);
    if (!access) {
        return failure(err, "run", access.error().message);
    }
    auto endpoint = make_endpoint(*access);
    if (!endpoint) {
        return failure(err, "run", endpoint.error().message);
    }
    if (loaded->policy_map) {
        auto whole = wait_for_policy(log, *endpoint, *loaded);
        if (!whole) {
            return exit_done;
        }
        *loaded = *std::move(whole);
    }
    for (const std::string& warning : loaded->warnings) {
        log.write(LogLevel::warning, warning);
    }
    auto gpu_metrics = find_gpu_metrics(config.gpu_metrics, *endpoint);
    if (!gpu_metrics) {
        err << "gang-scheduler run: " << gpu_metrics.error().message << '\n';
        return exit_usage;
    }
    auto extenders = find_extenders(config.extenders, (*endpoint)->user_agent());
    if (!extenders) {
        err << "gang-scheduler run: " << extenders.error().message << '\n';
        return exit_usage;
    }
    std::unique_ptr<Recorder> recorder;
    if (*recording) {
        auto opened = Recorder::open(**recording, k8s::unix_ms(), config, log);
        if (!opened) {
            return failure(err, "run", "--record: " + opened.error().message);
        }
        recorder = *std::move(opened);
    }
    const FlushAtAbort at_abort(recorder.get());
    DaemonOptions options;
    options.endpoint = *std::move(endpoint);
    options.config = std::move(config);
    options.gpu_metrics = *std::move(gpu_metrics);
    options.extenders = *std::move(extenders);
    options.seal = *std::move(seal);
    options.identity = new_identity();
    options.instance = host_name();
    options.log = &log;
    options.recorder = recorder.get();
    return Process(log, line, std::move(options)).run();
}

}  // namespace

Verb run_verb() {
    std::vector<Flag> flags = access_flags();
    const std::vector<Flag> own = {
        config_flag(),
        Flag{
            "profile",
            0,
            "NAME",
            "serve a built-in profile, too; may be repeated (docs/reference/configuration.md lists "
            "them)"},
        Flag{
            "leader-elect",
            0,
            "true|false",
            "take the lease before scheduling (default: true; false when there is one replica)",
            {"true", "false"},
            "true"},
        Flag{
            "server",
            0,
            "[ADDR]:PORT|none",
            "address for health and metrics (default: :10352, on every address)"},
        Flag{
            "control",
            0,
            "ADDR:PORT|unix:PATH|none",
            "loopback address or socket for `gangs` and `why` (default: 127.0.0.1:10351)"},
        Flag{
            "api",
            0,
            "[ADDR]:PORT|none",
            "serve the page and its JSON there (default: as the file says, else not at all)"},
        Flag{"record", 0, "DIR", "write all that happens to a file there, for `replay`"},
        Flag{"record-size", 0, "QUANTITY", "where a recording ends (default: 256Mi)"},
        Flag{"record-files", 0, "N", "recordings kept in DIR, one for each start (default: 4)"}};
    flags.insert(flags.end(), own.begin(), own.end());
    return Verb{
        "run",
        "schedule: the daemon, in a pod or on any machine with a kubeconfig",
        "",
        flags,
        {"gang-scheduler run", "gang-scheduler run --kubeconfig admin.conf --leader-elect=false"},
        run_daemon};
}

}  // namespace gang::app
