#pragma once
// Texts that many things share (names of nodes and namespaces, an application's part of its pods'
// names): each is kept once, counted, and costs its users a pointer. The last user frees it.

#include <cstddef>
#include <cstdint>

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace core {

class Texts;

/// A text of one Texts, which must outlive it. By default the empty one, which needs none.
class Text {
public:
    Text() = default;
    Text(const Text& other) : shared_(other.shared_) { retain(); }
    Text(Text&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
    Text& operator=(Text other) noexcept {
        std::swap(shared_, other.shared_);
        return *this;
    }
    ~Text() { release(); }

    const std::string& str() const;
    operator const std::string&() const { return str(); }  // reads like the text it is
    bool empty() const { return shared_ == nullptr; }

    /// Of the same Texts: equal ones are one.
    friend bool operator==(const Text& a, const Text& b) { return a.shared_ == b.shared_; }
    friend bool operator==(const Text& a, std::string_view b) { return a.str() == b; }

private:
    friend class Texts;
    struct Shared {
        std::string text;
        Texts* owner;
        mutable std::uint64_t references = 0;
    };
    explicit Text(const Shared* shared) : shared_(shared) { retain(); }
    void retain() const {
        if (shared_ != nullptr) ++shared_->references;
    }
    void release() const;

    const Shared* shared_ = nullptr;
};

class Texts {
public:
    Texts() = default;
    Texts(const Texts&) = delete;
    Texts& operator=(const Texts&) = delete;

    /// Allocates only for a text that nobody holds.
    Text keep(std::string_view text);
    /// Distinct texts held now.
    std::size_t size() const { return texts_.size(); }

private:
    friend class Text;
    struct Before {
        using is_transparent = void;
        static std::string_view view(std::string_view text) { return text; }
        static std::string_view view(const Text::Shared& shared) { return shared.text; }
        bool operator()(const auto& a, const auto& b) const { return view(a) < view(b); }
    };

    std::set<Text::Shared, Before> texts_;
};

}  // namespace core
