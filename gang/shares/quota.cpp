#include "gang/shares/quota.hpp"

#include <algorithm>

namespace gang {
namespace {

constexpr const char* gangs_resource = "gangs";

void add_shortages(
    const config::ResourceAmounts& limits,
    const QueueUsage::Held& held,
    const QuotaDemand& demand,
    QuotaShortage form,
    QuotaShortages& out) {
    for (const core::ExtendedResource& limit : limits) {
        const core::Wide needs = demand.amounts.of(limit.name);
        const core::Wide used = held.amounts.of(limit.name);
        // Who asks for nothing of it passes no limit, though others may have.
        if (needs <= 0 || used + needs <= limit.amount) {
            continue;
        }
        form.resource = limit.name;
        form.limit = limit.amount;
        form.used = to_int64(used);
        form.needs = to_int64(needs);
        form.is_for_ever = needs > limit.amount;
        out.push_back(form);
    }
}

}  // namespace

QuotaShortages Quota::find_shortages(const QueueAccount& account, const QuotaDemand& demand) const {
    QuotaShortages out;
    if (account.queue == no_queue || !tree_.at(account.queue).is_bounded) {
        return out;
    }
    tree_.for_each_above(account.queue, [&](QueueIndex queue) {
        const config::Queue& said = tree_.at(queue).said;
        const QueueUsage::Held& held = usage_.of(queue);
        QuotaShortage form;
        form.queue = queue;
        add_shortages(said.limit, held, demand, form, out);
        if (said.max_gangs && demand.gangs > 0 && held.gangs + demand.gangs > *said.max_gangs) {
            QuotaShortage gangs = form;
            gangs.resource = gangs_resource;
            gangs.limit = *said.max_gangs;
            gangs.used = held.gangs;
            gangs.needs = demand.gangs;
            gangs.is_for_ever = demand.gangs > *said.max_gangs;
            out.push_back(gangs);
        }
        if (!said.user_limit.empty()) {
            form.is_of_user = true;
            add_shortages(said.user_limit, usage_.of_user(queue, account.user), demand, form, out);
        }
    });
    const auto never = std::find_if(
        out.begin(), out.end(), [](const QuotaShortage& one) { return one.is_for_ever; });
    return never == out.end() ? out : QuotaShortages{*never};
}

bool uses_any(
    const QuotaDemand& demand,
    const std::string& user,
    const QuotaShortages& awaited,
    const std::string& awaited_by) {
    return std::any_of(awaited.begin(), awaited.end(), [&](const QuotaShortage& one) {
        if (one.is_of_user && user != awaited_by) {
            return false;
        }
        return one.resource == gangs_resource ? demand.gangs > 0
                                              : demand.amounts.of(one.resource) > 0;
    });
}

}  // namespace gang
