#include "k8s/watch/ingest.hpp"

#include <fmt/format.h>

#include <utility>

namespace k8s {

Ingest::Ingest(IngestOptions options)
    : options_(std::move(options)),
      reflector_(options_.reflector),
      decoder_(options_.kind, options_.fingerprint_seed, options_.images) {}

void Ingest::emit(WatchEvent event) {
    if (!stopped_) options_.emit(std::move(event));
}

void Ingest::emit_deletion(const protocol::ObjectKey& key) {
    if (options_.kind == WatchKind::nodes) {
        emit(NodeDeleted{key.name});
        return;
    }
    heavy_.erase(key.uid);
    emit(PodDeleted{key.uid});
}

/// What the reflector is to remember of the decoder's object.
protocol::ObjectView Ingest::key_of(const WatchDecoder::Object& object) const {
    protocol::ObjectView key = decoder_.key();
    const VersionUse use = options_.version_use ? options_.version_use(object) : VersionUse::now;
    if (use != VersionUse::never) key.fingerprint = 0;
    key.for_good = use == VersionUse::for_good;
    return key;
}

void Ingest::remember_annotations(std::string_view uid) {
    const std::size_t bytes = decoder_.annotation_bytes();
    if (bytes > Watcher::annotation_bytes_kept) {
        heavy_[std::string(uid)] = bytes;
    } else if (const auto known = heavy_.find(uid); known != heavy_.end()) {
        heavy_.erase(known);
    }
}

std::size_t Ingest::annotation_bytes(std::string_view pod_uid) const {
    const auto known = heavy_.find(pod_uid);
    return known == heavy_.end() ? Watcher::annotation_bytes_kept : known->second;
}

void Ingest::carry_out(const protocol::Verdict& verdict, WatchDecoder::Object&& object) {
    if (verdict.deleted) emit_deletion(*verdict.deleted);
    if (!verdict.upsert) return;
    remember_annotations(decoder_.key().uid);
    if (auto* pod = std::get_if<core::Pod>(&object)) {
        emit(PodUpserted{std::move(*pod)});
    } else {
        emit(NodeUpserted{std::get<core::Node>(std::move(object))});
    }
}

core::Result<core::Done> Ingest::take_item() {
    auto object = decoder_.object();
    if (!object) return object.error();
    const protocol::Verdict verdict = reflector_.on_item(key_of(*object));
    carry_out(verdict, *std::move(object));
    return core::Done{};
}

std::variant<std::string, PageOutcome> Ingest::open_page(std::string body) {
    auto page = decoder_.read_page(std::move(body));
    if (!page) {
        problem_ = page.error().message;
        return PageOutcome::unreadable;
    }
    const auto verdict = reflector_.on_page(page->version, page->continue_token, page->bytes);
    if (verdict == protocol::PageVerdict::refused) {
        problem_ = "the list is older than what was seen, or does not end";
        return PageOutcome::refused;
    }
    if (verdict == protocol::PageVerdict::first) {
        ++lists_;
        emit(RelistBegun{});
    }
    return std::move(page->continue_token);
}

// Item by item: no more is held than the page's text and one object.
PageOutcome Ingest::take_items() {
    const auto read = decoder_.for_each_item([this] { return take_item(); });
    if (!read) {
        problem_ = read.error().message;
        return PageOutcome::broken;
    }
    const auto missing = reflector_.end_page();
    if (!missing) return PageOutcome::more;
    for (const auto& key : *missing) emit_deletion(key);
    emit(RelistEnded{});
    return PageOutcome::complete;
}

StreamOutcome Ingest::refuse(std::string why) {
    problem_ = std::move(why);
    return StreamOutcome::garbage;
}

StreamOutcome Ingest::take_bytes(std::string_view bytes) {
    StreamOutcome outcome = StreamOutcome::fine;
    const auto taken = lines_.take(bytes, [&](std::string_view line) {
        outcome = stopped_ ? StreamOutcome::stopped : take_line(line);
        return outcome == StreamOutcome::fine;
    });
    if (taken == protocol::LineSplitter::Taken::too_long) {
        return refuse("an event longer than 16 MiB");
    }
    return stopped_ && outcome == StreamOutcome::fine ? StreamOutcome::stopped : outcome;
}

StreamOutcome Ingest::take_line(std::string_view text) {
    const auto line = decoder_.read_line(text);
    if (!line) return refuse(line.error().message);
    switch (line->type) {
        case LineType::bookmark:
            reflector_.on_bookmark(line->version);
            return StreamOutcome::fine;
        case LineType::error:
            trouble_ = line->trouble;
            problem_ = fmt::format("{} ({})", trouble_.message, trouble_.status);
            return StreamOutcome::error;
        case LineType::object:
            break;
    }
    return take_object(line->event);
}

StreamOutcome Ingest::take_object(protocol::WatchEventType type) {
    const protocol::ObjectView read = decoder_.key();
    if (type != protocol::WatchEventType::deleted) {
        if (const auto repeat = reflector_.on_repeat(type, read)) {
            ++events_;
            if (repeat->upsert) {
                ++repeats_;
                remember_annotations(read.uid);
            }
            return StreamOutcome::fine;
        }
    }
    auto object = decoder_.object();
    if (!object) return refuse(object.error().message);
    ++events_;
    const protocol::Verdict verdict = reflector_.on_event(type, key_of(*object));
    carry_out(verdict, *std::move(object));
    return StreamOutcome::fine;
}

}  // namespace k8s
