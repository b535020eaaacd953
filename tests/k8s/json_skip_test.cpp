#include "k8s/json_skip.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>

using namespace k8s;

namespace {

/// Byte by byte, as anybody would write it.
std::size_t plain_closing(const std::string& text) {
    int depth = 1;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') {
                ++i;
            } else if (c == '"') {
                in_string = false;
            }
        } else if (c == '"') {
            in_string = true;
        } else if (c == '\\') {
            // Never in JSON, and it may mean what it likes: here it hides quotes, no brackets.
            const char next = i + 1 < text.size() ? text[i + 1] : ' ';
            if (next == '\\' || next == '"') ++i;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return i;
        }
    }
    return std::string::npos;
}

/// In a block of its own size, so that the sanitizer sees one byte too many.
std::size_t found_closing(const std::string& text) {
    const std::unique_ptr<char[]> exact(new char[text.size()]);
    std::memcpy(exact.get(), text.data(), text.size());
    const char* at = find_closing({exact.get(), text.size()});
    return at == nullptr ? std::string::npos : static_cast<std::size_t>(at - exact.get());
}

}  // namespace

TEST_CASE("json_skip: brackets in strings and escapes do not count") {
    CHECK(found_closing("}") == 0);
    CHECK(found_closing(R"("}":{"a":[]},"\"}":"\\"} rest})") == 23);
    CHECK(found_closing("") == std::string::npos);
    CHECK(found_closing(R"("}\"})") == std::string::npos);
    CHECK(found_closing(std::string(1'000, '[') + std::string(1'000, ']') + "]") == 2'000);
}

TEST_CASE("json_skip: an escape over the end of a block is one") {
    for (std::size_t before = 0; before < 200; ++before) {
        const std::string text = "\"" + std::string(before, 'x') + R"(\\\"}")" + "}";
        CHECK(found_closing(text) == text.size() - 1);
    }
}

TEST_CASE("json_skip: the same as byte by byte, for any text") {
    std::mt19937 random(20261121);
    for (int round = 0; round < 20'000; ++round) {
        std::string text;
        const std::size_t size = random() % 300;
        const char* const alphabet = round % 2 == 0 ? "{}[]\"\\x:," : "{[]}\"xx\\\\\\\"y";
        for (std::size_t i = 0; i < size; ++i) text += alphabet[random() % std::strlen(alphabet)];
        CAPTURE(text);
        CHECK(found_closing(text) == plain_closing(text));
    }
}

TEST_CASE("json_skip: plain text is known as such, wherever the exception is") {
    CHECK(look_at("").ascii);
    for (std::size_t size = 1; size < 70; ++size) {
        for (std::size_t at = 0; at < size; ++at) {
            std::string text(size, 'a');
            CHECK(look_at(text).ascii);
            CHECK_FALSE(look_at(text).has_nul);
            text[at] = '\0';
            CHECK(look_at(text).has_nul);
            CHECK(look_at(text).ascii);
            text[at] = '\xC3';
            CHECK_FALSE(look_at(text).ascii);
            CHECK_FALSE(look_at(text).has_nul);
        }
    }
}
