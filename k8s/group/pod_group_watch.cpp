#include "k8s/group/pod_group_watch.hpp"

#include <utility>

namespace k8s {
namespace {

constexpr int not_found = 404;

std::string key_of(const SeenPodGroup& seen) {
    return seen.namespace_name + "/" + seen.name;
}

}  // namespace

PodGroupWatch::PodGroupWatch(
    boost::asio::io_context& io, std::shared_ptr<Endpoint> endpoint, PodGroupWatchOptions options)
    : options_(std::move(options)), watch_(io, std::move(endpoint), [this] {
          ObjectWatchOptions out;
          out.path = std::string("/apis/") + volcano_version + "/podgroups";
          out.name = "podgroups";
          out.take_page = [this](std::string body, bool is_first) {
              return take_page(std::move(body), is_first);
          };
          out.take_line = [this](std::string line) { return take_line(std::move(line)); };
          out.listed = [this] {
              groups_ = std::exchange(listed_, {});
              options_.changed();
          };
          out.denied = [this](int status, const std::string& why) {
              if (status == not_found) {
                  groups_.clear();
                  options_.changed();
              } else {
                  options_.denied(why);
              }
          };
          out.notice = options_.notice;
          out.pause_ms_min = options_.pause_ms_min;
          out.pause_ms_max = options_.pause_ms_max;
          out.pause_ms_denied = options_.pause_ms_denied;
          return out;
      }()) {}

core::Result<PageEnd> PodGroupWatch::take_page(std::string body, bool is_first) {
    auto page = decode_pod_groups(std::move(body));
    if (!page) return page.error();
    if (is_first) listed_.clear();
    for (SeenPodGroup& seen : page->groups) {
        listed_.insert_or_assign(key_of(seen), std::move(seen));
    }
    return PageEnd{std::move(page->version), std::move(page->continue_token)};
}

core::Result<bool> PodGroupWatch::take_line(std::string text) {
    auto line = decode_pod_group_line(std::move(text));
    if (!line) return line.error();
    using Type = PodGroupLine::Type;
    if (line->type == Type::gone) {
        groups_.erase(key_of(line->seen));
    } else if (line->type == Type::changed) {
        groups_.insert_or_assign(key_of(line->seen), std::move(line->seen));
    }
    const bool is_good = line->type != Type::error;
    if (is_good && line->type != Type::bookmark) options_.changed();
    return is_good;
}

}  // namespace k8s
