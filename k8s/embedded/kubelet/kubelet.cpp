#include "k8s/embedded/kubelet/kubelet.hpp"

#include "k8s/base/time.hpp"
#include "k8s/codec/pod/codec_pod.hpp"
#include "k8s/embedded/http/api_server.hpp"
#include "k8s/embedded/kubelet/kubelet_nodes.hpp"
#include "k8s/embedded/kubelet/pod_records.hpp"
#include "k8s/embedded/kubelet/pod_runtime.hpp"
#include "k8s/embedded/kubelet/referee.hpp"
#include "k8s/embedded/store/json_path.hpp"
#include "k8s/embedded/store/json_tools.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace k8s::embedded {
namespace {

constexpr std::int64_t config_map_retry_ms = 200;

bool is_terminal(const Json& pod) {
    const std::string& phase = pod.text({"status", "phase"});
    return phase == "Succeeded" || phase == "Failed";
}

std::string path_of(const Json& pod) {
    return fmt::format("/api/v1/namespaces/{}/pods/{}", space_of(pod), name_of(pod));
}

PodRecord record_of(const Json& pod, std::int64_t cpu_milli, std::int64_t now_ms) {
    PodRecord record;
    record.namespace_name = space_of(pod);
    record.name = name_of(pod);
    record.uid = uid_of(pod);
    record.node = pod.text({"spec", "nodeName"});
    record.role = pod.text({"metadata", "labels", "spark-role"});
    record.cpu_milli = cpu_milli;
    record.bound_ms = now_ms;
    return record;
}

void place(Sojourn& sojourn, KubeletNode& node) {
    const std::int64_t nth = ++node.pods_started;
    sojourn.host_ip = node.address;
    sojourn.pod_ip =
        fmt::format("10.{}.{}.{}", 128 + node.number % 100, nth / 250 % 250, nth % 250 + 1);
}

enum class Stage { creating, running, ended };

}  // namespace

class Kubelets::State {
public:
    State(boost::asio::io_context& loop, ApiServer& server, KubeletOptions options)
        : loop_(loop),
          server_(server),
          options_(std::move(options)),
          nodes_(loop, server, options_),
          records_(options_.records_max) {}

    void start(KubeletHooks hooks) {
        hooks_ = std::move(hooks);
        nodes_.start();
        relist();
    }

    void finish(const std::string& uid, int exit_code) {
        const auto found = pods_.find(uid);
        if (found == pods_.end() || found->second.stage != Stage::running) return;
        end_pod(found->second, exit_code);
    }

    const std::vector<PodRecord>& records() const { return records_.all(); }

private:
    struct PodState {
        PodState(boost::asio::io_context& loop, StoredPtr stored)
            : object(std::move(stored)), timer(loop) {}
        StoredPtr object;
        Stage stage = Stage::creating;
        bool is_stopping = false;  ///< deleted; will be removed from the API server
        Sojourn sojourn;
        PodRecords::Page record;
        boost::asio::steady_timer timer;
    };

    // ---- the watch of pods ----

    void relist() {
        const Kind& pods = core_kind("pods");
        const auto page = server_.store().list(pods, PageRequest{});
        ENSURE(page);  // "now" is always there
        watch_ = server_.store().watch(pods, Scope{}, page->revision);
        watch_->on_change([this] { wake(); });
        std::set<std::string> present;
        for (const StoredPtr& pod : page->objects) {
            present.insert(uid_of(pod->json));
            on_pod(pod);
        }
        std::vector<std::string> missing;
        for (const auto& [uid, pod] : pods_) {
            if (!present.contains(uid)) missing.push_back(uid);
        }
        for (const std::string& uid : missing) forget(uid);
        wake();
    }

    // Called in the middle of a write of the store: only remembers to look.
    void wake() {
        if (std::exchange(is_woken_, true)) return;
        boost::asio::post(loop_, [this, alive = std::weak_ptr<int>(alive_)] {
            if (alive.expired()) return;
            is_woken_ = false;
            drain();
        });
    }

    void drain() {
        while (const auto event = watch_->next()) {
            if (event->type == Watch::Type::deleted) {
                forget(uid_of(event->object->json));
            } else {
                on_pod(event->object);
            }
        }
        if (watch_->is_expired()) relist();
    }

    void on_pod(const StoredPtr& pod) {
        const auto known = pods_.find(uid_of(pod->json));
        if (known == pods_.end()) {
            if (!is_terminal(pod->json)) begin(pod);
            return;
        }
        PodState& state = known->second;
        state.object = pod;
        if (is_terminal(pod->json) && state.stage != Stage::ended) leave(state);
        if (is_deleting(pod->json) && !state.is_stopping) stop(state);
    }

    // ---- the life of one pod ----

    void begin(const StoredPtr& pod) {
        KubeletNode* node = nodes_.find_fresh(pod->json);
        if (node == nullptr) return;
        const std::string uid = uid_of(pod->json);
        PodState& state = pods_
                              .emplace(
                                  std::piecewise_construct,
                                  std::forward_as_tuple(uid),
                                  std::forward_as_tuple(loop_, pod))
                              .first->second;
        auto decoded = decode_pod(pod->text());
        const std::int64_t cpu = decoded ? decoded->requests.cpu_milli : 0;
        std::optional<Refusal> refusal;
        if (decoded) refusal = node->referee.admit(*decoded);
        if (!decoded) refusal = Refusal{"UnexpectedAdmissionError", decoded.error().message};
        state.record = records_.add(record_of(pod->json, cpu, server_.now_ms()));
        place(state.sojourn, *node);
        if (refusal) return refuse(state, *refusal);
        patch_status(state, creating_patch(pod->json, sojourn_now(state)));
        if (is_deleting(pod->json)) return stop(state);
        after(state, options_.start_ms, &State::try_run);
    }

    void refuse(PodState& state, const Refusal& refusal) {
        records_.note_ended(state.record, server_.now_ms());
        records_.note_refusal(state.record, refusal.reason);
        state.stage = Stage::ended;
        patch_status(state, refused_patch(state.object->json, sojourn_now(state), refusal));
        if (hooks_.on_gone) hooks_.on_gone(state.object->json);
    }

    void try_run(PodState& state) {
        if (state.is_stopping) return;
        const Json& pod = state.object->json;
        for (const std::string& name : needed_config_maps(pod)) {
            const Key key{space_of(pod), name};
            if (server_.store().find(core_kind("configmaps"), key) != nullptr) continue;
            return after(state, config_map_retry_ms, &State::try_run);
        }
        const StoredPtr object = state.object;
        state.stage = Stage::running;
        state.sojourn.started = format_time(server_.now_ms());
        records_.note_started(state.record, server_.now_ms());
        patch_status(state, running_patch(pod, sojourn_now(state)));
        const auto run_ms = run_time_ms(object->json, options_.run_ms);
        if (run_ms) after(state, *run_ms, &State::run_out);
        if (hooks_.on_running) hooks_.on_running(object->json);
    }

    void run_out(PodState& state) {
        if (state.stage == Stage::running && !state.is_stopping) end_pod(state, 0);
    }

    void end_pod(PodState& state, int exit_code) {
        patch_status(state, ended_patch(state.object->json, sojourn_now(state), exit_code));
        leave(state);
    }

    // The pod holds nothing any more; what it owns ends with it.
    void leave(PodState& state) {
        const std::string uid = uid_of(state.object->json);
        if (!state.is_stopping) state.timer.cancel();
        state.stage = Stage::ended;
        records_.note_ended(state.record, server_.now_ms());
        nodes_.release(state.object->json);
        const StoredPtr object = state.object;
        end_owned_by(uid);
        if (hooks_.on_gone) hooks_.on_gone(object->json);
    }

    void end_owned_by(const std::string& owner) {
        std::vector<std::string> owned;
        for (const auto& [uid, pod] : pods_) {
            const bool runs = pod.stage == Stage::running;
            if (runs && owner_pod_uid(pod.object->json) == owner) owned.push_back(uid);
        }
        for (const std::string& uid : owned) finish(uid, 0);
    }

    void stop(PodState& state) {
        const std::int64_t grace_s =
            int_at(state.object->json, {"metadata", "deletionGracePeriodSeconds"});
        state.is_stopping = true;
        after(state, std::min(options_.stop_ms, grace_s * 1000), &State::remove);
    }

    void remove(PodState& state) {
        const Json& pod = state.object->json;
        Json options;
        options.set("apiVersion", "v1");
        options.set("kind", "DeleteOptions");
        options.set("gracePeriodSeconds", 0);
        options["preconditions"].set("uid", uid_of(pod));
        call_as_kubelet(server_, "DELETE", path_of(pod), options);
    }

    // The pod is gone from the API server.
    void forget(const std::string& uid) {
        const auto found = pods_.find(uid);
        if (found == pods_.end()) return;
        const bool was_alive = found->second.stage != Stage::ended;
        if (was_alive) records_.note_ended(found->second.record, server_.now_ms());
        const StoredPtr object = found->second.object;
        nodes_.release(object->json);
        pods_.erase(found);
        if (!was_alive) return;
        end_owned_by(uid);
        if (hooks_.on_gone) hooks_.on_gone(object->json);
    }

    // ---- small tools ----

    /// Runs a step of the pod's life later, unless the pod is gone or its timer was set anew.
    void after(PodState& state, std::int64_t delay_ms, void (State::*step)(PodState&)) {
        state.timer.expires_after(std::chrono::milliseconds(delay_ms));
        const std::string uid = uid_of(state.object->json);
        state.timer.async_wait(
            [this, uid, step, alive = std::weak_ptr<int>(alive_)](boost::system::error_code ec) {
                if (ec || alive.expired()) return;
                const auto found = pods_.find(uid);
                if (found != pods_.end()) (this->*step)(found->second);
            });
    }

    Sojourn sojourn_now(const PodState& state) const {
        Sojourn sojourn = state.sojourn;
        sojourn.now = format_time(server_.now_ms());
        return sojourn;
    }

    void patch_status(const PodState& state, const Json& patch) {
        call_as_kubelet(server_, "PATCH", path_of(state.object->json) + "/status", patch);
    }

    boost::asio::io_context& loop_;
    ApiServer& server_;
    KubeletOptions options_;
    KubeletHooks hooks_;
    KubeletNodes nodes_;
    std::map<std::string, PodState> pods_;  ///< by uid, until they are gone from the server
    PodRecords records_;
    std::unique_ptr<Watch> watch_;
    bool is_woken_ = false;
    /// A queued handler may outlive this object by one turn of the loop; it looks here first.
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

Kubelets::Kubelets(boost::asio::io_context& loop, ApiServer& server, KubeletOptions options)
    : state_(std::make_unique<State>(loop, server, std::move(options))) {}

Kubelets::~Kubelets() = default;

void Kubelets::start(KubeletHooks hooks) {
    state_->start(std::move(hooks));
}

void Kubelets::finish(const std::string& uid, int exit_code) {
    state_->finish(uid, exit_code);
}

const std::vector<PodRecord>& Kubelets::records() const {
    return state_->records();
}

}  // namespace k8s::embedded
