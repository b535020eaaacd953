#include "core/base/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace core {
namespace {

constexpr std::size_t longest_word = 64;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_separator(char c) {
    return c == '-' || c == '_';
}

/// lease-name, lease_name and leaseName are one word to a person.
std::string fold(std::string_view word) {
    std::string out;
    for (const char c : word) {
        if (!is_separator(c)) {
            out += lower(c);
        }
    }
    return out;
}

std::size_t distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

}  // namespace

const std::string* find_similar(std::string_view found, std::span<const std::string> known) {
    if (found.empty() || found.size() > longest_word) {
        return nullptr;
    }
    const std::string folded = fold(found);
    const std::string* best = nullptr;
    std::size_t best_distance = std::max<std::size_t>(2, folded.size() / 3) + 1;
    for (const std::string& word : known) {
        const std::size_t d = distance(folded, fold(word));
        if (d < best_distance && d < word.size()) {
            best = &word;
            best_distance = d;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view found, std::span<const std::string> known) {
    const std::string* const best = find_similar(found, known);
    return best == nullptr ? std::string{} : fmt::format(", did you mean \"{}\"?", *best);
}

}  // namespace core
