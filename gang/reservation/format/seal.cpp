#include "gang/reservation/format/seal.hpp"

#include "gang/reservation/format/reservation.hpp"

#include <algorithm>
#include <array>

namespace gang {
namespace {

constexpr std::string_view v1_mark = "v1 ";
constexpr std::array<std::string_view, 2> sealed = {reservation_annotation, slot_annotation};

/// No part can be moved into its neighbour: neither names nor uids have line ends.
std::string message_of(std::string_view key, std::string_view uid, std::string_view text) {
    std::string message;
    message.reserve(key.size() + uid.size() + text.size() + 2);
    message.append(key).append("\n").append(uid).append("\n").append(text);
    return message;
}

auto find(core::StringMap& map, std::string_view key) {
    return std::find_if(
        map.begin(), map.end(), [key](const auto& entry) { return entry.first == key; });
}

/// In time that does not say how much of it is right.
bool is_equal(std::string_view a, std::string_view b) {
    unsigned char difference = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        difference |= static_cast<unsigned char>(a[i] ^ b[i]);
    }
    return a.size() == b.size() && difference == 0;
}

}  // namespace

void Seal::close(std::string_view pod_uid, core::StringMap& annotations) const {
    if (!has_key()) {
        return;
    }
    for (const std::string_view key : sealed) {
        const auto found = find(annotations, key);
        if (found == annotations.end()) {
            continue;
        }
        std::string code(v1_mark);
        code += codes_.front()(message_of(key, pod_uid, found->second));
        annotations.emplace_back(seal_annotation, std::move(code));
        std::sort(annotations.begin(), annotations.end());
        return;  // we never write both to one pod
    }
}

bool Seal::fits(std::string_view code, std::string_view message) const {
    return std::any_of(codes_.begin(), codes_.end(), [&](const Code& compute) {
        return is_equal(code, compute(message));
    });
}

bool Seal::open(core::Pod& pod) const {
    std::string code;
    if (const auto found = find(pod.annotations, seal_annotation); found != pod.annotations.end()) {
        code = std::move(found->second);
        pod.annotations.erase(found);
    }
    if (!has_key()) {
        return true;
    }
    const std::string_view written(code);
    const bool is_known = written.starts_with(v1_mark);
    bool all_fit = true;
    for (const std::string_view key : sealed) {
        const auto found = find(pod.annotations, key);
        if (found != pod.annotations.end() &&
            !(is_known &&
              fits(written.substr(v1_mark.size()), message_of(key, pod.uid, found->second)))) {
            pod.annotations.erase(found);
            all_fit = false;
        }
    }
    return all_fit;
}

}  // namespace gang
