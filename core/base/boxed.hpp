#pragma once
// An optional that takes a pointer's room where std::optional keeps the value's own.

#include "core/base/result.hpp"

#include <concepts>
#include <memory>
#include <optional>
#include <utility>

namespace core {

/// A T or nothing, with the T on the heap; copies are deep.
template <typename T>
class Boxed {
public:
    Boxed() = default;
    Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}  // reads like an optional
    Boxed(std::optional<T> value)
        : value_(value ? std::make_unique<T>(*std::move(value)) : nullptr) {}
    Boxed(const Boxed& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
    Boxed(Boxed&&) noexcept = default;
    Boxed& operator=(const Boxed& other) {
        if (this == &other) return *this;
        if (!other) {
            value_.reset();
        } else if (value_) {
            *value_ = *other;
        } else {
            value_ = std::make_unique<T>(*other);
        }
        return *this;
    }
    Boxed& operator=(Boxed&&) noexcept = default;
    template <typename Value = T>
    requires std::constructible_from<T, Value> Boxed& operator=(Value&& value) {
        value_ = std::make_unique<T>(std::forward<Value>(value));
        return *this;
    }
    ~Boxed() = default;

    explicit operator bool() const { return value_ != nullptr; }
    bool has_value() const { return value_ != nullptr; }
    void reset() { value_.reset(); }
    template <typename... Args>
    T& emplace(Args&&... args) {
        value_ = std::make_unique<T>(std::forward<Args>(args)...);
        return *value_;
    }

    T& operator*() {
        ENSURE(value_ != nullptr);
        return *value_;
    }
    const T& operator*() const {
        ENSURE(value_ != nullptr);
        return *value_;
    }
    T* operator->() { return &**this; }
    const T* operator->() const { return &**this; }

    friend bool operator==(const Boxed& a, const Boxed& b) {
        return a.value_ == nullptr || b.value_ == nullptr ? a.value_ == b.value_ : *a == *b;
    }

private:
    std::unique_ptr<T> value_;
};

}  // namespace core
