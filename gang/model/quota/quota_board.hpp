#pragma once
// The ResourceQuotas and LimitRanges of namespaces in which gangs wait: asked for by namespace when
// the first gang comes whose executors are known, and again with pauses while one waits. Nothing is
// watched. Off (quota.preflight): nobody is asked, and nothing stands in anybody's way.
//
//   want --> due --> asked --> found: every gang of the namespace may be looked at again
//                      ^          '-- again after a pause, that doubles while nothing changes
//                      '--- missing: what was known stands; without a right they are not looked at
//
// What a quota counts as used are pods that exist. Executors that gangs of ours have room for and
// that do not exist yet are promised it: those of the time of the question, and of gangs that were
// admitted since. So nothing is counted too little while the answer is under way; what is counted
// twice is so until the next answer.
//
// Among gangs of one namespace who came later passes nobody who waits for quota that both would use,
// unless its priority is higher: a stream of small gangs would keep a large one waiting for ever.

#include "config/schema.hpp"
#include "core/cluster/cluster.hpp"
#include "gang/event.hpp"
#include "gang/explain.hpp"
#include "gang/model/application.hpp"
#include "gang/model/quota/quota_judge.hpp"
#include "gang/model/quota/quota_namespace.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gang {

class QuotaBoard {
public:
    /// Why executors of a gang could not be created.
    struct Obstacle {
        ReasonCode code = ReasonCode::none;
        std::string text;  ///< empty: nothing that is worth saying yet
    };

    QuotaBoard(const config::Quota& said, const core::Cluster& cluster)
        : is_on_(said.preflight), judge_(cluster) {}

    bool is_on() const { return is_on_; }

    /// This gang waits, what its executors ask is known, and nothing else stands in its way.
    void want(const Application& app, const core::Pod& driver, std::int64_t now_ms);
    /// Something else does: it keeps nobody of its namespace waiting.
    void rest(const Application& app);
    /// Its executors will come.
    void admitted(const Application& app);
    /// Pods of the namespace have ended: some of it may be free.
    void note_freed(const std::string& namespace_name, std::int64_t now_ms);
    /// Nobody waits there.
    void forget(const std::string& namespace_name);

    /// Nothing: as far as quotas go its executors can come.
    std::optional<Obstacle> find_obstacle(const Application& app, const core::Pod& driver) const;

    // --- questions to the API server ---
    /// Namespaces that are to be asked for now.
    std::vector<std::string> due(std::int64_t now_ms) const;
    /// Who waits there, as far as was said.
    std::vector<std::string> waiting_in(const std::string& namespace_name) const;
    /// One of these waits no more.
    void stop_waiting(const std::string& namespace_name, const std::string& uid);
    /// It is asked for; `running` are the gangs that hold room.
    void asked(
        const std::string& namespace_name,
        const std::vector<const Application*>& running,
        std::int64_t now_ms);
    // --- answers: whom they may help, or stand against, by uid ---
    std::vector<std::string> found(const QuotasFound& event, std::int64_t now_ms);
    std::vector<std::string> missing(const QuotasMissing& event, std::int64_t now_ms);
    /// Those who are to be looked at again because others were admitted, or wait for quota no more.
    std::vector<std::string> take_overtaken();
    std::optional<std::int64_t> next_due_ms() const;
    /// Answers that are under way are nobody's.
    void forget_questions(std::int64_t now_ms);

    /// 0 when nobody waits, and for a while after.
    std::size_t remembered() const;

private:
    using Namespace = QuotaNamespace;
    using ByName = std::map<std::string, Namespace, std::less<>>;

    void ask_at(Namespace& in, const std::string& name, std::int64_t at_ms);
    void pause(Namespace& in, const std::string& name, std::int64_t now_ms);
    std::vector<std::string> answered(
        Namespace& in, const std::string& name, bool is_other, std::int64_t now_ms);
    void note(
        const std::string& name, Namespace& in, const Application& app, const core::Pod& driver);
    void stop(const std::string& name, Namespace& in, const std::string& uid);

    bool is_on_;
    QuotaJudge judge_;
    ByName namespaces_;
    std::set<std::pair<std::int64_t, std::string>> schedule_;  ///< when, and which
    std::set<std::string> overtaken_;                          ///< namespaces
};

}  // namespace gang
