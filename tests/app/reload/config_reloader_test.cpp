#include "gang/app/base/files.hpp"
#include "gang/app/reload/config_reloader.hpp"
#include "gang/app/reload/file_watch.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using gang::app::ConfigReloader;
using gang::app::FileWatch;
using gang::app::Log;

struct Reloading {
    explicit Reloading(std::string text) : written(std::move(text)) {
        ConfigReloader::Wiring wiring;
        wiring.path = "file.yaml";
        wiring.read = [this] {
            return is_there ? core::Result<std::string>(written)
                            : core::Result<std::string>(core::Error{"file.yaml: cannot be read"});
        };
        wiring.load = [](std::string_view said) {
            return gang::app::parse_config(said, "file.yaml");
        };
        wiring.apply = [this](const config::Schema& config) { applied.push_back(config); };
        wiring.unix_ms = [this] { return now_ms; };
        wiring.log = &log;
        reloader.emplace(wiring, gang::app::parse_config(written, "file.yaml")->schema);
    }
    bool logged(const std::string& part) const {
        return lines.find(part) != std::string::npos;
    }

    std::string written;
    bool is_there = true;
    std::int64_t now_ms = 1'000;
    std::string lines;
    Log log{config::LogFormat::console, config::LogLevel::debug, [this](const std::string& line) {
                lines += line;
            }};
    std::vector<config::Schema> applied;
    std::optional<ConfigReloader> reloader;
};

fs::path new_folder() {
    std::string name = fs::temp_directory_path() / "gang-reload-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    return name;
}

void write(const fs::path& path, const std::string& text) {
    std::ofstream(path) << text;
}

}  // namespace

TEST_CASE("reloader: a right file is applied once, with what needs a restart said") {
    Reloading file("queues: [{name: etl}]");
    const auto hash = file.reloader->stats().hash;
    CHECK(hash != 0);
    CHECK(file.reloader->stats().success_ms == 1'000);
    file.now_ms = 2'000;
    file.reloader->look();
    CHECK(file.applied.empty());
    CHECK(file.reloader->stats().unchanged == 0);
    file.written = "queues: [{name: ml}]\nserver: {listen: \":1\"}";
    file.reloader->look();
    REQUIRE(file.applied.size() == 1);
    CHECK(file.applied[0].queues[0].name == "root.ml");
    CHECK(file.applied[0].server_listen == config::Schema{}.server_listen);
    CHECK(file.logged("takes effect after a restart key=server.listen"));
    CHECK(file.logged("configuration changed file=file.yaml keys=queues"));
    const auto& stats = file.reloader->stats();
    CHECK(stats.applied == 1);
    CHECK(stats.success_ms == 2'000);
    CHECK(stats.hash != hash);
    file.reloader->look();
    CHECK(file.applied.size() == 1);
    file.reloader->look_now();
    CHECK(file.applied.size() == 1);
    CHECK(stats.unchanged == 1);
}

TEST_CASE("reloader: a bad file is refused with line and column, and the next good one is taken") {
    Reloading file("queues: [{name: etl}]");
    file.written = "queues:\n  - name: etl\n    weight: -1\n  - nmae: ml\n";
    file.reloader->look();
    CHECK(file.applied.empty());
    CHECK(file.logged("file.yaml:3:13"));
    CHECK(file.logged("file.yaml:4:5"));
    CHECK(file.logged("the one before holds"));
    CHECK(file.reloader->stats().refused == 1);
    CHECK(file.reloader->stats().last_was_refused);
    file.reloader->look();
    CHECK(file.reloader->stats().refused == 1);
    file.is_there = false;
    file.reloader->look();
    CHECK(file.reloader->stats().refused == 2);
    file.is_there = true;
    file.written = "queues: [{name: etl, weight: 2}]";
    file.reloader->look();
    CHECK(file.applied.size() == 1);
    CHECK_FALSE(file.reloader->stats().last_was_refused);
}

TEST_CASE("reloader: a file that goes back after a refusal is right again") {
    Reloading file("queues: [{name: etl}]");
    const std::string before = file.written;
    file.written = "nonsense: 1";
    file.reloader->look();
    CHECK(file.reloader->stats().last_was_refused);
    file.written = before;
    file.reloader->look();
    CHECK_FALSE(file.reloader->stats().last_was_refused);
    CHECK(file.applied.empty());
}

TEST_CASE("reloader: a policy in a config map is read at the start alone") {
    Reloading file("queues: [{name: etl}]");
    file.written = R"(apiVersion: componentconfig/v1alpha1
kind: KubeSchedulerConfiguration
schedulerName: my
algorithmSource:
  policy:
    configMap: {namespace: kube-system, name: policy}
)";
    file.reloader->look();
    CHECK(file.applied.empty());
    CHECK(file.reloader->stats().refused == 1);
    CHECK(file.logged("config map"));
}

TEST_CASE("file watch: written, moved into place, and a mounted config map") {
    const fs::path folder = new_folder();
    const fs::path file = folder / "config.yaml";
    boost::asio::io_context io{1};
    int seen = 0;
    const auto wait = [&] {
        io.restart();
        io.run_for(std::chrono::milliseconds(500));
        return std::exchange(seen, 0);
    };
    const bool is_mount = [&] {
        bool mounted = false;
        SUBCASE("a file") { mounted = false; }
        SUBCASE("a mount") { mounted = true; }
        return mounted;
    }();
    if (is_mount) {
        fs::create_directory(folder / "..1");
        write(folder / "..1" / "config.yaml", "one");
        fs::create_directory_symlink("..1", folder / "..data");
        fs::create_symlink("..data/config.yaml", file);
    } else {
        write(file, "one");
    }
    FileWatch watch(io, file, [&seen] { ++seen; });
    REQUIRE(watch.start() == "");
    CHECK(wait() == 0);
    if (is_mount) {
        for (const std::string next : {"..2", "..3"}) {
            fs::create_directory(folder / next);
            write(folder / next / "config.yaml", next);
            fs::create_directory_symlink(next, folder / "..data_tmp");
            fs::rename(folder / "..data_tmp", folder / "..data");
            CHECK(wait() >= 1);
        }
    } else {
        write(file, "two");
        CHECK(wait() == 1);
        write(folder / "next", "three");
        wait();
        fs::rename(folder / "next", file);
        CHECK(wait() == 1);
    }
    watch.stop();
    write(file, "four");
    CHECK(wait() == 0);
    fs::remove_all(folder);
}

TEST_CASE("file watch: a folder that is not there is said") {
    boost::asio::io_context io{1};
    FileWatch watch(io, "/there/is/no/such/config.yaml", [] {});
    CHECK(watch.start() != "");
}
