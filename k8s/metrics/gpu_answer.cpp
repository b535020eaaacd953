#include "k8s/metrics/gpu_answer.hpp"

#include "k8s/json/json_read.hpp"

#include <cstdint>
#include <utility>

namespace k8s {
namespace {

using rapidjson::SizeType;

/// Where the reader is. What is of no interest is passed over by counting its brackets.
enum class Place : std::uint8_t { before, root, data, result, series, labels, value, behind };

class AnswerHandler {
public:
    AnswerHandler(GpuAnswer& answer, std::string_view node_label)
        : answer_(answer), node_label_(node_label) {}

    bool is_object() const { return is_object_; }

    bool Null() { return other(); }
    bool Bool(bool) { return other(); }
    bool Int(int) { return other(); }
    bool Uint(unsigned) { return other(); }
    bool Int64(std::int64_t) { return other(); }
    bool Uint64(std::uint64_t) { return other(); }
    bool Double(double) { return other(); }
    bool RawNumber(const char*, SizeType, bool) { return other(); }
    bool Key(const char* text, SizeType length, bool) {
        if (skipped_ == 0) key_ = {text, length};
        return true;
    }

    bool String(const char* text, SizeType length, bool) {
        if (skipped_ > 0) return true;
        const std::string_view said(text, length);
        switch (place_) {
            case Place::root:
                if (key_ == "error") answer_.error = said;
                return true;
            case Place::data:
                if (key_ == "resultType") is_vector_ = said == "vector";
                return true;
            case Place::labels:
                if (std::string_view* const label = label_of(key_)) *label = said;
                return true;
            case Place::value:
                if (values_++ == 1) now_.value = said;
                has_text_ = values_ == 2;
                return true;
            default:
                return other();
        }
    }

    bool StartObject() {
        if (skipped_ > 0) return skip();
        if (place_ == Place::before) {
            is_object_ = true;
            return go(Place::root);
        }
        if (place_ == Place::root && key_ == "data") return go(Place::data);
        if (place_ == Place::result) {
            now_ = {};
            has_labels_ = has_text_ = false;
            return go(Place::series);
        }
        if (place_ == Place::series && key_ == "metric") {
            has_labels_ = true;
            return go(Place::labels);
        }
        return skip();
    }

    bool EndObject(SizeType) {
        if (skipped_ > 0) return end_skipped();
        if (place_ == Place::labels) return go(Place::series);
        if (place_ == Place::series) {
            note_series();
            return go(Place::result);
        }
        if (place_ == Place::data) {
            answer_.is_vector = is_vector_ && has_result_;
            return go(Place::root);
        }
        return go(Place::behind);
    }

    bool StartArray() {
        if (skipped_ > 0) return skip();
        if (place_ == Place::data && key_ == "result") {
            has_result_ = true;
            return go(Place::result);
        }
        if (place_ == Place::series && key_ == "value") {
            values_ = 0;
            return go(Place::value);
        }
        return skip();
    }

    bool EndArray(SizeType) {
        if (skipped_ > 0) return end_skipped();
        if (place_ == Place::result) return go(Place::data);
        has_text_ = has_text_ && values_ == 2;
        return go(Place::series);
    }

private:
    bool go(Place place) {
        place_ = place;
        return true;
    }
    bool skip() {
        if (skipped_ == 0) other();
        ++skipped_;
        return true;
    }
    bool end_skipped() {
        --skipped_;
        return true;
    }
    /// A value that is none of those looked for.
    bool other() {
        if (skipped_ > 0) return true;
        if (place_ == Place::result) answer_.has_other = true;
        if (place_ == Place::value) ++values_;
        return true;
    }
    void note_series() {
        if (!has_labels_ || !has_text_) answer_.has_other = true;
        if (!answer_.has_other) answer_.series.push_back(now_);
    }
    std::string_view* label_of(std::string_view key) {
        if (key == node_label_) return &now_.node;
        if (key == "__name__") return &now_.metric;
        if (key == "id") return &now_.id;
        if (key == "uuid") return &now_.uuid;
        if (key == "model") return &now_.model;
        return nullptr;
    }

    GpuAnswer& answer_;
    std::string_view node_label_;
    Place place_ = Place::before;
    int skipped_ = 0;  ///< open arrays and objects of what is passed over
    std::string_view key_;
    GpuSeries now_;
    bool is_object_ = false;
    bool is_vector_ = false;
    bool has_result_ = false;
    bool has_labels_ = false;
    bool has_text_ = false;  ///< the second of two values, so far
    int values_ = 0;
};

}  // namespace

core::Result<GpuAnswer> read_gpu_answer(std::string& body, std::string_view node_label) {
    GpuAnswer answer;
    AnswerHandler handler(answer, node_label);
    if (auto read = read_in_place<rapidjson::kParseNumbersAsStringsFlag>(body, handler); !read) return read.error();
    if (!handler.is_object()) return core::Error{"the answer is not an object"};
    return answer;
}

}  // namespace k8s
