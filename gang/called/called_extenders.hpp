#pragma once
// Extenders of others, which the file names, are asked where pods may go before a gang is placed:
// one question for each kind of pod that it has, whoever many they are.
//
//   classified --no answer--> asked --answered--> may be placed, as the answers say
//       ^                       '-- no answer in vain: asked again after a pause
//       '-- an answer is old, or nodes have changed --'
//
// What an answer says becomes part of the pods' constraints: nodes that they may go to, and points
// of these. While a gang waits for answers it keeps its place in the line for a second; then others
// may pass. Executors that come into the slots of their gang are not asked about again, nor are slots
// that move: they keep off the nodes that the last answer refused.

#include "core/cluster/cluster.hpp"
#include "gang/decision.hpp"
#include "gang/event.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gang {

/// An answer counts for as long.
inline constexpr std::int64_t extender_answer_ms = 30'000;
/// Nodes may come and go all the time: nobody is asked about again sooner.
inline constexpr std::int64_t extender_answer_ms_min = 1'000;
/// So long others wait behind a gang that waits for an answer.
inline constexpr std::int64_t extender_patience_ms = 1'000;
/// Questions that are under way at once.
inline constexpr std::size_t extender_questions_max = 32;

class CalledExtenders {
public:
    CalledExtenders(Model& model, StepContext& step) : model_(model), step_(step) {}

    void on(const ExtendersAnswered& event);
    /// Answers to questions of before are nobody's.
    void on(const LeadershipGained&) { forget_all(); }
    void on(const LeadershipLost&) { forget_all(); }

    /// Before the gang is classified: its shapes are as the answers say, or it waits for them
    /// (PodEntry::retry).
    void prepare(Application& app, PodEntry& entry);
    /// Asks, and has those looked at again whose answers are old.
    void run();
    /// It is placed: from here on its pods are as they are by themselves.
    void placed(Application& app);
    /// The executors of a gang that runs, without the nodes that the last answer about them refused;
    /// to be given back (GangShapes::release).
    core::ShapeId without_refused(const Application& app, std::size_t shape);

    std::size_t remembered() const {
        return gangs_.size() + under_way_.size() + refused_.size();
    }

private:
    /// Pods of one kind: the driver, or executors that are alike.
    struct Part {
        core::Resources requests;
        core::Constraints own;      ///< as their pods have them
        core::Constraints placed;   ///< with what the answer says
        core::Constraints applied;  ///< `placed`, as the gang's shape had it last
        std::vector<std::int64_t> extenders;  ///< that are asked about them
        bool is_answered = false;
        std::vector<std::string> refused;  ///< nodes that were asked about and did not pass
        bool is_refused = false;  ///< no node passes
        std::string refusal;
        std::string question;  ///< the last one, which alone is to be answered
    };
    struct Gang {
        Rank rank;
        std::vector<Part> parts;
        std::int64_t began_ms = -1;    ///< to wait for answers; -1: it does not
        std::int64_t answered_ms = 0;  ///< the oldest of its answers
        std::uint64_t node_set = 0;    ///< that they are about
        std::uint64_t nodes_version = 0;  ///< of the nodes when it was asked about
        bool has_unasked = false;  ///< pods of a kind could go to no node: nobody was asked
        std::size_t under_way = 0;     ///< questions
        bool has_failed = false;       ///< one of these
        std::int64_t not_before_ms = 0;
        std::int64_t due_ms = 0;       ///< when it is looked at again; 0: it is not
        int failures = 0;     ///< rounds of questions, in a row
        std::string problem;  ///< of the last one
    };
    struct Question {
        std::string uid;
        std::size_t part = 0;
        std::vector<std::string> nodes;
    };

    bool is_on() const { return !model_.schema.extenders.empty(); }
    void take_part(Gang& gang, std::size_t index, core::ShapeId shape);
    void place_as_answered(Application& app, Gang& gang);
    void set_constraints(
        core::ShapeId& shape, const Part& part, const core::Constraints& constraints);
    void wait(PodEntry& entry, Gang& gang);
    bool is_current(const Gang& gang) const;
    void schedule(const std::string& uid, Gang& gang, std::int64_t at_ms);
    void look_again(const std::string& uid);
    void ask(const std::string& uid, Gang& gang);
    void take_answer(Part& part, const Question& question, const ExtendersAnswered& event);
    std::vector<std::string> nodes_for(const Part& part) const;
    void note_nodes();
    void end_round(Gang& gang);
    void forget_all();
    void take_back(Application& app);
    void forget_ended();

    Model& model_;
    StepContext& step_;
    std::map<std::string, Gang> gangs_;          ///< that wait, by uid
    /// Of gangs that run, by uid: for each shape of executors nodes that did not pass; sorted.
    std::map<std::string, std::vector<std::vector<std::string>>> refused_;
    std::size_t gangs_seen_ = 0;  ///< when those that ended were looked for last
    std::map<std::string, Question> under_way_;  ///< by their name
    std::set<Rank> to_ask_;
    std::set<std::pair<std::int64_t, std::string>> due_;  ///< when to look at which gang again
    std::vector<std::string> nodes_;  ///< by name
    std::uint64_t nodes_version_ = 0;
    std::uint64_t node_set_ = 0;   ///< grows when `nodes_` changes
    std::uint64_t questions_ = 0;  ///< ever
};

}  // namespace gang
