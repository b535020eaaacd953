#pragma once
// The grammar under gang/reservation/format/reservation.hpp: records of words and key=value fields,
// percent-encoded strings, and a pod's constraints in it. Readers take hostile text and answer,
// never abort.

#include "core/value/constraints.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang::text {

/// Letters, digits and -._/ stay; every other byte becomes %XX.
std::string escape(std::string_view raw);

/// Nothing if the text holds a byte that escape() would have encoded, or half an escape.
std::optional<std::string> unescape(std::string_view escaped);

/// A decimal number from 0, or exactly -1 ("no limit"); nothing on a sign, a blank, an overflow.
std::optional<std::int64_t> number(std::string_view digits);

/// The pieces between separators; one piece if there is none.
std::vector<std::string_view> split(std::string_view text, char separator);

std::string_view first_word(std::string_view record);

/// The key=value words of a record.
class Fields {
public:
    explicit Fields(std::string_view record) : words_(split(record, ' ')) {}

    std::optional<std::string_view> find(std::string_view key) const;

    /// The field's number, `missing` if there is no such field, nothing if it is not a number >= 0
    /// (-1 is accepted for `max` alone).
    std::optional<std::int64_t> find_number(std::string_view key, std::int64_t missing) const;

private:
    std::vector<std::string_view> words_;
};

/// Appends " selector=... affinity=... tolerations=...", only what is there.
void write_constraints(std::string& out, const core::Constraints& constraints);

bool read_constraints(const Fields& fields, core::Constraints& into);

}  // namespace gang::text
