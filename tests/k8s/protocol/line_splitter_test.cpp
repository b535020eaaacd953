#include "k8s/protocol/line_splitter.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using k8s::protocol::LineSplitter;

namespace {

std::vector<std::string> lines_of(const std::vector<std::string>& pieces) {
    LineSplitter splitter;
    std::vector<std::string> lines;
    for (const std::string& piece : pieces) {
        REQUIRE(splitter.add(piece));
        while (const auto line = splitter.next()) lines.emplace_back(*line);
    }
    return lines;
}

/// The same by take(), whose bytes are gone when it returns.
std::vector<std::string> lines_taken(const std::vector<std::string>& pieces) {
    LineSplitter splitter;
    std::vector<std::string> lines;
    for (const std::string& piece : pieces) {
        const std::unique_ptr<char[]> exact(new char[piece.size()]);
        std::memcpy(exact.get(), piece.data(), piece.size());
        const auto taken = splitter.take({exact.get(), piece.size()}, [&](std::string_view line) {
            lines.emplace_back(line);
            return true;
        });
        REQUIRE(taken == LineSplitter::Taken::all);
    }
    return lines;
}

}  // namespace

TEST_CASE("B4: line splitter: the same lines for a cut at every offset") {
    const std::string text = "{\"a\":\"\xC3\xA9\"}\n\n{\"b\":\"\\u00e9\"}\n{}\npartial";
    const auto whole = lines_of({text});
    REQUIRE(whole.size() == 3);
    CHECK(whole[0] == "{\"a\":\"\xC3\xA9\"}");
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        for (std::size_t second = cut; second <= text.size(); ++second) {
            const auto pieces = lines_of(
                {text.substr(0, cut), text.substr(cut, second - cut), text.substr(second)});
            CHECK(pieces == whole);
            CHECK(
                lines_taken(
                    {text.substr(0, cut), text.substr(cut, second - cut), text.substr(second)}) ==
                whole);
        }
    }
}

TEST_CASE("line splitter: a line without end is refused at the bound") {
    LineSplitter splitter(10);
    CHECK(splitter.add("0123456789"));
    CHECK_FALSE(splitter.next());
    CHECK_FALSE(splitter.add("x"));
}

TEST_CASE("line splitter: many short lines may be more than the bound together") {
    LineSplitter splitter(10);
    CHECK(splitter.add("12345\n12345\n12345\n"));
    int lines = 0;
    while (splitter.next()) ++lines;
    CHECK(lines == 3);
}

TEST_CASE("line splitter: taken at once, a line without end is refused at the bound as well") {
    using Taken = LineSplitter::Taken;
    const auto any = [](std::string_view) { return true; };
    LineSplitter splitter(10);
    CHECK(splitter.take("12345\n12345\n0123456789", any) == Taken::all);
    CHECK(splitter.take("", any) == Taken::all);
    CHECK(splitter.take("\n0123456789", any) == Taken::all);
    CHECK(splitter.take("x", any) == Taken::too_long);
    splitter.clear();
    CHECK(splitter.take("01234567890", any) == Taken::too_long);
}

TEST_CASE("line splitter: who stops in the middle hears no more of these bytes") {
    LineSplitter splitter;
    std::vector<std::string> lines;
    const auto until_b = [&](std::string_view line) {
        lines.emplace_back(line);
        return line != "b";
    };
    CHECK(splitter.take("a\nb\nc\nd", until_b) == LineSplitter::Taken::stopped);
    CHECK(splitter.take("e\nf", until_b) == LineSplitter::Taken::all);
    CHECK(splitter.take("\nb", until_b) == LineSplitter::Taken::all);
    CHECK(splitter.take("\nx\n", until_b) == LineSplitter::Taken::stopped);
    CHECK(lines == std::vector<std::string>{"a", "b", "e", "f", "b"});
}

TEST_CASE("line splitter: clear forgets a partial line") {
    LineSplitter splitter;
    REQUIRE(splitter.add("half"));
    CHECK_FALSE(splitter.next());
    splitter.clear();
    REQUIRE(splitter.add("whole\n"));
    const auto line = splitter.next();
    REQUIRE(line);
    CHECK(*line == "whole");
}
