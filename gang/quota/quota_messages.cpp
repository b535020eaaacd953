#include "gang/quota/quota_messages.hpp"

#include "core/value/quantity.hpp"

namespace gang {
namespace {

constexpr const char* counted_gangs = "gangs";

std::string counted(std::int64_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string of_resource(const std::string& resource, std::int64_t amount) {
    return amount_text(resource, amount) + " " + resource;
}

std::string never_text(const QuotaShortage& shortage, const std::string& queue) {
    const std::string whose = shortage.is_of_user ? " for each user" : "";
    if (shortage.resource == counted_gangs) {
        return "queue " + queue + " may hold no gangs at all (maxGangs: 0)";
    }
    return "it needs " + of_resource(shortage.resource, shortage.needs) + ", and queue " + queue +
           " has a limit of " + amount_text(shortage.resource, shortage.limit) + whose;
}

std::string waits_text(
    const QuotaShortage& shortage, const QueueAccount& account, const Shares& shares) {
    const std::string& queue = shares.tree.name(shortage.queue);
    if (shortage.resource == counted_gangs) {
        return "queue " + queue + " holds " + counted(shortage.used, "gang") + ", at most " +
               std::to_string(shortage.limit) + ": it starts when one of them has ended";
    }
    const QueueUsage::Held& held = shortage.is_of_user
                                       ? shares.usage.of_user(shortage.queue, account.user)
                                       : shares.usage.of(shortage.queue);
    const std::string who =
        shortage.is_of_user ? "user " + account.user + " in queue " + queue : "queue " + queue;
    return who + " has " + of_resource(shortage.resource, shortage.used) + " in use by " +
           counted(held.gangs, "gang") + ", its limit is " +
           amount_text(shortage.resource, shortage.limit) + ", and it needs " +
           amount_text(shortage.resource, shortage.needs) +
           ": it starts when enough of them have ended";
}

}  // namespace

StatusMessage quota_message(
    std::size_t nodes,
    const std::string& subject,
    const QueueAccount& account,
    const QuotaShortages& shortages,
    const Shares& shares) {
    const std::string none = "0/" + std::to_string(nodes) + " nodes ";
    if (shortages.empty()) {
        return {
            ReasonCode::waiting_for_quota,
            none + "are for " + subject + " yet: gangs before it in queue " +
                shares.tree.name(account.queue) + " wait for quota that it needs as well"};
    }
    const QuotaShortage& first = shortages.front();
    if (first.is_for_ever) {
        return {
            ReasonCode::exceeds_quota,
            none + "can be for " + subject + ": " +
                never_text(first, shares.tree.name(first.queue))};
    }
    std::string text = none + "are for " + subject + " yet: " + waits_text(first, account, shares);
    if (shortages.size() > 1) {
        text +=
            "; so with " + counted(static_cast<std::int64_t>(shortages.size()) - 1, "more limit");
    }
    return {ReasonCode::waiting_for_quota, std::move(text)};
}

StatusMessage stopped_message(
    std::size_t nodes,
    const std::string& subject,
    const QueueAccount& account,
    const Shares& shares) {
    QueueIndex stopped = account.queue;
    shares.tree.for_each_above(account.queue, [&](QueueIndex queue) {
        const bool is_it = shares.tree.at(queue).said.state == config::QueueState::stopped;
        stopped = is_it ? queue : stopped;
    });
    const std::string& object = shares.tree.at(stopped).said.object;
    return {
        ReasonCode::queue_stopped,
        "0/" + std::to_string(nodes) + " nodes are for " + subject + " yet: queue " +
            shares.tree.name(stopped) +
            (object.empty() ? " is stopped (state: stopped): it starts when the queue runs again"
                            : " is closed (its Queue object " + object +
                                  "): it starts when the queue is open again")};
}

StatusMessage namespace_quota_message(
    std::size_t nodes, const std::string& subject, ReasonCode code, const std::string& why) {
    const std::string none = "0/" + std::to_string(nodes) + " nodes ";
    return code == ReasonCode::exceeds_quota
               ? StatusMessage{code, none + "can be for " + subject + ": " + why}
               : StatusMessage{code, none + "are for " + subject + " yet: " + why};
}

bool is_about_quota(ReasonCode code) {
    return code == ReasonCode::waiting_for_quota || code == ReasonCode::exceeds_quota;
}

std::string amount_text(const std::string& resource, std::int64_t amount) {
    return resource == "cpu"                         ? core::format_cpu(amount)
           : resource.find('/') == std::string::npos ? core::format_bytes(amount)
                                                     : std::to_string(amount);
}

}  // namespace gang
