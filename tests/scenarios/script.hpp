#pragma once
// The files of tests/scenarios/stories: blocks of command lines, each block followed by `----` and by what
// came of it, up to the next empty line. What stands between blocks is the story's text and stays
// as it is.

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tests {

/// One command line: `name word word key=value`.
struct Command {
    std::string name;
    std::vector<std::string> words;
    std::map<std::string, std::string> values;

    explicit Command(const std::string& line) {
        std::istringstream in(line);
        in >> name;
        for (std::string word; in >> word;) {
            const std::size_t equals = word.find('=');
            if (equals == std::string::npos) {
                words.push_back(std::move(word));
            } else {
                values[word.substr(0, equals)] = word.substr(equals + 1);
            }
        }
    }

    std::string value(const std::string& key, const std::string& otherwise) const {
        const auto found = values.find(key);
        return found == values.end() ? otherwise : found->second;
    }
    std::int64_t number(const std::string& key, std::int64_t otherwise) const {
        const auto found = values.find(key);
        return found == values.end() ? otherwise : std::stoll(found->second);
    }
};

/// One block as it is written.
struct Block {
    std::string text;  ///< what stands before it
    std::vector<std::string> lines;
    std::string expected;
};

struct Script {
    std::vector<Block> blocks;
    std::string rest;  ///< the text behind the last block
};

inline Script read_script(const std::string& path) {
    std::ifstream in(path);
    REQUIRE_MESSAGE(in.good(), path);
    Script script;
    Block block;
    bool is_output = false;
    for (std::string line; std::getline(in, line);) {
        if (is_output && !line.empty()) {
            block.expected += line + "\n";
        } else if (is_output) {
            script.blocks.push_back(std::exchange(block, Block{}));
            block.text = "\n";
            is_output = false;
        } else if (line == "----") {
            is_output = true;
        } else if (line.empty() || line.front() == '#') {
            REQUIRE_MESSAGE(block.lines.empty(), path << ": no ---- behind " << block.lines.back());
            block.text += line + "\n";
        } else {
            block.lines.push_back(line);
        }
    }
    if (is_output) {
        script.blocks.push_back(std::exchange(block, Block{}));
    }
    script.rest = block.text;
    return script;
}

inline void write_script(const std::string& path, const Script& script) {
    std::ofstream out(path);
    for (const Block& block : script.blocks) {
        out << block.text;
        for (const std::string& line : block.lines) {
            out << line << "\n";
        }
        out << "----\n" << block.expected;
    }
    out << script.rest;
    REQUIRE_MESSAGE(out.good(), path);
}

/// Runs each block and compares; with GANG_REWRITE=1 what came of it is written into the file.
inline void run_script(
    const std::string& path, const std::function<std::string(const Command&)>& run) {
    Script script = read_script(path);
    const bool rewrite = std::getenv("GANG_REWRITE") != nullptr;
    CHECK_MESSAGE(!script.blocks.empty(), path);
    for (Block& block : script.blocks) {
        std::string said;
        for (const std::string& line : block.lines) {
            said += run(Command(line));
        }
        if (rewrite) {
            block.expected = said;
            continue;
        }
        const std::string where = block.lines.empty() ? path : path + ": " + block.lines.front();
        CAPTURE(where);
        CHECK(said == block.expected);
    }
    if (rewrite) {
        write_script(path, script);
    }
}

}  // namespace tests
