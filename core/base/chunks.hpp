#pragma once
// A vector that grows by whole chunks: nothing moves when it grows, and no half of it is empty.

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace core {

template <typename Value, std::size_t per_chunk = 1024>
class Chunks {
public:
    Chunks() = default;
    Chunks(const Chunks& other) { *this = other; }
    Chunks(Chunks&&) noexcept = default;
    Chunks& operator=(const Chunks& other) {
        if (this == &other) return *this;
        chunks_.clear();
        for (const auto& chunk : other.chunks_) {
            chunks_.push_back(std::make_unique<Chunk>(*chunk));
        }
        size_ = other.size_;
        return *this;
    }
    Chunks& operator=(Chunks&&) noexcept = default;
    ~Chunks() = default;

    std::size_t size() const { return size_; }
    /// Values there is memory for.
    std::size_t capacity() const { return chunks_.size() * per_chunk; }
    Value& operator[](std::size_t i) { return (*chunks_[i / per_chunk])[i % per_chunk]; }
    const Value& operator[](std::size_t i) const {
        return (*chunks_[i / per_chunk])[i % per_chunk];
    }
    Value& back() { return (*this)[size_ - 1]; }

    /// A value as it is by default, at the end.
    Value& emplace_back() {
        if (size_ == chunks_.size() * per_chunk) chunks_.push_back(std::make_unique<Chunk>());
        return (*this)[size_++];
    }
    /// Its place is as new. One chunk stays for the next that come.
    void pop_back() {
        (*this)[--size_] = Value{};
        if (chunks_.size() > size_ / per_chunk + 2) chunks_.pop_back();
    }

    friend bool operator==(const Chunks& a, const Chunks& b) {
        if (a.size_ != b.size_) return false;
        for (std::size_t i = 0; i < a.size_; ++i) {
            if (!(a[i] == b[i])) return false;
        }
        return true;
    }

private:
    using Chunk = std::array<Value, per_chunk>;
    std::vector<std::unique_ptr<Chunk>> chunks_;
    std::size_t size_ = 0;
};

}  // namespace core
