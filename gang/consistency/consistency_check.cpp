#include "gang/consistency/consistency_check.hpp"

#include "gang/scheduler.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace gang {
namespace {

/// FNV-1a. Two uids with one hash would at worst hide that one of them is gone.
std::uint64_t uid_hash(std::string_view uid) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : uid) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    }
    return hash;
}

}  // namespace

void ConsistencyCheck::begin() {
    pods_.clear();
    nodes_.clear();
    found_.clear();
    drift_.clear();
}

void ConsistencyCheck::note(Drift drift) {
    if (found_.size() < drifts_max) {
        Key key{drift.kind, drift.uid.empty() ? drift.name : drift.uid};
        found_.insert_or_assign(std::move(key), std::move(drift));
    }
}

void ConsistencyCheck::see(const Scheduler& scheduler, const core::Node& listed) {
    nodes_.insert(listed.name);
    if (auto drift = scheduler.compare(listed)) {
        note(*std::move(drift));
    }
}

void ConsistencyCheck::see(const Scheduler& scheduler, const core::Pod& listed) {
    pods_.push_back(uid_hash(listed.uid));
    if (auto drift = scheduler.compare(listed)) {
        note(*std::move(drift));
    }
}

bool ConsistencyCheck::finish(const Scheduler& scheduler) {
    std::sort(pods_.begin(), pods_.end());
    scheduler.for_each_pod([this](std::string_view uid, std::string_view name) {
        if (!std::binary_search(pods_.begin(), pods_.end(), uid_hash(uid))) {
            note({DriftKind::pod_gone,
                  std::string(name.empty() ? uid : name),
                  std::string(uid),
                  {},
                  "it is in no list any more"});
        }
    });
    for (const NodeLedger& node : scheduler.ledger()) {
        if (node.is_present && !nodes_.contains(node.name)) {
            note({DriftKind::node_gone, node.name, {}, {}, "it is in no list any more"});
        }
        if (!node.adds_up) {
            note({DriftKind::node_miscounted,
                  node.name,
                  {},
                  {},
                  "allocatable is not bound + held + free"});
        }
    }
    for (const auto& [key, drift] : found_) {
        const auto it = before_.find(key);
        if (is_second_ && it != before_.end() && it->second == drift) {
            drift_.push_back(drift);
        }
    }
    const bool is_over = is_second_ || found_.empty();
    is_second_ = !is_over;
    before_ = is_over ? std::map<Key, Drift>{} : std::exchange(found_, {});
    pods_.shrink_to_fit();
    return is_over;
}

}  // namespace gang
