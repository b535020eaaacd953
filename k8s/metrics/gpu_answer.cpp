#include "k8s/metrics/gpu_answer.hpp"

#include "k8s/json/scan/json_cursor.hpp"

#include <cstddef>
#include <utility>

namespace k8s {
namespace {

/// Labels that nobody asks for, and all else that is of no interest, are passed over from quote to
/// quote and from bracket to bracket.
class AnswerReader {
public:
    using Visit = std::function<void(const GpuSeries&)>;

    AnswerReader(std::string_view body, std::string_view node_label, const Visit& visit)
        : cursor_(body, body.data(), scalars_, pool_), node_label_(node_label), visit_(visit) {}

    core::Result<GpuAnswer> read() {
        cursor_.skip_space();
        const bool is_object = cursor_.look() == '{';
        const bool is_read = is_object ? read_root() : skip_value();
        if (!is_read || !cursor_.ends_here()) return cursor_.problem();
        if (!is_object) return core::Error{"the answer is not an object"};
        return std::move(answer_);
    }

private:
    bool read_root() {
        return read_object([this](std::string_view key) {
            if (key == "data" && cursor_.look() == '{') return read_data();
            if (key != "error" || cursor_.look() != '"') return skip_value();
            const auto said = cursor_.read_string(false);
            if (said) answer_.error = *said;
            return said.has_value();
        });
    }

    bool read_data() {
        bool is_vector = false;
        bool has_result = false;
        const bool is_read = read_object([&](std::string_view key) {
            if (key == "resultType" && cursor_.look() == '"') {
                const auto type = cursor_.read_string(false);
                is_vector = type == "vector";
                return type.has_value();
            }
            if (key != "result" || cursor_.look() != '[') return skip_value();
            has_result = true;
            return read_array([this](std::size_t) {
                if (cursor_.look() == '{') return read_series();
                answer_.has_other = true;
                return skip_value();
            });
        });
        answer_.is_vector = is_vector && has_result;
        return is_read;
    }

    bool read_series() {
        series_ = {};
        bool has_labels = false;
        bool has_value = false;
        const bool is_read = read_object([&](std::string_view key) {
            if (key == "metric" && cursor_.look() == '{') {
                has_labels = true;
                return read_labels();
            }
            return key == "value" ? read_value(has_value) : skip_value();
        });
        if (!is_read) return false;
        if (has_labels && has_value) {
            visit_(series_);
        } else {
            answer_.has_other = true;
        }
        return true;
    }

    bool read_labels() {
        return read_object([this](std::string_view key) {
            std::string_view* const label = label_of(key);
            if (label == nullptr || cursor_.look() != '"') return skip_value();
            const auto said = cursor_.read_string(true);
            if (said) *label = *said;
            return said.has_value();
        });
    }

    /// A pair of a time and a text.
    bool read_value(bool& is_pair) {
        is_pair = false;
        if (cursor_.look() != '[') return skip_value();
        return read_array([&](std::size_t number) {
            is_pair = number == 1 && cursor_.look() == '"';
            if (!is_pair) return skip_value();
            const auto said = cursor_.read_string(true);
            if (said) series_.value = *said;
            return said.has_value();
        });
    }

    std::string_view* label_of(std::string_view key) {
        if (key == node_label_) return &series_.node;
        if (key == "__name__") return &series_.metric;
        if (key == "id") return &series_.id;
        if (key == "uuid") return &series_.uuid;
        if (key == "model") return &series_.model;
        return nullptr;
    }

    // --- what any JSON has ----------------------------------------------------------------------

    /// From its opening brace to behind the closing one; `member(key)` reads the value.
    template <typename Member>
    bool read_object(Member member) {
        return read_list('}', "expected a comma or }", [&](std::size_t) {
            if (cursor_.look() != '"') return cursor_.fail("expected the name of a member");
            const auto key = cursor_.read_string(true);
            return key && cursor_.take_colon() && member(*key);
        });
    }
    template <typename Element>
    bool read_array(Element element) {
        return read_list(']', "expected a comma or ]", element);
    }
    template <typename Item>
    bool read_list(char end, const char* expected, Item item) {
        cursor_.pass();
        cursor_.skip_space();
        if (cursor_.look() != end) {
            for (std::size_t number = 0;; cursor_.pass()) {
                cursor_.skip_space();
                if (!item(number++)) return false;
                cursor_.skip_space();
                if (cursor_.look() != ',') break;
            }
            if (cursor_.look() != end) return cursor_.fail(expected);
        }
        cursor_.pass();
        return true;
    }
    bool skip_value() {
        const char c = cursor_.look();
        if (c == '{' || c == '[') return cursor_.skip_nested();
        return c == '"' ? cursor_.read_string(false).has_value() : cursor_.read_other().has_value();
    }

    JsonScalarReader scalars_;
    JsonCursor::Pool pool_;
    JsonCursor cursor_;
    std::string_view node_label_;
    const Visit& visit_;
    GpuSeries series_;
    GpuAnswer answer_;
};

}  // namespace

core::Result<GpuAnswer> read_gpu_answer(
    std::string_view body,
    std::string_view node_label,
    const std::function<void(const GpuSeries&)>& visit) {
    return AnswerReader(body, node_label, visit).read();
}

}  // namespace k8s
