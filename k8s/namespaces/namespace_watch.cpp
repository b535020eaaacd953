#include "k8s/namespaces/namespace_watch.hpp"

#include "k8s/base/time.hpp"
#include "k8s/codec/namespaces/codec_namespace.hpp"

#include <utility>

namespace k8s {

NamespaceWatch::NamespaceWatch(
    boost::asio::io_context& io, std::shared_ptr<Endpoint> endpoint, NamespaceWatchOptions options)
    : options_(std::move(options)), watch_(io, std::move(endpoint), [this] {
          ObjectWatchOptions out;
          out.path = "/api/v1/namespaces";
          out.name = "namespaces";
          out.take_page = [this](std::string body, bool is_first) {
              return take_page(std::move(body), is_first);
          };
          out.take_line = [this](std::string line) { return take_line(std::move(line)); };
          out.listed = [this] {
              failing_since_ms_.reset();
              options_.listed(std::exchange(listed_, {}));
          };
          out.denied = [this](int, const std::string& why) { options_.denied(why); };
          out.failed = [this](const std::string& why) { list_failed(why); };
          out.notice = options_.notice;
          out.pause_ms_min = options_.pause_ms_min;
          out.pause_ms_max = options_.pause_ms_max;
          out.pause_ms_denied = options_.pause_ms_denied;
          return out;
      }()) {}

void NamespaceWatch::list_failed(const std::string& why) {
    const std::int64_t now_ms = monotonic_ms();
    failing_since_ms_ = failing_since_ms_.value_or(now_ms);
    if (options_.failed && now_ms - *failing_since_ms_ >= options_.patience_ms) options_.failed(why);
}

core::Result<PageEnd> NamespaceWatch::take_page(std::string body, bool is_first) {
    auto page = decode_namespaces(std::move(body));
    if (!page) return page.error();
    if (is_first) listed_.clear();
    listed_.insert(listed_.end(), page->namespaces.begin(), page->namespaces.end());
    return PageEnd{std::move(page->version), std::move(page->continue_token)};
}

core::Result<bool> NamespaceWatch::take_line(std::string text) {
    auto line = decode_namespace_line(std::move(text));
    if (!line) return line.error();
    using Type = NamespaceLine::Type;
    if (line->type == Type::changed) options_.changed(std::move(line->one));
    if (line->type == Type::gone) options_.deleted(std::move(line->one.name));
    return line->type != Type::error;
}

}  // namespace k8s
