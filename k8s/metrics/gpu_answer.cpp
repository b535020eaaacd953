#include "k8s/metrics/gpu_answer.hpp"

#include "k8s/json/scan/json_cursor.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace k8s {
namespace {

/// A card's labels behind the metric's name are the same text in each of its series: it is read
/// once, and known again where it comes next. It is looked for behind the text that was found the
/// last time, and where a metric's series would begin again: Prometheus has them by metric, or by
/// node and then by metric. Elsewhere it is not found, and read as it is.
class LabelMemo {
public:
    /// Whether the text goes on with labels that are known, up to their closing brace, which are
    /// then put into a series that has none of them.
    bool find(std::string_view text, GpuSeries& into) {
        for (const std::size_t at : {next_, next_ + 1, run_, std::size_t{0}}) {
            if (at >= known_.size() || !text.starts_with(known_[at].text)) continue;
            const GpuSeries& found = known_[at].series;
            into = {into.metric, found.node, found.id, found.uuid, found.model, into.value};
            next_ = at + 1;
            return true;
        }
        return false;
    }
    /// Of the text that was found, without the brace.
    std::size_t size() const { return known_[next_ - 1].text.size() - 1; }

    /// `text` ends with the closing brace of labels that were not found.
    void add(std::string_view text, const GpuSeries& series) {
        if (known_.size() == known_max) return;
        if (next_ != known_.size()) run_ = known_.size();
        known_.push_back({text, series});
        next_ = known_.size();
    }

private:
    static constexpr std::size_t known_max = 65'536;
    struct Known {
        std::string_view text;
        GpuSeries series;
    };
    std::vector<Known> known_;
    std::size_t next_ = 0;
    std::size_t run_ = 0;  ///< where those that came one after the other, all of them new, begin
};

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
                return read_labels(std::exchange(has_labels, true));
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

    /// `is_more`: beside labels that the series has already.
    bool read_labels(bool is_more) {
        // Behind the metric's name, if that is the first label, and the only one of its kind.
        const char* rest = nullptr;
        bool is_known = false;
        std::size_t number = 0;
        const bool is_read = read_object([&](std::string_view key) {
            std::string_view* const label = label_of(key);
            const bool is_first = number++ == 0 && !is_more;
            if (label == nullptr || cursor_.look() != '"') return skip_value();
            const auto said = cursor_.read_string(true);
            if (!said) return false;
            *label = *said;
            if (label != &series_.metric) return true;
            rest = is_first ? cursor_.at() : nullptr;
            if (is_first) is_known = labels_.find(cursor_.rest(), series_);
            if (is_known) cursor_.pass(labels_.size());
            return true;
        });
        if (is_read && rest != nullptr && !is_known) {
            labels_.add({rest, static_cast<std::size_t>(cursor_.at() - rest)}, series_);
        }
        return is_read;
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
        return c == '"' ? cursor_.read_string(false).has_value() : cursor_.skip_other();
    }

    JsonScalarReader scalars_;
    JsonCursor::Pool pool_;
    JsonCursor cursor_;
    std::string_view node_label_;
    const Visit& visit_;
    GpuSeries series_;
    LabelMemo labels_;
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
