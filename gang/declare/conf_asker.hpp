#pragma once
// When to ask for which driver's conf. Spark creates the config map after the driver pod, so
// "missing" is normal at first: asked at once, after 0.1 s, 1 s, then doubling to 30 s, for ever.
// All gangs share two limits, so that a thousand broken drivers cost what one costs; the first two
// questions of each are free of one, or a burst of submissions would be admitted at that rate.
//
//   wanted -> outstanding -> (found: forgotten) | (missing: waits its pause -> outstanding -> ...)

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gang {

inline constexpr std::size_t conf_outstanding_max = 32;
inline constexpr std::int64_t conf_repeats_per_second = 20;
inline constexpr std::int64_t conf_pause_ms_min = 1'000;
inline constexpr std::int64_t conf_pause_ms_max = 30'000;
/// An answer that takes longer is taken for lost: the question is put again.
inline constexpr std::int64_t conf_answer_ms_max = 60'000;

class ConfAsker {
public:
    /// This driver's conf is needed. Wanting it twice changes nothing.
    void want(const std::string& uid, std::int64_t now_ms);
    void forget(const std::string& uid);

    /// Whether the conf of this driver is asked for.
    bool is_asking(const std::string& uid) const { return questions_.contains(uid); }

    /// The question was answered: not there (yet).
    void missing(const std::string& uid, std::int64_t now_ms);

    /// Whom to ask now, within the limits; they are outstanding from here on.
    std::vector<std::string> due(std::int64_t now_ms);

    /// When due() may next have an answer; nothing if only answers can help.
    std::optional<std::int64_t> next_due_ms(std::int64_t now_ms) const;

    /// Whether every conf that is wanted has been asked for and answered at least once.
    bool all_answered_once() const { return unanswered_ == 0; }

    std::size_t remembered() const { return questions_.size() + outstanding_.size(); }

private:
    struct Question {
        std::int64_t at_ms = 0;  ///< when to ask; while outstanding: when it was asked
        std::int64_t pause_ms = conf_pause_ms_min;
        bool outstanding = false;
        int answers = 0;  ///< counted up to 2
    };
    using Schedule = std::set<std::pair<std::int64_t, std::string>>;

    Schedule& schedule_of(const Question& question) {
        return question.answers < 2 ? fresh_ : repeats_;
    }
    void recall_lost(std::int64_t now_ms);
    void ask_from(Schedule& schedule, std::int64_t now_ms, std::vector<std::string>& asked);

    std::map<std::string, Question> questions_;
    Schedule fresh_;    ///< every gang's first two: no limit but the number outstanding
    Schedule repeats_;  ///< limited per second as well
    std::set<std::string> outstanding_;
    std::size_t unanswered_ = 0;
    std::int64_t second_ = 0;  ///< the second in which repeats_asked_ counts
    std::int64_t repeats_asked_ = 0;
};

}  // namespace gang
