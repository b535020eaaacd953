#include "k8s/watch/watch_health.hpp"

#include <fmt/format.h>

namespace k8s {

const char* name_of(WatchKind kind) {
    return kind == WatchKind::pods ? "pods" : "nodes";
}

void WatchHealth::notice(NoticeLevel level, const std::string& text) const {
    if (!options_.notice) return;
    options_.notice(level, fmt::format("watch={} {}", name_of(options_.kind), text));
}

void WatchHealth::problem(const std::string& text) {
    ++stats_.failures;
    stats_.last_problem = text;
    notice(NoticeLevel::warning, "problem=\"" + text + "\"");
}

void WatchHealth::refused(const char* what, const protocol::Trouble& trouble) {
    problem(fmt::format("{}: {} ({})", what, trouble.message, trouble.status));
    is_denied_ = trouble.status == 401 || trouble.status == 403 || trouble.status == 404;
}

void WatchHealth::list_complete(std::size_t objects, std::int64_t now_ms) {
    stats_.heard_ms = now_ms;
    stats_.last_problem.clear();
    notice(NoticeLevel::info, fmt::format("listed={}", objects));
}

void WatchHealth::watch_opened(std::int64_t now_ms) {
    ++stats_.watches;
    is_denied_ = false;
    stats_.last_problem.clear();
    stats_.interrupted_ms = 0;
    stats_.heard_ms = now_ms;
}

}  // namespace k8s
