#include "k8s/metrics/gpu_answer.hpp"

#include "k8s/json/scan/json_cursor.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace k8s {
namespace {

/// What a series has in common with the one before, as text: all up to the metric's name, and from
/// the labels' end to the value, for an answer is about one moment. Both have been read as JSON.
struct Frame {
    std::string_view head;    ///< with the metric's name; empty: no series has been read yet
    std::string_view metric;  ///< what it says
    std::string_view middle;  ///< from the labels' closing brace to the value's opening quote
    static constexpr std::string_view end = "]}";  ///< behind the value's closing quote
};

/// Digits and letters, as in 1.5e+06 or NaN: what needs no unescaping.
bool is_plain_value(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || c == '.' || c == '+' || c == '-' ||
               (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    });
}

/// Labels that nobody asks for, and all else that is of no interest, are passed over from quote to
/// quote and from bracket to bracket.
class AnswerReader {
public:
    using Visit = std::function<void(const GpuSeries&)>;
    /// A longer value is read as any JSON.
    static constexpr std::size_t value_max = 64;

    AnswerReader(std::string_view body, GpuLabelMemo& memo, const Visit& visit)
        : cursor_(body, body.data(), scalars_, pool_), memo_(memo), visit_(visit) {
        memo_.begin_answer();
    }

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
        if (read_like_before()) return true;
        metric_ = {};
        fresh_ = {};
        number_ = GpuLabelMemo::none;
        labels_text_ = nullptr;
        bool has_labels = false;
        bool has_value = false;
        const char* const from = cursor_.at();
        const bool is_read = read_object([&](std::string_view key) {
            if (key == "metric" && cursor_.look() == '{') {
                return read_labels(std::exchange(has_labels, true));
            }
            return key == "value" ? read_value(has_value) : skip_value();
        });
        if (!is_read) return false;
        if (has_labels && has_value) {
            if (labels_text_ != nullptr && labels_end_ < value_) {
                frame_ = {text(from, labels_text_), metric_, text(labels_end_, value_ + 1)};
            }
            visit_({metric_, fresh_, amount_, number_});
        } else {
            answer_.has_other = true;
        }
        return true;
    }

    /// Whether the series says the same as the one before, but for the card, which is known, and
    /// the value. It is then passed, without reading it as JSON once more.
    bool read_like_before() {
        std::string_view rest = cursor_.rest();
        const auto take = [&rest](std::string_view part) {
            if (!rest.starts_with(part)) return false;
            rest.remove_prefix(part.size());
            return true;
        };
        if (frame_.head.empty() || !take(frame_.head)) return false;
        const std::size_t number = memo_.find(rest);
        if (number == GpuLabelMemo::none) return false;
        const GpuLabelMemo::Known& known = memo_.at(number);
        rest.remove_prefix(known.text.size() - 1);
        if (!take(frame_.middle)) return false;
        const std::size_t quote = rest.substr(0, value_max).find('"');
        if (quote == std::string_view::npos) return false;
        const std::string_view value = rest.substr(0, quote);
        rest.remove_prefix(quote + 1);
        if (!is_plain_value(value) || !take(Frame::end)) return false;
        cursor_.pass_known(cursor_.rest().size() - rest.size());
        visit_({frame_.metric, known.labels, value, number});
        return true;
    }

    /// `is_more`: beside labels that the series has already.
    bool read_labels(bool is_more) {
        // What is behind the metric's name, if that is the first label, and the only one of its
        // kind, is known again.
        std::size_t number = 0;
        labels_text_ = nullptr;
        number_ = GpuLabelMemo::none;
        const bool is_read = read_object([&](std::string_view key) {
            std::string_view* const label = label_of(key);
            const bool is_first = number++ == 0 && !is_more;
            if (label == nullptr || cursor_.look() != '"') return skip_value();
            const auto said = cursor_.read_string(true);
            if (!said) return false;
            *label = *said;
            if (label != &metric_) return true;
            labels_text_ = is_first ? cursor_.at() : nullptr;
            if (!is_first) return true;
            number_ = memo_.find(cursor_.rest());
            if (number_ != GpuLabelMemo::none)
                cursor_.pass_known(memo_.at(number_).text.size() - 1);
            return true;
        });
        if (!is_read) return false;
        labels_end_ = cursor_.at() - 1;
        if (labels_text_ == nullptr) return true;
        if (number_ != GpuLabelMemo::none) {
            fresh_ = memo_.at(number_).labels;
        } else {
            number_ = memo_.add(text(labels_text_, cursor_.at()), fresh_);
        }
        return true;
    }

    /// A pair of a time and a text.
    bool read_value(bool& is_pair) {
        is_pair = false;
        if (cursor_.look() != '[') return skip_value();
        return read_array([&](std::size_t number) {
            is_pair = number == 1 && cursor_.look() == '"';
            if (!is_pair) return skip_value();
            value_ = cursor_.at();
            const auto said = cursor_.read_string(true);
            if (said) amount_ = *said;
            return said.has_value();
        });
    }

    static std::string_view text(const char* from, const char* to) {
        return {from, static_cast<std::size_t>(to - from)};
    }

    std::string_view* label_of(std::string_view key) {
        if (key == memo_.node_label()) return &fresh_.node;
        if (key == "__name__") return &metric_;
        if (key == "id") return &fresh_.id;
        if (key == "uuid") return &fresh_.uuid;
        if (key == "model") return &fresh_.model;
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
        return c == '"' ? cursor_.read_string(false).has_value() : cursor_.skip_other();
    }

    JsonScalarReader scalars_;
    JsonCursor::Pool pool_;
    JsonCursor cursor_;
    GpuLabelMemo& memo_;
    const Visit& visit_;
    std::string_view metric_;  ///< of the series that is being read, as is all up to its value
    GpuLabels fresh_;
    std::size_t number_ = GpuLabelMemo::none;
    std::string_view amount_;
    const char* labels_text_ = nullptr;  ///< what of it may be known again, from there to the end
    const char* labels_end_ = nullptr;   ///< their closing brace
    const char* value_ = nullptr;        ///< its opening quote
    Frame frame_;
    GpuAnswer answer_;
};

}  // namespace

core::Result<GpuAnswer> read_gpu_answer(
    std::string_view body, GpuLabelMemo& memo, const std::function<void(const GpuSeries&)>& visit) {
    return AnswerReader(body, memo, visit).read();
}

}  // namespace k8s
