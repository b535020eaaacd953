#include "gang/app/demo/demo_metrics.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace gang::app {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// Headers of a request that are longer are nobody's whom we know.
constexpr std::size_t request_max = 64U << 10U;

/// One request, one answer; Prometheus connects anew.
struct Scrape : std::enable_shared_from_this<Scrape> {
    Scrape(tcp::socket accepted, std::string answer)
        : socket(std::move(accepted)), text(std::move(answer)) {}

    void run() {
        asio::async_read_until(
            socket,
            request,
            "\r\n\r\n",
            [self = shared_from_this()](const boost::system::error_code& ec, std::size_t) {
                if (!ec) self->answer();
            });
    }
    void answer() {
        asio::async_write(
            socket,
            asio::buffer(text),
            [self = shared_from_this()](const boost::system::error_code&, std::size_t) {
                boost::system::error_code ignored;
                self->socket.shutdown(tcp::socket::shutdown_both, ignored);
            });
    }

    tcp::socket socket;
    std::string text;
    asio::streambuf request{request_max};
};

core::Error cannot(std::string_view what) {
    return core::Error{fmt::format("{}: {}", what, std::strerror(errno))};
}

/// Another program may take it before Prometheus does; then Prometheus says so, and the demo.
std::uint16_t free_port() {
    asio::io_context io(1);
    boost::system::error_code ec;
    tcp::acceptor probe(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    return probe.local_endpoint(ec).port();
}

/// JSON is YAML.
std::string scrape_config(std::uint16_t exporter_port, std::string_view node) {
    return fmt::format(
        R"({{"global":{{"scrape_interval":"1s","scrape_timeout":"1s"}},)"
        R"("scrape_configs":[{{"job_name":"observerward","static_configs":[)"
        R"({{"targets":["127.0.0.1:{}"],"labels":{{"kubernetes_node":"{}"}}}}]}}]}})",
        exporter_port,
        node);
}

/// Its log goes into the folder; none of our sockets goes to it.
core::Result<int> spawn(const std::string& folder, std::uint16_t port) {
    std::array<std::string, 5> words = {
        "prometheus",
        "--config.file=" + folder + "/prometheus.yml",
        "--storage.tsdb.path=" + folder + "/data",
        fmt::format("--web.listen-address=127.0.0.1:{}", port),
        "--log.level=warn"};
    std::array<char*, words.size() + 1> arguments{};
    for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
    const std::string log = folder + "/prometheus.log";
    posix_spawn_file_actions_t actions{};
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(
        &actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    pid_t process = 0;
    const int error =
        ::posix_spawnp(&process, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error == ENOENT) return core::Error{"there is no program prometheus on the PATH"};
    if (error != 0) return core::Error{fmt::format("prometheus: {}", std::strerror(error))};
    return static_cast<int>(process);
}

}  // namespace

std::string exporter_page(const std::vector<DemoGpu>& gpus) {
    std::string page;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        const DemoGpu& gpu = gpus[i];
        const auto add = [&](std::string_view name, std::int64_t value) {
            fmt::format_to(
                std::back_inserter(page),
                "observerward_{}{{id=\"{}\",uuid=\"GPU-{}\",model=\"{}\"}} {}\n",
                name,
                i,
                i,
                gpu.model,
                value);
        };
        add("dynamic_gpu_used_global_memory_MiB", gpu.size_mib - gpu.free_mib);
        add("dynamic_gpu_free_global_memory_MiB", gpu.free_mib);
        add("dynamic_gpu_power_usage_W", 60);
        add("dynamic_gpu_encoder_utilization", 0);
        add("dynamic_gpu_decoder_utilization", 0);
        add("dynamic_gpu_memory_utilization", 0);
        add("static_gpu_memory_size", gpu.size_mib);
        add("static_gpu_multiprocessor_count", 108);
        add("static_gpu_shared_decoder_count", 5);
        add("static_gpu_shared_encoder_count", 0);
    }
    return page;
}

struct DemoExporter::Impl : std::enable_shared_from_this<Impl> {
    Impl(asio::io_context& io, std::string page)
        : acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)),
          answer(fmt::format(
              "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n"
              "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
              page.size(),
              page)) {}

    void accept() {
        acceptor.async_accept(
            [self = shared_from_this()](const boost::system::error_code& ec, tcp::socket socket) {
                if (ec) return;
                std::make_shared<Scrape>(std::move(socket), self->answer)->run();
                self->accept();
            });
    }

    tcp::acceptor acceptor;
    std::string answer;
};

DemoExporter::DemoExporter(asio::io_context& io, const std::vector<DemoGpu>& gpus)
    : impl_(std::make_shared<Impl>(io, exporter_page(gpus))) {
    impl_->accept();
}

DemoExporter::~DemoExporter() {
    boost::system::error_code ignored;
    impl_->acceptor.close(ignored);
}

std::uint16_t DemoExporter::port() const {
    return impl_->acceptor.local_endpoint().port();
}

core::Result<std::unique_ptr<DemoPrometheus>> DemoPrometheus::start(
    std::uint16_t exporter_port, std::string_view node) {
    std::error_code ec;
    std::string folder = std::filesystem::temp_directory_path(ec).string() + "/gang-demo-XXXXXX";
    if (::mkdtemp(folder.data()) == nullptr) return cannot(folder);
    // From here on the folder goes with it.
    std::unique_ptr<DemoPrometheus> made(new DemoPrometheus(folder, free_port(), 0));
    std::ofstream(folder + "/prometheus.yml") << scrape_config(exporter_port, node);
    const auto process = spawn(folder, made->port_);
    if (!process) return process.error();
    made->process_ = *process;
    return made;
}

DemoPrometheus::~DemoPrometheus() {
    if (process_ > 0) {
        ::kill(process_, SIGKILL);  // its data is thrown away
        while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string DemoPrometheus::url() const {
    return fmt::format("http://127.0.0.1:{}", port_);
}

}  // namespace gang::app
