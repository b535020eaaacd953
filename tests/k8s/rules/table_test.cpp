// The table of rules in tests/k8s/README.md and the tests that carry a rule's name say the same.
#include <doctest/doctest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using FilesOfRule = std::map<std::string, std::set<std::string>>;

std::string read(const fs::path& path) {
    std::ifstream in(path);
    REQUIRE_MESSAGE(in.good(), path.string());
    return {std::istreambuf_iterator<char>(in), {}};
}

template <typename Use>
void each_match(const std::string& text, const char* pattern, Use use) {
    const std::regex expression(pattern);
    for (std::sregex_iterator it(text.begin(), text.end(), expression), end; it != end; ++it) {
        use(*it);
    }
}

FilesOfRule table() {
    FilesOfRule found;
    const std::string text = read(fs::path(TESTS_DIR) / "k8s/README.md");
    each_match(
        text, R"(\n\| ([A-D]\d+|BIND-\d+) \| [^|\n]+ \| ([^|\n]+) \|)", [&](const auto& row) {
            CHECK_MESSAGE(found.count(row[1]) == 0, "two rows of one rule");
            each_match(row[2].str(), R"([\w/.]+)", [&](const auto& file) {
                found[row[1]].insert(file.str());
            });
        });
    return found;
}

std::vector<std::string> all_rules() {
    const std::vector<std::pair<std::string, int>> groups = {
        {"A", 20}, {"B", 12}, {"C", 11}, {"D", 4}, {"BIND-", 10}};
    std::vector<std::string> rules;
    for (const auto& [letter, count] : groups) {
        for (int number = 1; number <= count; ++number) {
            rules.push_back(letter + std::to_string(number));
        }
    }
    return rules;
}

/// "BIND-1" -> "def test_bind_1_"
std::string python_name(std::string rule) {
    for (char& c : rule) c = c == '-' ? '_' : static_cast<char>(std::tolower(c));
    return "def test_" + rule + "_";
}

FilesOfRule tests() {
    FilesOfRule found;
    for (const auto& entry : fs::recursive_directory_iterator(TESTS_DIR)) {
        const std::string extension = entry.path().extension().string();
        // Other Python tests have numbers of other lists in their names.
        const bool is_python = entry.path().filename() == "test_client_rules.py";
        if (extension != ".cpp" && !is_python) continue;
        const std::string text = read(entry.path());
        for (const std::string& rule : all_rules()) {
            const std::string name = is_python ? python_name(rule) : "\"" + rule + ": ";
            if (text.find(name) == std::string::npos) continue;
            found[rule].insert(fs::relative(entry.path(), TESTS_DIR).string());
        }
    }
    return found;
}

}  // namespace

TEST_CASE("rules: every rule has its row, and its tests are where the row says") {
    const FilesOfRule rows = table();
    const FilesOfRule found = tests();
    for (const std::string& rule : all_rules()) {
        CAPTURE(rule);
        REQUIRE(rows.count(rule) == 1);
        CHECK(found.count(rule) == 1);
        CHECK(rows.at(rule) == found.at(rule));
    }
    CHECK(rows.size() == all_rules().size());
}
