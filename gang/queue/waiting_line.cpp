#include "gang/queue/waiting_line.hpp"

#include "core/base/result.hpp"

namespace gang {
namespace {

/// One that comes later than it was created finds its place from the end, as long as that is near;
/// then all are sorted when the order is next asked for.
constexpr std::uint32_t steps_max = 64;
/// Rows of nobody that are not worth the work of closing up.
constexpr std::size_t free_rows_min = 64;

}  // namespace

bool WaitingLine::insert(Application& app, bool failed_before) {
    if (contains(app)) return false;
    line_.insert(&app);
    unfiled_.insert(&app);
    add_row(app, failed_before);
    return true;
}

bool WaitingLine::erase(Application& app) {
    if (!contains(app)) return false;
    leave_kind(app);
    unfiled_.erase(&app);
    line_.erase(&app);
    rows_[app.row] = {};
    app.row = no_row;
    ++free_rows_;
    while (!rows_.empty() && rows_.back().app == nullptr) {
        rows_.pop_back();
        --free_rows_;
    }
    if (free_rows_ > free_rows_min && free_rows_ > line_.size()) is_sorted_ = false;
    return true;
}

void WaitingLine::changed(Application& app) {
    if (!contains(app)) return;
    leave_kind(app);
    unfiled_.insert(&app);
}

void WaitingLine::forget_told() {
    for (WaitingRow& row : rows_) {
        row.is_told = false;
    }
}

/// An empty kind is kept for a walk that stands in it, and knows nothing any more: the numbers of
/// its shapes may come to mean others.
void WaitingLine::leave_kind(Application& app) {
    WaitingRow& row = rows_[app.row];
    if (row.kind == nullptr) return;
    WaitingKind& kind = row.kind->second;
    kind.members.erase(&app);
    const auto size = kind.sizes.find(row.size);
    if (--size->second == 0) kind.sizes.erase(size);
    kind.unseen -= row.is_seen ? 0 : 1;
    if (kind.members.empty()) kind.verdicts = {};
    row.kind = nullptr;
    row.is_seen = false;
    row.is_told = false;
}

void WaitingLine::move_row(std::uint32_t from, std::uint32_t to) {
    rows_[to] = rows_[from];
    if (rows_[to].app != nullptr) rows_[to].app->row = to;
}

void WaitingLine::add_row(Application& app, bool failed_before) {
    auto at = static_cast<std::uint32_t>(rows_.size());
    rows_.emplace_back();
    for (std::uint32_t steps = 0; is_sorted_ && at > 0; ++steps) {
        const Application* const before = rows_[at - 1].app;
        if (before != nullptr && before->order() < app.order()) break;
        if (steps == steps_max) {
            is_sorted_ = false;
            break;
        }
        move_row(at - 1, at);
        --at;
    }
    rows_[at] = {};
    rows_[at].app = &app;
    rows_[at].failed_before = failed_before;
    app.row = at;
}

std::vector<WaitingRow>& WaitingLine::sorted_rows() {
    if (is_sorted_) return rows_;
    std::vector<WaitingRow> sorted;
    sorted.reserve(line_.size());
    for (Application* const app : line_) {
        sorted.push_back(rows_[app->row]);
        app->row = static_cast<std::uint32_t>(sorted.size() - 1);
    }
    rows_ = std::move(sorted);
    free_rows_ = 0;
    is_sorted_ = true;
    return rows_;
}

Line WaitingLine::take_unfiled() {
    std::erase_if(kinds_, [](const auto& kind) { return kind.second.members.empty(); });
    return std::exchange(unfiled_, {});
}

void WaitingLine::file(Application& app, KindKey key, std::int64_t size) {
    WaitingRow& row = rows_[app.row];
    ENSURE(row.kind == nullptr);
    row.kind = &*kinds_.try_emplace(std::move(key)).first;
    row.size = size;
    row.is_seen = false;
    WaitingKind& kind = row.kind->second;
    kind.members.insert(&app);
    ++kind.sizes[size];
    ++kind.unseen;
}

void WaitingLine::see(WaitingRow& row) {
    if (row.is_seen) return;
    row.is_seen = true;
    if (row.kind != nullptr) --row.kind->second.unseen;
}

}  // namespace gang
