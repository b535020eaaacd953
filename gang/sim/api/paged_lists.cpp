#include "gang/sim/api/paged_lists.hpp"

#include "gang/sim/world.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace gang::sim {
namespace {

/// "7:30": the snapshot and where its next page begins.
std::pair<std::uint32_t, std::uint64_t> read_token(const std::string& token) {
    const std::size_t colon = token.find(':');
    return {
        static_cast<std::uint32_t>(std::stoul(token.substr(0, colon))),
        std::stoull(token.substr(colon + 1))};
}

template <typename Object>
std::vector<Object> live(const std::vector<std::optional<Object>>& all) {
    std::vector<Object> found;
    for (const auto& one : all) {
        if (one) {
            found.push_back(*one);
        }
    }
    return found;
}

/// Copies one page out of all objects; true: there are more.
template <typename Object>
bool take_page(
    const std::vector<Object>& all,
    std::uint64_t from,
    std::uint64_t to,
    std::vector<Object>& page) {
    page.assign(
        all.begin() + static_cast<std::ptrdiff_t>(from),
        all.begin() + static_cast<std::ptrdiff_t>(to));
    return to < all.size();
}

}  // namespace

void PagedLists::list(Call& call) {
    std::uint32_t serial = 0;
    std::uint64_t from = 0;
    if (call.continue_token.empty()) {
        serial = ++serial_;
        Snapshot& made = lists_[serial];
        made.revision = world_.store.revision;
        if (call.is_of_nodes) {
            made.nodes = live(world_.store.nodes);
        } else {
            made.pods = live(world_.store.pods);
        }
    } else {
        std::tie(serial, from) = read_token(call.continue_token);
        if (!lists_.contains(serial) || world_.faults.strikes(Fault::continue_expired)) {
            call.answer.status = 410;
            return;
        }
    }
    const Snapshot& all = lists_.at(serial);
    const std::uint64_t size = call.is_of_nodes ? all.nodes.size() : all.pods.size();
    const bool is_empty = from < size && world_.faults.strikes(Fault::page_empty);
    const auto page = is_empty ? 0 : static_cast<std::uint64_t>(world_.plan.page_size);
    const std::uint64_t to = std::min(size, from + page);
    const bool has_more = call.is_of_nodes ? take_page(all.nodes, from, to, call.answer.nodes)
                                           : take_page(all.pods, from, to, call.answer.pods);
    call.answer.status = 200;
    call.answer.list_version = std::to_string(all.revision);
    if (has_more) {
        call.answer.continue_token = std::to_string(serial) + ":" + std::to_string(to);
    } else {
        lists_.erase(serial);
    }
}

}  // namespace gang::sim
