#include "k8s/volume/volume_watch.hpp"

#include <utility>

namespace k8s {

VolumeWatch::VolumeWatch(
    boost::asio::io_context& io, std::shared_ptr<Endpoint> endpoint, VolumeWatchOptions options)
    : options_(std::move(options)), watch_(io, std::move(endpoint), [this] {
          ObjectWatchOptions out;
          out.path = "/api/v1/persistentvolumes";
          out.name = "persistentvolumes";
          out.take_page = [this](std::string body, bool is_first) {
              return take_page(std::move(body), is_first);
          };
          out.take_line = [this](std::string line) { return take_line(std::move(line)); };
          out.listed = [this] { listed(); };
          out.denied = [this](int, const std::string& why) {
              volumes_.clear();
              if (options_.notice) {
                  options_.notice(
                      NoticeLevel::warning,
                      "watch=persistentvolumes problem=\"" + why +
                          "; no claim gets a volume that is there: grant the scheduler list and "
                          "watch on persistentvolumes\"");
              }
              become_known(why);
          };
          out.failed = [this](const std::string& why) { failed(why); };
          out.notice = options_.notice;
          out.pause_ms_min = options_.pause_ms_min;
          out.pause_ms_max = options_.pause_ms_max;
          out.pause_ms_denied = options_.pause_ms_max;
          return out;
      }()) {}

core::Result<PageEnd> VolumeWatch::take_page(std::string body, bool is_first) {
    auto page = decode_volumes(std::move(body));
    if (!page) return page.error();
    if (is_first) listed_.clear();
    for (VolumeObject& volume : page->volumes) {
        listed_.insert_or_assign(volume.name, std::move(volume));
    }
    return PageEnd{std::move(page->version), std::move(page->continue_token)};
}

void VolumeWatch::listed() {
    const Volumes before = std::exchange(volumes_, std::exchange(listed_, {}));
    become_known({});
    tell_missing_in(before, volumes_);
    tell_missing_in(volumes_, before);
}

/// Those of `some` that the others do not have, or have in another state.
void VolumeWatch::tell_missing_in(const Volumes& some, const Volumes& others) const {
    for (const auto& [name, volume] : some) {
        const auto found = others.find(name);
        if (found == others.end() || found->second != volume) options_.changed(volume);
    }
}

/// Those that were listed before count on: who wants one reads it once more.
void VolumeWatch::failed(const std::string& why) {
    if (!is_known_ || !problem_.empty()) become_known(why);
}

void VolumeWatch::become_known(std::string problem) {
    problem_ = std::move(problem);
    is_known_ = true;
    options_.known();
}

core::Result<bool> VolumeWatch::take_line(std::string text) {
    auto line = decode_volume_line(std::move(text));
    if (!line) return line.error();
    switch (line->type) {
        case VolumeLine::Type::changed:
            put(std::move(line->volume));
            return true;
        case VolumeLine::Type::gone:
            drop(line->volume.name);
            return true;
        case VolumeLine::Type::bookmark:
            return true;
        case VolumeLine::Type::error:
            break;
    }
    return false;
}

void VolumeWatch::put(VolumeObject volume) {
    if (volume.is_used) {
        drop(volume.name);
        return;
    }
    VolumeObject& entry = volumes_[volume.name];
    if (entry == volume) return;
    const VolumeObject before = std::exchange(entry, std::move(volume));
    if (!before.name.empty()) options_.changed(before);
    options_.changed(entry);
}

void VolumeWatch::drop(const std::string& name) {
    const auto found = volumes_.find(name);
    if (found == volumes_.end()) return;
    const VolumeObject before = std::move(found->second);
    volumes_.erase(found);
    options_.changed(before);
}

void VolumeWatch::note(VolumeObject volume) {
    if (volume.is_used) {
        volumes_.erase(volume.name);
    } else if (!volume.name.empty()) {
        volumes_.insert_or_assign(volume.name, std::move(volume));
    }
}

}  // namespace k8s
