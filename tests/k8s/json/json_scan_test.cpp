// Every version of the block reader that this processor can run, each against byte by byte.
// GANG_SEED=7 repeats a run.

#include "k8s/json/scan/json_scan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>

using namespace k8s;

namespace {

/// In a block of its own size, so that the sanitizer sees one byte too many.
class Exact {
public:
    explicit Exact(const std::string& text) : bytes_(new char[text.size()]), size_(text.size()) {
        std::memcpy(bytes_.get(), text.data(), size_);
    }
    const char* begin() const { return bytes_.get(); }
    const char* end() const { return bytes_.get() + size_; }

private:
    std::unique_ptr<char[]> bytes_;
    std::size_t size_;
};

std::uint64_t seed_of_run() {
    const char* text = std::getenv("GANG_SEED");
    return text == nullptr ? 20261121 : std::strtoull(text, nullptr, 10);
}

/// Of a text that `opening` has opened before.
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

std::size_t found_closing(const std::string& text, const BlockReader& reader) {
    const Exact exact("[" + text);
    JsonScanner scanner(exact.begin(), exact.end(), reader.look);
    const char* at = scanner.find_closing(exact.begin());
    return at == nullptr ? std::string::npos : static_cast<std::size_t>(at - exact.begin()) - 1;
}

/// A block as anybody would read it, from what came before it.
JsonBlock plain_block(const char* text, JsonCarry& carry) {
    JsonBlock block;
    for (unsigned i = 0; i < json_block_size; ++i) {
        const auto bit = std::uint64_t{1} << i;
        const auto c = static_cast<unsigned char>(text[i]);
        const bool is_escaped = carry.escaped != 0;
        carry.escaped = c == '\\' && !is_escaped ? 1 : 0;
        carry.has_nul = carry.has_nul || c == 0;
        if (c < 0x20 || c > 0x7f || c == '\\') block.odd |= bit;
        if (c == '"' && !is_escaped) {
            block.quotes |= bit;
            carry.in_string = ~carry.in_string;
        }
        if (carry.in_string != 0) continue;
        if (c == '{' || c == '[') block.opening |= bit, ++block.opened;
        if (c == '}' || c == ']') block.closing |= bit, ++block.closed;
    }
    return block;
}

}  // namespace

TEST_CASE("json_scan: brackets in strings and escapes do not count") {
    for (const BlockReader& reader : block_readers()) {
        CAPTURE(reader.name);
        CHECK(found_closing("}", reader) == 0);
        CHECK(found_closing(R"("}":{"a":[]},"\"}":"\\"} rest})", reader) == 23);
        CHECK(found_closing("", reader) == std::string::npos);
        CHECK(found_closing(R"("}\"})", reader) == std::string::npos);
        const std::string deep = std::string(1'000, '[') + std::string(1'000, ']') + "]";
        CHECK(found_closing(deep, reader) == 2'000);
    }
}

TEST_CASE("json_scan: an escape over the end of a block is one") {
    for (const BlockReader& reader : block_readers()) {
        for (std::size_t before = 0; before < 200; ++before) {
            const std::string text = "\"" + std::string(before, 'x') + R"(\\\"}")" + "}";
            CHECK(found_closing(text, reader) == text.size() - 1);
        }
    }
}

TEST_CASE("json_scan: the same as byte by byte, for any text") {
    const std::uint64_t seed = seed_of_run();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 10'000; ++round) {
        std::string text;
        const std::size_t size = random() % (round % 10 == 0 ? 3'000 : 300);
        const char* const alphabet = round % 2 == 0 ? "{}[]\"\\x:," : "{[]}\"xx\\\\\\\"y";
        for (std::size_t i = 0; i < size; ++i) text += alphabet[random() % std::strlen(alphabet)];
        CAPTURE(seed);
        CAPTURE(text);
        for (const BlockReader& reader : block_readers()) {
            CAPTURE(reader.name);
            CHECK(found_closing(text, reader) == plain_closing(text));
        }
    }
}

TEST_CASE("json_scan: blocks of any bytes are the same in every version") {
    const std::uint64_t seed = seed_of_run();
    std::mt19937_64 random(seed);
    constexpr std::size_t blocks = 5;
    for (int round = 0; round < 3'000; ++round) {
        std::string text(blocks * json_block_size, ' ');
        const bool is_hostile = round % 3 == 0;
        for (char& c : text) {
            c = is_hostile ? "\\\"{}[]\x1f \x7f\x80\xff/"[random() % 13]
                           : static_cast<char>(random());
        }
        if (round % 5 != 0) std::replace(text.begin(), text.end(), '\0', '\x01');
        const Exact exact(text);
        JsonCarry wanted_carry;
        JsonBlock wanted[blocks];
        for (std::size_t i = 0; i < blocks; ++i) {
            wanted[i] = plain_block(text.data() + i * json_block_size, wanted_carry);
        }
        for (const BlockReader& reader : block_readers()) {
            CAPTURE(seed);
            CAPTURE(reader.name);
            JsonCarry carry;
            JsonBlock got[blocks];
            reader.look(exact.begin(), 2, carry, got);
            reader.look(exact.begin() + 2 * json_block_size, blocks - 2, carry, got + 2);
            for (std::size_t i = 0; i < blocks; ++i) CHECK(got[i] == wanted[i]);
            CHECK(carry == wanted_carry);
        }
    }
}

TEST_CASE("json_scan: a string ends at its quote, and is plain unless something in it is not") {
    for (const BlockReader& reader : block_readers()) {
        CAPTURE(reader.name);
        for (std::size_t before = 0; before < 140; before += 7) {
            for (std::size_t size = 0; size < 150; size += 1 + size / 20) {
                for (const std::string odd : {"", "\\\"", "\\\\", "\xC3\xA9", "\x1f", "\x7f"}) {
                    const std::string inner =
                        std::string(size / 2, 'a') + odd + std::string(size - size / 2, 'b');
                    const std::string text = std::string(before, ' ') + "\"" + inner + "\",\\";
                    const Exact exact(text);
                    JsonScanner scanner(exact.begin(), exact.end(), reader.look);
                    const char* open = exact.begin() + before;
                    const auto found = scanner.find_string_end(open);
                    CHECK(found.close == open + 1 + inner.size());
                    CHECK(found.is_plain == (odd.empty() || odd == "\x7f"));
                    const Exact cut(text.substr(0, before + 1 + inner.size()));
                    JsonScanner of_cut(cut.begin(), cut.end(), reader.look);
                    CHECK(of_cut.find_string_end(cut.begin() + before).close == nullptr);
                }
            }
        }
    }
}

TEST_CASE("json_scan: a NUL is seen wherever it is") {
    for (const BlockReader& reader : block_readers()) {
        for (std::size_t size : {1, 63, 64, 65, 1'024, 1'100}) {
            for (std::size_t at = 0; at < size; at += 1 + at / 8) {
                std::string text(size, 'a');
                const Exact without("[" + text);
                JsonScanner none(without.begin(), without.end(), reader.look);
                CHECK(none.find_closing(without.begin()) == nullptr);
                CHECK_FALSE(none.has_nul());
                text[at] = '\0';
                const Exact with("[" + text);
                JsonScanner one(with.begin(), with.end(), reader.look);
                CHECK(one.find_closing(with.begin()) == nullptr);
                CHECK(one.has_nul());
            }
        }
    }
}
