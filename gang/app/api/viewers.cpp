#include "gang/app/api/viewers.hpp"

#include "gang/app/api/answers.hpp"
#include "k8s/base/time.hpp"

#include <fmt/format.h>

#include <utility>

namespace gang::app {
namespace {

/// Shows the viewer that the connection stands, and us that the viewer has gone.
constexpr std::int64_t beat_ms = 5'000;
/// After which a browser comes back when the connection broke.
constexpr int retry_ms = 2'000;

class Viewer : public HttpStream {
public:
    Viewer(std::shared_ptr<Snapshots> snapshots, std::shared_ptr<std::size_t> count, std::string id)
        : snapshots_(std::move(snapshots)), count_(std::move(count)), seen_(std::move(id)) {
        ++*count_;
    }
    ~Viewer() override { --*count_; }

    std::string next() override {
        const std::int64_t now = k8s::monotonic_ms();
        const Snapshot& snapshot = snapshots_->current();
        std::string out;
        if (sent_ms_ == 0) {
            out = fmt::format("retry: {}\n\n", retry_ms);
        }
        if (snapshot.id != seen_) {
            seen_ = snapshot.id;
            out += fmt::format(
                "id: {}\nevent: summary\ndata: {}\n\n",
                seen_,
                summary_json(snapshot, snapshots_->source()));
        } else if (out.empty() && now - sent_ms_ >= beat_ms) {
            out = ":\n\n";
        }
        if (!out.empty()) {
            sent_ms_ = now;
        }
        return out;
    }

private:
    std::shared_ptr<Snapshots> snapshots_;
    std::shared_ptr<std::size_t> count_;
    std::string seen_;
    std::int64_t sent_ms_ = 0;
};

}  // namespace

Viewers::Viewers(std::shared_ptr<Snapshots> snapshots)
    : snapshots_(std::move(snapshots)), count_(std::make_shared<std::size_t>(0)) {}

std::shared_ptr<HttpStream> Viewers::open(std::string last_id) {
    if (*count_ >= viewers_max) {
        return nullptr;
    }
    return std::make_shared<Viewer>(snapshots_, count_, std::move(last_id));
}

}  // namespace gang::app
