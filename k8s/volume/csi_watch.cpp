#include "k8s/volume/csi_watch.hpp"

#include "k8s/codec/volume/codec_csi_node.hpp"
#include "k8s/codec/volume/codec_storage.hpp"

#include <algorithm>
#include <utility>

namespace k8s {
namespace {

/// Of the kind whose objects say this: where it is served, and how it is read.
template <typename Object>
struct CsiKind;

template <>
struct CsiKind<core::NodeVolumeLimits> {
    static constexpr const char* plural = "csinodes";
    static auto page_of(std::string body) { return decode_csi_nodes(std::move(body)); }
    static auto line_of(std::string text) { return decode_csi_node_line(std::move(text)); }
    static auto& objects(CsiNodePage& page) { return page.nodes; }
    static auto& object(CsiNodeLine& line) { return line.node; }
};

template <>
struct CsiKind<core::StorageSegment> {
    static constexpr const char* plural = "csistoragecapacities";
    static auto page_of(std::string body) { return decode_storage(std::move(body)); }
    static auto line_of(std::string text) { return decode_storage_line(std::move(text)); }
    static auto& objects(StoragePage& page) { return page.segments; }
    static auto& object(StorageLine& line) { return line.segment; }
};

}  // namespace

template <typename Object>
CsiWatch<Object>::CsiWatch(
    boost::asio::io_context& io,
    std::shared_ptr<Endpoint> endpoint,
    CsiWatchOptions<Object> options)
    : options_(std::move(options)), watch_(io, std::move(endpoint), [this] {
          ObjectWatchOptions out;
          out.name = CsiKind<Object>::plural;
          out.path = "/apis/storage.k8s.io/v1/" + out.name;
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

template <typename Object>
core::Result<PageEnd> CsiWatch<Object>::take_page(std::string body, bool is_first) {
    auto page = CsiKind<Object>::page_of(std::move(body));
    if (!page) return page.error();
    if (is_first) listed_.clear();
    const auto& objects = CsiKind<Object>::objects(*page);
    listed_.insert(listed_.end(), objects.begin(), objects.end());
    return PageEnd{std::move(page->version), std::move(page->continue_token)};
}

template <typename Object>
core::Result<bool> CsiWatch<Object>::take_line(std::string text) {
    auto line = CsiKind<Object>::line_of(std::move(text));
    if (!line) return line.error();
    if (line->type == WatchLineType::changed || line->type == WatchLineType::gone) {
        options_.changed(std::move(CsiKind<Object>::object(*line)));
    }
    return line->type != WatchLineType::error;
}

template class CsiWatch<core::NodeVolumeLimits>;
template class CsiWatch<core::StorageSegment>;

}  // namespace k8s
