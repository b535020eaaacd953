// Rule C8: each kubeconfig of tests/k8s/kubeconfigs.txt ends as it says there.
#include "k8s/credentials/access.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace k8s;
namespace fs = std::filesystem;

namespace {

struct Entry {
    std::string name;
    std::vector<std::string> files;
    std::string outcome;
};

std::vector<Entry> corpus() {
    std::ifstream in(std::string(TESTS_DIR) + "/k8s/kubeconfigs.txt");
    REQUIRE(in.good());
    std::vector<Entry> entries;
    for (std::string line; std::getline(in, line);) {
        const std::string mark = line.substr(0, 3);
        if (mark == "== ") {
            entries.push_back({line.substr(3), {""}, ""});
        } else if (mark == "-- ") {
            entries.back().outcome = line.substr(3);
        } else if (line == "++") {
            entries.back().files.emplace_back();
        } else if (!entries.empty() && entries.back().outcome.empty()) {
            entries.back().files.back() += line + "\n";
        }
    }
    return entries;
}

void add(std::string& text, const char* name, const std::string& value) {
    if (!value.empty()) text += fmt::format(" {}={}", name, value);
}

std::string told(const Access& access) {
    std::string text = fmt::format(
        "accepted {}://{}:{}{} ns={}",
        access.tls ? "https" : "http",
        access.host,
        access.port,
        access.path_prefix,
        access.namespace_name);
    add(text, "sni", access.tls_server_name);
    add(text, "ca", access.ca_pem);
    if (access.insecure_skip_verify) text += " insecure";
    add(text, "cert", access.client_certificate_pem);
    add(text, "key", access.client_key_pem);
    if (access.token_file.empty()) add(text, "token", access.token);
    add(text, "tokenFile", access.token_file);
    if (access.proxy) {
        text += fmt::format(" proxy={}:{}", access.proxy->host, access.proxy->port);
        if (!access.proxy->authorization.empty()) text += " " + access.proxy->authorization;
    }
    if (access.plugin) {
        add(text, "plugin", access.plugin->command);
        for (const std::string& argument : access.plugin->arguments) text += " " + argument;
        add(text, "cluster", access.plugin->cluster);
    }
    return text;
}

}  // namespace

TEST_CASE("C8: the corpus: everything in a kubeconfig is used, or refused by name") {
    char name[] = "/tmp/gang-scheduler-test-XXXXXX";
    REQUIRE(::mkdtemp(name) != nullptr);
    const fs::path folder = name;
    const auto write = [&](const char* file, const std::string& text) {
        std::ofstream(folder / file) << text;
        return (folder / file).string();
    };
    write("ca.pem", "CA");
    write("cert.pem", "CERT");
    write("key.pem", "KEY");
    write("token", "from-file\n");
    write("empty.pem", "");
    const std::vector<Entry> entries = corpus();
    CHECK(entries.size() >= 60);
    for (const Entry& entry : entries) {
        CAPTURE(entry.name);
        static constexpr const char* file_names[] = {"config", "second", "third"};
        std::vector<std::string> paths;
        REQUIRE(entry.files.size() <= 3);
        for (const std::string& text : entry.files) {
            paths.push_back(write(file_names[paths.size()], text));
        }
        if (paths.size() > 1) paths.push_back((folder / "absent").string());
        const auto access = load_kubeconfig(paths);
        std::string outcome = access ? told(*access) : "refused " + access.error().message;
        for (std::size_t at; (at = outcome.find(folder.string() + "/")) != std::string::npos;) {
            outcome.erase(at, folder.string().size() + 1);
        }
        CHECK(outcome == entry.outcome);
    }
    fs::remove_all(folder);
}
