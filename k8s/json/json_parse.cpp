#include "k8s/json/json_fields.hpp"
#include "k8s/json/json_read.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace k8s {
namespace {

using rapidjson::SizeType;

/// Subtrees that can be most of an object's bytes and that no codec reads. Only arrays are dropped:
/// a label may well be called "env".
constexpr std::array<std::string_view, 5> dropped_arrays = {
    "managedFields", "env", "ports", "containerStatuses", "initContainerStatuses"};

bool is_dropped(std::string_view key) {
    return std::find(dropped_arrays.begin(), dropped_arrays.end(), key) != dropped_arrays.end();
}

/// Passes the reader's events on to the document, except for the dropped arrays. A key waits until
/// its value begins, and each open object counts the members it lost.
class DroppingHandler {
public:
    explicit DroppingHandler(rapidjson::Document& document) : document_(document) {}

    bool Null() {
        return pass([this] { return document_.Null(); });
    }
    bool Bool(bool b) {
        return pass([this, b] { return document_.Bool(b); });
    }
    bool Int(int i) {
        return pass([this, i] { return document_.Int(i); });
    }
    bool Uint(unsigned i) {
        return pass([this, i] { return document_.Uint(i); });
    }
    bool Int64(std::int64_t i) {
        return pass([this, i] { return document_.Int64(i); });
    }
    bool Uint64(std::uint64_t i) {
        return pass([this, i] { return document_.Uint64(i); });
    }
    bool Double(double d) {
        return pass([this, d] { return document_.Double(d); });
    }
    bool RawNumber(const char* text, SizeType length, bool copy) {
        return String(text, length, copy);
    }
    bool String(const char* text, SizeType length, bool copy) {
        return pass([=, this] { return document_.String(text, length, copy); });
    }

    bool Key(const char* text, SizeType length, bool) {
        if (dropping_ == 0) {
            key_ = {text, length};
        }
        return true;
    }

    bool StartObject() {
        if (dropping_ > 0) {
            ++dropping_;
            return true;
        }
        flush_key();
        lost_members_.push_back(0);
        return document_.StartObject();
    }

    bool EndObject(SizeType count) {
        if (dropping_ > 0) {
            --dropping_;
            return true;
        }
        const SizeType kept = count - lost_members_.back();
        lost_members_.pop_back();
        return document_.EndObject(kept);
    }

    bool StartArray() {
        if (dropping_ > 0 || is_dropped(key_)) {
            if (dropping_++ == 0) {
                key_ = {};
                ++lost_members_.back();
            }
            return true;
        }
        flush_key();
        return document_.StartArray();
    }

    bool EndArray(SizeType count) {
        if (dropping_ > 0) {
            --dropping_;
            return true;
        }
        return document_.EndArray(count);
    }

private:
    template <typename Forward>
    bool pass(const Forward& forward) {
        if (dropping_ > 0) {
            return true;
        }
        flush_key();
        return forward();
    }

    /// In place the keys stay where they are in the text, so the document need not copy them.
    void flush_key() {
        if (key_.data() != nullptr) {
            document_.Key(key_.data(), static_cast<SizeType>(key_.size()), false);
            key_ = {};
        }
    }

    rapidjson::Document& document_;
    std::string_view key_;  ///< waiting; data() is null when none waits
    int dropping_ = 0;      ///< open arrays and objects of the dropped subtree
    std::vector<SizeType> lost_members_;
};

}  // namespace

core::Result<core::Done> parse_in_place(std::string& text, rapidjson::Document& into) {
    core::Result<core::Done> read = core::Done{};
    const auto generate = [&](rapidjson::Document& document) {
        DroppingHandler handler(document);
        read = read_in_place(text, handler);
        return read.has_value();
    };
    into.Populate(generate);
    return read;
}

}  // namespace k8s
