#pragma once
// Result<T>: a value, or an Error with a text for people. For expected failures (a bad quantity, a
// refused request); outcomes of scheduling are values with a reason, broken invariants abort.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

namespace core {

/// Why something expected failed, in words that can be shown to a user.
struct Error {
    std::string message;
    friend bool operator==(const Error&, const Error&) = default;
};

/// Either a T or an Error. Reading the wrong side aborts.
template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value)
        : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by design
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

    explicit operator bool() const { return state_.index() == 0; }
    bool has_value() const { return state_.index() == 0; }
    const T& operator*() const& { return std::get<0>(state_); }
    T& operator*() & { return std::get<0>(state_); }
    T&& operator*() && { return std::get<0>(std::move(state_)); }
    const T* operator->() const { return &std::get<0>(state_); }
    T* operator->() { return &std::get<0>(state_); }
    const Error& error() const { return std::get<1>(state_); }

    friend bool operator==(const Result&, const Result&) = default;

private:
    std::variant<T, Error> state_;
};

/// A Result without a value.
struct Done {
    friend bool operator==(const Done&, const Done&) = default;
};

[[noreturn]] inline void broken_invariant(const char* what, const char* file, int line) {
    std::fprintf(stderr, "broken invariant: %s (%s:%d)\n", what, file, line);
    std::abort();
}

}  // namespace core

/// Aborts, in release builds too, when an invariant of ours does not hold.
#define ENSURE(condition) \
    ((condition) ? static_cast<void>(0) : ::core::broken_invariant(#condition, __FILE__, __LINE__))
