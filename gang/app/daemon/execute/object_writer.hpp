#pragma once
// Writes what the scheduler has decided about objects, binds aside: conditions, reservations,
// Events and evictions of pods, and the status of pod groups. Each answer becomes an event.

#include "gang/app/base/log.hpp"
#include "gang/app/serve/metrics.hpp"
#include "gang/decision.hpp"
#include "gang/event.hpp"
#include "gang/reservation/format/seal.hpp"
#include "k8s/write/writer.hpp"

#include <functional>
#include <string>
#include <utility>

namespace gang::app {

class ObjectWriter {
public:
    struct Wiring {
        k8s::Writer* writer = nullptr;      ///< outlives it
        const Seal* seal = nullptr;         ///< outlives it
        const Log* log = nullptr;           ///< outlives it
        Metrics* metrics = nullptr;         ///< outlives it
        std::function<void(Event)> answer;  ///< never called from inside write()
    };

    explicit ObjectWriter(Wiring wiring) : wiring_(std::move(wiring)) {}
    ObjectWriter(const ObjectWriter&) = delete;
    ObjectWriter& operator=(const ObjectWriter&) = delete;

    void write(const SetCondition& decision);
    void write(const UpdateReservation& decision);
    void write(const EvictPod& decision);
    void write(const RecordEvent& decision);
    void write(const WriteGroupStatus& decision);

private:
    Wiring wiring_;
    std::string group_problem_;  ///< the last one: each is a warning once
};

}  // namespace gang::app
