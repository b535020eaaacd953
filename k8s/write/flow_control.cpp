#include "k8s/write/flow_control.hpp"

#include <variant>

namespace k8s {
namespace {

protocol::BackoffOptions breaker_options() {
    protocol::BackoffOptions made;
    made.ms_min = 250;
    made.ms_max = 2'000;
    return made;
}

protocol::ConcurrencyLimiterOptions limiter_options(const WriterOptions& options) {
    protocol::ConcurrencyLimiterOptions made;
    made.max = static_cast<std::int32_t>(options.connections_max);
    return made;
}

bool is_throttled(const Response& response) {
    return response.status == 429 || (response.status == 503 && response.retry_after_ms);
}

}  // namespace

FlowControl::FlowControl(WriterContext& context)
    : context_(context), breaker_(breaker_options()), limiter_(limiter_options(context.options)) {}

void FlowControl::note_reply(const Reply& reply, std::int64_t now_ms) {
    const auto* failure = std::get_if<Failure>(&reply);
    if (failure == nullptr || failure->answered) {
        if (!breaker_.is_closed()) {
            context_.notice(NoticeLevel::info, "the API server answers again");
        }
        breaker_.answered();
        return;
    }
    if (failure->maybe_sent) return;  // its outcome is unknown, the server is there
    ++context_.stats.unreachable;
    if (breaker_.unreachable(now_ms, context_.chance())) {
        context_.notice(NoticeLevel::warning, "writes wait problem=\"" + failure->message + "\"");
    }
}

bool FlowControl::note_throttling(const Reply& reply, std::int64_t sent_us, std::int64_t now_us) {
    const auto* response = std::get_if<Response>(&reply);
    if (response == nullptr || !is_throttled(*response)) return false;
    ++context_.stats.throttled;
    limiter_.throttled(sent_us, now_us, response->retry_after_ms.value_or(-1));
    return true;
}

}  // namespace k8s
