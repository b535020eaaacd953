#include "k8s/volume/storage_watch.hpp"

#include "k8s/codec/volume/codec_storage.hpp"

#include <algorithm>
#include <utility>

namespace k8s {

StorageWatch::StorageWatch(
    boost::asio::io_context& io, std::shared_ptr<Endpoint> endpoint, StorageWatchOptions options)
    : options_(std::move(options)), watch_(io, std::move(endpoint), [this] {
          ObjectWatchOptions out;
          out.path = "/apis/storage.k8s.io/v1/csistoragecapacities";
          out.name = "csistoragecapacities";
          out.take_page = [this](std::string body, bool is_first) {
              return take_page(std::move(body), is_first);
          };
          out.take_line = [this](std::string line) { return take_line(std::move(line)); };
          out.listed = [this] {
              std::sort(listed_.begin(), listed_.end());
              options_.listed(std::exchange(listed_, {}));
          };
          out.denied = [this](int, const std::string& why) { options_.denied(why); };
          out.notice = options_.notice;
          out.pause_ms_min = options_.pause_ms_min;
          out.pause_ms_max = options_.pause_ms_max;
          out.pause_ms_denied = options_.pause_ms_denied;
          return out;
      }()) {}

core::Result<PageEnd> StorageWatch::take_page(std::string body, bool is_first) {
    auto page = decode_storage(std::move(body));
    if (!page) return page.error();
    if (is_first) listed_.clear();
    listed_.insert(listed_.end(), page->segments.begin(), page->segments.end());
    return PageEnd{std::move(page->version), std::move(page->continue_token)};
}

core::Result<bool> StorageWatch::take_line(std::string text) {
    auto line = decode_storage_line(std::move(text));
    if (!line) return line.error();
    using Type = StorageLine::Type;
    if (line->type == Type::changed || line->type == Type::gone) {
        options_.changed(std::move(line->segment));
    }
    return line->type != Type::error;
}

}  // namespace k8s
