#include "k8s/protocol/fingerprint.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <string>

using k8s::protocol::Fingerprint;

namespace {

constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % prime);
}

/// The polynomial, a word of seven bytes after the other.
std::uint64_t plain(std::uint64_t seed, std::uint32_t tag, const std::string& text) {
    const std::uint64_t point = seed % (prime - 2) + 2;
    std::uint64_t sum = 1;
    const auto add = [&](std::uint64_t word) { sum = (times(sum, point) + word) % prime; };
    add((std::uint64_t{tag} << 32) + text.size());
    for (std::size_t at = 0; at < text.size(); at += 7) {
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < 7 && at + i < text.size(); ++i) {
            word |= std::uint64_t{static_cast<unsigned char>(text[at + i])} << 8 * i;
        }
        add(word);
    }
    return sum;
}

std::uint64_t of(std::uint64_t seed, std::uint32_t tag, const std::string& text) {
    const std::unique_ptr<char[]> exact(new char[text.size()]);
    std::memcpy(exact.get(), text.data(), text.size());
    Fingerprint fingerprint(seed);
    fingerprint.add(tag, {exact.get(), text.size()});
    return fingerprint.value();
}

}  // namespace

TEST_CASE("fingerprint: the polynomial, however many words it takes at once") {
    std::mt19937_64 random(7);
    for (std::size_t size = 0; size < 300; ++size) {
        std::string text(size, '\xff');
        const std::uint64_t seed = size % 3 == 0 ? ~std::uint64_t{0} - size : random();
        if (size % 2 == 0) {
            for (char& c : text) c = static_cast<char>(random());
        }
        CHECK(of(seed, 5, text) == plain(seed, 5, text));
    }
}

TEST_CASE("fingerprint: any byte, the length and the order of texts matter") {
    std::set<std::uint64_t> seen;
    const std::string text(100, 'a');
    for (std::size_t at = 0; at < text.size(); ++at) {
        std::string other = text;
        other[at] = 'b';
        seen.insert(of(1, 2, other));
        seen.insert(of(1, 2, text.substr(at)));
    }
    CHECK(seen.size() == 200);
    Fingerprint one(3);
    one.add(1, "ab");
    one.add(1, "c");
    Fingerprint two(3);
    two.add(1, "a");
    two.add(1, "bc");
    CHECK(one.value() != two.value());
    two.clear();
    two.add(1, "ab");
    two.add(1, "c");
    CHECK(one.value() == two.value());
}
