// What small functions on texts say of many words, usual ones and odd ones.

#include "core/base/progress_text.hpp"
#include "core/base/suggest.hpp"
#include "core/base/uuid.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace {
namespace base_texts {

const std::vector<std::string> known = {
    "leaseName",
    "lease-duration",
    "a",
    "ab",
    "abc",
    "queue_names",
    "Z9",
    "wxyz",
    "maximumNumberOfExecutorsOfAnApplication",
    "AZaz"};

/// One letter is changed, added, left out, or written otherwise.
std::string misspelt(tests::Walk& walk, std::string word) {
    for (std::size_t left = walk.pick(5); left > 0; --left) {
        const std::size_t at = walk.pick(word.size() + 1);
        const std::string letters = "aZ-_9q@[`{";
        switch (walk.pick(4)) {
            case 0:
                word.insert(word.begin() + static_cast<std::ptrdiff_t>(at), letters[walk.pick(letters.size())]);
                break;
            case 1:
                if (at < word.size()) word.erase(at, 1);
                break;
            case 2:
                if (at < word.size()) word[at] = letters[walk.pick(letters.size())];
                break;
            default:
                if (at < word.size() && word[at] >= 'a' && word[at] <= 'z') word[at] = static_cast<char>(word[at] - 32);
        }
    }
    return word;
}

TEST_CASE("transcripts: which known word a misspelt one is taken for") {
    std::string told;
    tests::Walk walk(31);
    for (int i = 0; i < 500; ++i) {
        const std::string word = misspelt(walk, walk.of(known));
        const std::string* const found = core::find_similar(word, known);
        told += word + " -> " + (found == nullptr ? "-" : *found) + core::did_you_mean(word, known) + "\n";
    }
    tests::check_transcript("core/base/transcripts/similar_words", told);
}

TEST_CASE("suggest: a word of more than 64 letters is like no other, nor is one that shares too little") {
    const std::vector<std::string> long_ones = {std::string(64, 'x'), "abcdefghi"};
    CHECK(core::find_similar(std::string(64, 'x'), long_ones) == &long_ones[0]);
    CHECK(core::find_similar(std::string(63, 'x') + "y", long_ones) == &long_ones[0]);
    CHECK(core::find_similar(std::string(65, 'x'), long_ones) == nullptr);
    CHECK(core::find_similar("abcdef", long_ones) == nullptr);           // 3 of 6, of which 2 may be wrong
    CHECK(core::find_similar("abcdefxyz", long_ones) == &long_ones[1]);  // 3 of 9, of which 3 may be wrong
    CHECK(core::find_similar("abcdewxyz", long_ones) == nullptr);
    CHECK(core::find_similar("abcdexyz", long_ones) == nullptr);  // 4 of 8, of which 2 may be wrong
    const std::vector<std::string> short_ones = {"ab", "c"};
    CHECK(core::find_similar("xy", short_ones) == nullptr);  // nothing of it is left
    CHECK(core::find_similar("ax", short_ones) == &short_ones[0]);
    CHECK(core::find_similar("q", short_ones) == nullptr);
    CHECK(core::did_you_mean("ax", short_ones) == ", did you mean \"ab\"?");
    CHECK(core::did_you_mean("", short_ones).empty());
}

TEST_CASE("transcripts: how far something is, and how long it takes yet") {
    std::string told;
    for (const std::int64_t done : {0, 1, 9, 10, 59, 99, 100, 101, 995, 1'000, 3'600, 100'000}) {
        for (const std::int64_t total : {0, 1, 10, 100, 101, 3'601, 7'200, 1'000'000}) {
            for (const std::int64_t passed : {-1, 0, 1, 999, 1'000, 9'949, 9'951, 59'999, 60'001, 100'000}) {
                if ((done + total + passed) % 3 == 1 && total != 0) continue;
                told += std::to_string(done) + "/" + std::to_string(total) + " in " + std::to_string(passed) + ": " +
                        core::progress_text(done, total, passed, "x") + "\n";
            }
        }
    }
    tests::check_transcript("core/base/transcripts/progress", told);
}

TEST_CASE("uuid: 36 characters, dashes in four places, and digits of base 16 in lower case elsewhere") {
    const std::string good = "01234567-89ab-cdef-0f1e-2d3c4b5a6978";
    const auto parsed = core::parse_uuid(good);
    REQUIRE(parsed.has_value());
    CHECK(parsed->words == std::array<std::uint32_t, 4>{0x01234567, 0x89abcdef, 0x0f1e2d3c, 0x4b5a6978});
    CHECK(core::text_of(*parsed) == good);
    CHECK(core::hash_of(*parsed) != core::hash_of({}));
    CHECK(core::hash_of({{1, 0, 0, 0}}) == 0xd820b7e910b0f93fU);
    CHECK(core::hash_of({{0, 1, 2, 3}}) == 0xc886f273ee226337U);
    CHECK_FALSE(core::parse_uuid("").has_value());
    CHECK_FALSE(core::parse_uuid(good + "0").has_value());
    CHECK_FALSE(core::parse_uuid(good.substr(1)).has_value());
    for (std::size_t at = 0; at < good.size(); ++at) {
        for (const char odd : {'-', 'g', 'G', 'A', 'F', '/', ':', '`', ' ', '\xff', '0', 'f'}) {
            std::string text = good;
            text[at] = odd;
            const bool is_dash = good[at] == '-';
            const bool is_good = is_dash ? odd == '-' : odd == '0' || odd == 'f';
            CHECK_MESSAGE(core::parse_uuid(text).has_value() == is_good, text);
            if (is_good) CHECK(core::text_of(*core::parse_uuid(text)) == text);
        }
    }
}

}  // namespace base_texts
}  // namespace
