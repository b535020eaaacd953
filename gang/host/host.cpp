#include "gang/host/host.hpp"

namespace gang {

Host::Lead Host::lead(const LeadershipGained& term, bool nodes_are_listed) {
    if (!is_deciding()) {
        return Lead::ignored;
    }
    leads_ = true;
    if (!nodes_are_listed) {
        inbox_.push(term);
        return Lead::leads;
    }
    term_begins_ = term;
    return Lead::list_nodes;
}

bool Host::nodes_listed() {
    return term_begins_ && push(*std::exchange(term_begins_, std::nullopt));
}

bool Host::lost() {
    leads_ = false;
    return !std::exchange(is_lost_, true);
}

bool Host::push(Event event) {
    if (!is_deciding()) {
        return false;
    }
    inbox_.push(std::move(event));
    return true;
}

}  // namespace gang
