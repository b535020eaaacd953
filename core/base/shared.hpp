#pragma once
// A value that many hold and hardly anybody changes: copies share it.

#include <compare>
#include <memory>
#include <utility>

namespace core {

/// Reads as a T everywhere; T{} costs nothing. Whoever changes it gets a T of its own first.
template <typename T>
class Shared {
public:
    Shared() = default;
    Shared(T value) {  // reads like a T
        if (value != T{}) value_ = std::make_shared<T>(std::move(value));
    }

    const T& operator*() const {
        static const T nothing{};
        return value_ ? *value_ : nothing;
    }
    const T* operator->() const { return &**this; }
    operator const T&() const { return **this; }

    /// For one who makes the value bit by bit; the reference holds until the next copy.
    T& edit() {
        if (!value_ || value_.use_count() > 1) value_ = std::make_shared<T>(**this);
        return *value_;
    }

    /// Gives up its own for the other's, if they are equal. False: they are not.
    bool share(const Shared& other) {
        if (!(*this == other)) return false;
        value_ = other.value_;
        return true;
    }

    friend bool operator==(const Shared& a, const Shared& b) {
        return a.value_ == b.value_ || *a == *b;
    }
    friend bool operator==(const Shared& a, const T& b) { return *a == b; }
    friend auto operator<=>(const Shared& a, const Shared& b)
    requires std::three_way_comparable<T>
    {
        using Order = std::compare_three_way_result_t<T>;
        return a.value_ == b.value_ ? Order::equivalent : *a <=> *b;
    }

private:
    std::shared_ptr<T> value_;
};

}  // namespace core
