#pragma once
// Executors in slots beyond their gang's minimum that go for others. Their slot goes first, so that
// no executor that Spark makes in their place takes it back:
//
//   in its slot --take_out--> beside its gang; the reservation is being written
//     --stored--> is_out: it may be asked to go --went--> forgotten
//     --put_back: a budget keeps it, or nobody wants its room any more--> in a slot again
//
// Nothing is remembered beyond the process: to a new leader it is an executor beyond its gang's
// reservation, who goes before any other.

#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/reservation/publisher.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace gang {

class SoftExecutors {
public:
    SoftExecutors(Model& model, Publisher& publisher) : model_(model), publisher_(publisher) {}

    /// False: it is in no slot beyond the minimum any more, and stays as it is.
    bool take_out(const std::string& pod);
    bool is_taken(const std::string& pod) const { return taken_.contains(pod); }
    /// It is taken, and the API server has the reservation without its slot.
    bool is_out(const std::string& pod) const;
    /// Its driver's uid; it is taken.
    const std::string& driver_of(const std::string& pod) const { return taken_.at(pod).driver; }
    /// Its eviction is under way; or was not sent after all.
    void set_asked(const std::string& pod, bool is_asked);
    /// Those who are still to be asked.
    std::size_t waiting() const;
    /// In a slot again, if its gang still has a reservation.
    void put_back(const std::string& pod);
    /// It has been asked to go, and does.
    void went(const std::string& pod);
    /// Before anybody is placed: who has ended before the reservation was stored leaves room that
    /// the stored one still names.
    void hold_unwritten();
    /// Those whose room nobody wants any more.
    template <typename IsWanted>
    void put_back_unless(const IsWanted& is_wanted) {
        for (auto next = taken_.begin(); next != taken_.end();) {
            const std::string pod = next->first;
            ++next;
            if (!is_wanted(pod)) put_back(pod);
        }
    }
    void forget_all() { taken_.clear(); }
    std::size_t remembered() const { return taken_.size(); }

private:
    struct Taken {
        std::string driver;
        std::int64_t generation = 0;  ///< of the reservation without its slot
        std::string node;
        core::Resources size;  ///< of its slot
        std::uint16_t shape = 0;
        bool is_asked = false;
        bool is_going = false;  ///< on its way out
        bool has_left = false;  ///< and gone, before the reservation was stored
    };
    bool is_stored(const Taken& taken) const;

    Model& model_;
    Publisher& publisher_;
    std::map<std::string, Taken> taken_;  ///< by the executor's uid
};

}  // namespace gang
