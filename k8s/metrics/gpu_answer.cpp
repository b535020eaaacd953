#include "k8s/metrics/gpu_answer.hpp"

#include "k8s/json/scan/json_cursor.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>

namespace k8s {
namespace {

/// A card's labels behind the metric's name are the same text in each of its series: it is read
/// once, and known again where it comes next. It is looked for behind the text that was found the
/// last time, and where a metric's series would begin again: Prometheus has them by metric, or by
/// node and then by metric. Elsewhere it is not found, and read as it is.
class LabelMemo {
public:
    struct Known {
        std::string_view text;  ///< with the closing brace
        GpuLabels labels;
        std::size_t number;  ///< from zero on
    };

    /// The labels with which the text goes on, up to their closing brace; nullptr: not known.
    const Known* find(std::string_view text) {
        for (const std::size_t at : {next_, next_ + 1, run_, std::size_t{0}}) {
            if (at >= known_.size() || !text.starts_with(known_[at].text)) continue;
            next_ = at + 1;
            return &known_[at];
        }
        return nullptr;
    }
    /// `text` ends with the closing brace of labels that were not found. Their number, if they are
    /// kept.
    std::size_t add(std::string_view text, const GpuLabels& labels) {
        if (known_.size() == known_max) return GpuSeries::not_numbered;
        if (next_ != known_.size()) run_ = known_.size();
        known_.push_back({text, labels, known_.size()});
        next_ = known_.size();
        return next_ - 1;
    }

private:
    static constexpr std::size_t known_max = 65'536;
    std::deque<Known> known_;  // it grows without moving what is there
    std::size_t next_ = 0;
    std::size_t run_ = 0;  ///< where those that came one after the other, all of them new, begin
};

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
        if (read_like_before()) return true;
        metric_ = {};
        fresh_ = {};
        number_ = GpuSeries::not_numbered;
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
        const LabelMemo::Known* const known = labels_.find(rest);
        if (known == nullptr) return false;
        rest.remove_prefix(known->text.size() - 1);
        if (!take(frame_.middle)) return false;
        const std::size_t quote = rest.substr(0, value_max).find('"');
        if (quote == std::string_view::npos) return false;
        const std::string_view value = rest.substr(0, quote);
        rest.remove_prefix(quote + 1);
        if (!is_plain_value(value) || !take(Frame::end)) return false;
        cursor_.pass(cursor_.rest().size() - rest.size());
        visit_({frame_.metric, known->labels, value, known->number});
        return true;
    }

    /// `is_more`: beside labels that the series has already.
    bool read_labels(bool is_more) {
        // What is behind the metric's name, if that is the first label, and the only one of its
        // kind, is known again.
        const LabelMemo::Known* known = nullptr;
        std::size_t number = 0;
        labels_text_ = nullptr;
        number_ = GpuSeries::not_numbered;
        const bool is_read = read_object([&](std::string_view key) {
            std::string_view* const label = label_of(key);
            const bool is_first = number++ == 0 && !is_more;
            if (label == nullptr || cursor_.look() != '"') return skip_value();
            const auto said = cursor_.read_string(true);
            if (!said) return false;
            *label = *said;
            if (label != &metric_) return true;
            labels_text_ = is_first ? cursor_.at() : nullptr;
            known = is_first ? labels_.find(cursor_.rest()) : nullptr;
            if (known != nullptr) cursor_.pass(known->text.size() - 1);
            return true;
        });
        if (!is_read) return false;
        labels_end_ = cursor_.at() - 1;
        if (labels_text_ == nullptr) return true;
        if (known != nullptr) {
            fresh_ = known->labels;
            number_ = known->number;
        } else {
            number_ = labels_.add(text(labels_text_, cursor_.at()), fresh_);
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
        if (key == node_label_) return &fresh_.node;
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
    std::string_view node_label_;
    const Visit& visit_;
    std::string_view metric_;  ///< of the series that is being read, as is all up to its value
    GpuLabels fresh_;
    std::size_t number_ = GpuSeries::not_numbered;
    std::string_view amount_;
    const char* labels_text_ = nullptr;  ///< what of it may be known again, from there to the end
    const char* labels_end_ = nullptr;   ///< their closing brace
    const char* value_ = nullptr;        ///< its opening quote
    LabelMemo labels_;
    Frame frame_;
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
