#pragma once
// A value that few of many things have: a pointer until it is made. What is not there reads as a
// value does by default.

#include <memory>

namespace core {

template <typename Value>
class Rare {
public:
    Rare() = default;
    Rare(const Rare& other) : value_(other.is_made() ? std::make_unique<Value>(*other) : nullptr) {}
    Rare(Rare&&) noexcept = default;
    Rare& operator=(const Rare& other) {
        if (this != &other) *this = Rare(other);
        return *this;
    }
    Rare& operator=(Rare&&) noexcept = default;
    ~Rare() = default;

    const Value& operator*() const {
        static const Value nothing{};
        return value_ ? *value_ : nothing;
    }
    const Value* operator->() const { return &**this; }

    bool is_made() const { return value_ != nullptr; }
    /// To be changed; made if it was not there.
    Value& make() {
        if (!value_) value_ = std::make_unique<Value>();
        return *value_;
    }
    /// As by default, and without memory.
    void reset() { value_.reset(); }

private:
    std::unique_ptr<Value> value_;
};

}  // namespace core
