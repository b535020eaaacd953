#pragma once
// Json: an object of the embedded API server as a plain value. RapidJSON reads and writes it;
// between the two it is an ordinary tree that can be copied, compared, patched and merged. Members
// keep the order in which they came, as the real API server's answers do.

#include "core/base/result.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace k8s::embedded {

class Json {
public:
    using Array = std::vector<Json>;
    using Member = std::pair<std::string, Json>;
    using Object = std::vector<Member>;

    Json() = default;                                              ///< null
    Json(bool value) : value_(value) {}                            // NOLINT: implicit by design
    Json(int value) : value_(static_cast<std::int64_t>(value)) {}  // NOLINT
    Json(std::int64_t value) : value_(value) {}                    // NOLINT
    Json(double value) : value_(value) {}                          // NOLINT
    Json(const char* value) : value_(std::string(value)) {}        // NOLINT
    Json(std::string value) : value_(std::move(value)) {}          // NOLINT
    Json(std::string_view value) : value_(std::string(value)) {}   // NOLINT
    Json(Array value) : value_(std::move(value)) {}                // NOLINT
    Json(Object value) : value_(std::move(value)) {}               // NOLINT

    /// Iterative parser, depth and size bounded; a duplicate key keeps the last value.
    static core::Result<Json> parse(std::string_view text);
    std::string dump() const;

    bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
    bool is_bool() const { return std::holds_alternative<bool>(value_); }
    bool is_int() const { return std::holds_alternative<std::int64_t>(value_); }
    bool is_string() const { return std::holds_alternative<std::string>(value_); }
    bool is_array() const { return std::holds_alternative<Array>(value_); }
    bool is_object() const { return std::holds_alternative<Object>(value_); }

    /// Reading the wrong kind gives the fallback, never an error.
    bool as_bool(bool fallback = false) const;
    std::int64_t as_int(std::int64_t fallback = 0) const;
    double as_double(double fallback = 0) const;
    const std::string& as_string() const;  ///< empty string for any other kind
    const Array& items() const;            ///< empty for any other kind
    Array& items();                        ///< becomes an array if it is not one
    const Object& members() const;         ///< empty for any other kind
    Object& members();                     ///< becomes an object if it is not one

    const Json* find(std::string_view key) const;
    Json* find(std::string_view key);
    /// Follows object members; nullptr when one is missing.
    const Json* find_path(std::initializer_list<std::string_view> path) const;
    /// String at a path, empty when there is none.
    const std::string& text(std::initializer_list<std::string_view> path) const;
    /// Replaces or appends; makes this an object if it is not one.
    Json& set(std::string_view key, Json value);
    /// The member, made null first if it is missing.
    Json& operator[](std::string_view key);
    bool erase(std::string_view key);

    friend bool operator==(const Json&, const Json&) = default;

private:
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

}  // namespace k8s::embedded
