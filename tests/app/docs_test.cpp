// The documentation names everything that exists: keys, verbs, flags, codes, states.
#include "config/loader.hpp"
#include "config/reload/reload.hpp"
#include "core/value/pod.hpp"
#include "gang/app/base/text.hpp"
#include "gang/app/base/version.hpp"
#include "gang/app/cli/cli.hpp"
#include "gang/declare/declaration_keys.hpp"
#include "tests/app/cli/verbs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

using namespace gang::app;

using tests::contains;

namespace {

std::string file(const std::string& path) {
    std::ifstream in(std::string(TESTS_DIR) + "/../" + path);
    REQUIRE_MESSAGE(in.good(), path);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("docs: every configuration key") {
    const std::string text = file("docs/reference/configuration.md");
    for (const std::string& key : config::known_keys()) {
        CHECK_MESSAGE(contains(text, "`" + key + "`"), key);
    }
}

TEST_CASE("docs: when a change of each key holds") {
    const std::string text = file("docs/reference/configuration.md");
    const std::string table = text.substr(text.find("## When the file changes"));
    for (const auto& keys : {config::live_keys(), config::fixed_keys()}) {
        for (const std::string& key : keys) {
            CHECK_MESSAGE(contains(table, "`" + key + "`"), key);
        }
    }
}

TEST_CASE("docs: the example of all keys is the defaults") {
    const std::string text = file("docs/reference/configuration.md");
    const auto begin = text.find("```yaml\n") + 8;
    const auto loaded = config::load(text.substr(begin, text.find("```", begin) - begin), "docs");
    REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error().message));
    CHECK(loaded->schema == config::Schema{});
}

TEST_CASE("docs: every key of a declaration, and the codec keeps each") {
    const std::string text = file("docs/run/labels.md");
    for (const gang::Dialect& dialect : gang::dialects()) {
        for (const gang::DeclarationKey& key : dialect.keys) {
            CHECK_MESSAGE(contains(text, "`" + std::string(key.name) + "`"), key.name);
            CHECK_MESSAGE(core::is_kept_annotation(key.name), key.name);
            const bool is_read_elsewhere = key.name.ends_with("/group-name");  // of pod groups
            CHECK(
                (key.field == gang::Field::other_scheduler && !is_read_elsewhere) ==
                core::is_kept_without_value(key.name));
        }
    }
}

TEST_CASE("docs: every verb and every flag") {
    const std::string text = file("docs/reference/cli.md");
    for (const Verb& verb : verbs()) {
        CHECK_MESSAGE(contains(text, "`" + verb.name + "`"), verb.name);
        for (const Flag& flag : verb.flags) {
            CHECK_MESSAGE(contains(text, "--" + flag.name), flag.name);
        }
    }
}

TEST_CASE("docs: every reason code with its condition's reason, and every state") {
    const std::string text = file("docs/reference/reasons.md");
    for (const gang::ReasonCode code : all_reason_codes()) {
        const std::string row = "| `" + std::string(gang::to_string(code)) + "` | " +
                                std::string(gang::condition_reason(code)) + " |";
        CHECK_MESSAGE(contains(text, row), row);
    }
    for (int i = 0; i <= static_cast<int>(gang::GangState::ended); ++i) {
        const std::string state(gang::to_string(static_cast<gang::GangState>(i)));
        CHECK_MESSAGE(contains(text, "`" + state + "`"), state);
    }
}

TEST_CASE("docs: every scheduler rule has a test of its name where the table says") {
    const std::string table = file("tests/gang/README.md");
    for (int rule = 1; rule <= 24; ++rule) {
        const std::string name = "S" + std::to_string(rule);
        CAPTURE(name);
        const auto row = table.find("| " + name + " | ");
        REQUIRE(row != std::string::npos);
        const std::string line = table.substr(row, table.find('\n', row) - row);
        const auto cell = line.rfind("| ", line.size() - 3) + 2;
        const std::string source = file("tests/gang/" + line.substr(cell, line.size() - 2 - cell));
        CHECK(contains(source, "TEST_CASE(\"" + name + ": "));
    }
}

TEST_CASE("docs: every scenario of pod groups has the tests that its row names") {
    const std::string table = file("tests/gang/README.md");
    std::vector<std::string> ids = {"KB-1", "KB-15", "K19"};
    for (int number = 1; number <= 16; ++number) {
        ids.push_back("COS-" + std::to_string(number));
    }
    for (const std::string& id : ids) {
        CAPTURE(id);
        const auto row = table.find("\n| " + id + " | ");
        REQUIRE(row != std::string::npos);
        const std::string line = table.substr(row + 1, table.find('\n', row + 1) - row - 1);
        std::vector<std::string> cells;
        for (std::size_t from = 2; from < line.size();) {
            const auto to = line.find(" | ", from);
            cells.push_back(line.substr(from, std::min(to, line.size() - 2) - from));
            from = to == std::string::npos ? line.size() : to + 3;
        }
        REQUIRE(cells.size() == 4);
        REQUIRE((cells[2] != "-" || cells[3] != "-"));
        const auto names_it = [&id](const std::string& path) {
            const std::string text = file(path);
            for (auto at = text.find(id); at != std::string::npos; at = text.find(id, at + 1)) {
                const char behind = text[at + id.size()];
                if (behind < '0' || behind > '9') {
                    return true;
                }
            }
            return false;
        };
        CHECK((cells[2] == "-" || names_it("tests/gang/" + cells[2])));
        CHECK((cells[3] == "-" || names_it("tests/blackbox/gangs/" + cells[3])));
    }
}

TEST_CASE("docs: every corner case has a scenario of its number or is a limit") {
    const std::string text = file("docs/concepts/corner-cases.md");
    std::string scenarios;
    for (const char* part : {"rules_nodes", "rules_gangs", "spark"}) {
        scenarios += file("tests/gang/corner_" + std::string(part) + "_test.cpp");
    }
    const std::map<std::string, int> cases = {{"rules", 46}, {"spark", 19}};
    for (const auto& [kind, count] : cases) {
        for (int number = 1; number <= count; ++number) {
            const std::string name = kind + " " + std::to_string(number);
            const auto begin = text.find("\n| " + name + " |");
            REQUIRE_MESSAGE(begin != std::string::npos, name);
            const std::string row = text.substr(begin, text.find('\n', begin + 1) - begin);
            const bool lived = contains(scenarios, "TEST_CASE(\"" + name + ": ");
            const bool limit = row.ends_with("| limit |") && contains(row, "| limit: ");
            CHECK_MESSAGE(lived == row.ends_with("| scenario |"), name);
            CHECK_MESSAGE(lived != limit, name);
        }
    }
}

TEST_CASE("docs: the reason of every event that is written") {
    const std::string text = file("docs/reference/reasons.md");
    const std::regex event(R"x(status_reporter_\.event\([^"]*"([A-Z][A-Za-z]+)")x");
    std::set<std::string> reasons;
    const std::filesystem::path top = std::filesystem::path(TESTS_DIR) / "..";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top / "gang")) {
        if (entry.path().extension() == ".cpp") {
            const std::string code = file(entry.path().lexically_relative(top).string());
            for (std::sregex_iterator it(code.begin(), code.end(), event), end; it != end; ++it) {
                reasons.insert((*it)[1]);
            }
        }
    }
    CHECK(reasons.size() > 8);
    for (const std::string& reason : reasons) {
        CHECK_MESSAGE(contains(text, "| `" + reason + "` |"), reason);
    }
}

TEST_CASE("docs: the version is the build's") {
    CHECK(contains(file("CMakeLists.txt"), "VERSION " + std::string(version) + " "));
}
