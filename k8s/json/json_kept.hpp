#pragma once
// The fingerprint of what is kept of a text: of the texts of all that is kept, piece by piece. With
// their lengths, and each beginning and ending where something was cut out, they leave only one way
// to read them.

#include "k8s/protocol/fingerprint.hpp"

#include <cstddef>
#include <cstdint>

namespace k8s {

class JsonKept {
public:
    explicit JsonKept(protocol::Fingerprint& fingerprint) : fingerprint_(fingerprint) {}

    /// From here on all that is not cut is kept.
    void open(const char* at) { from_ = at; }
    /// What is read until the next open() is no part of it. Nothing to do if it is closed.
    void close(const char* at) {
        if (from_ != nullptr) add_up_to(at);
        from_ = nullptr;
    }
    /// The same, and what was not added yet never is.
    void drop() { from_ = nullptr; }
    bool is_open() const { return from_ != nullptr; }

    /// What is between is not part of it.
    void cut(const char* begin, const char* end) {
        if (from_ == nullptr) return;
        add_up_to(begin);
        from_ = end;
    }

    // A late array is read after what comes behind it in the text.

    void leave_for_late(const char* at, const char* late) {
        add_up_to(at);
        fingerprint_.add(std::uint64_t{tag_late} << 32);
        from_ = late;
    }
    void return_from_late(const char* late_end, const char* at) {
        add_up_to(late_end);
        fingerprint_.add(std::uint64_t{tag_late_end} << 32);
        from_ = at;
    }

private:
    enum Tag : std::uint32_t { tag_text = 1, tag_late, tag_late_end };

    void add_up_to(const char* end) {
        if (end > from_) {
            fingerprint_.add(tag_text, {from_, static_cast<std::size_t>(end - from_)});
        }
    }

    protocol::Fingerprint& fingerprint_;
    const char* from_ = nullptr;  ///< nullptr: what is read now is no part of it
};

}  // namespace k8s
