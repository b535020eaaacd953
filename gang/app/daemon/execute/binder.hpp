#pragma once
// Binds pods: has their volumes made first, sends the bind, and measures what all of it took. The
// answer becomes a BindFinished.

#include "gang/app/base/log.hpp"
#include "gang/app/serve/metrics.hpp"
#include "gang/decision.hpp"
#include "gang/event.hpp"
#include "gang/reservation/format/seal.hpp"
#include "k8s/volume/claim_client.hpp"
#include "k8s/write/writer.hpp"

#include <cstdint>
#include <functional>
#include <utility>

namespace gang::app {

class Binder {
public:
    struct Wiring {
        k8s::Writer* writer = nullptr;         ///< outlives it
        k8s::ClaimClient* claims = nullptr;    ///< outlives it
        const Seal* seal = nullptr;            ///< outlives it
        const Log* log = nullptr;              ///< outlives it
        Metrics* metrics = nullptr;            ///< outlives it
        std::function<void(Event)> answer;     ///< never called from inside bind()
        std::function<std::int64_t()> now_ms;  ///< Unix time, as events are stamped
    };

    explicit Binder(Wiring wiring) : wiring_(std::move(wiring)) {}
    Binder(const Binder&) = delete;
    Binder& operator=(const Binder&) = delete;

    void bind(const BindPod& decision);

private:
    struct Begun;
    void send(const BindPod& decision, const Begun& begun);
    void answered(const Begun& begun, const k8s::BindResult& result);

    Wiring wiring_;
};

}  // namespace gang::app
