#include "gang/app/api/access/mask.hpp"

#include <boost/container_hash/hash.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace gang::app {
namespace {

bool is_name_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
}

bool is_number(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Names with dots before the slash are of labels and resources: nvidia.com/gpu.
bool may_be_namespace(std::string_view text) {
    return !text.empty() && text.find('.') == std::string_view::npos && text.size() <= 63;
}

std::string pseudonym(std::string_view kind, std::string_view secret) {
    return fmt::format("{}-{:012x}", kind, boost::hash<std::string_view>()(secret) & 0xffffffffffffULL);
}

/// "etl/a" as somebody may see it who does not know the namespace.
std::string masked_name(const std::string& full, const std::string& uid, const Sight& sight) {
    const std::string space = full.substr(0, full.find('/'));
    return sight.sees(space) ? full
                             : fmt::format("{}/{}", hidden_namespace, pseudonym("gang", uid));
}

void mask_gang(GangView& gang, const Sight& sight) {
    gang.message = masked_text(gang.message, sight);
    if (sight.sees(gang.namespace_name)) {
        return;
    }
    gang.driver = pseudonym("gang", gang.driver_uid);
    gang.namespace_name = hidden_namespace;
    gang.application.clear();
    gang.app_name.clear();
    gang.driver_uid.clear();
    gang.queue.clear();  // queues are often named after those who use them
    gang.message.clear();
}

void mask_node(
    NodeLedger& node, const std::map<std::string, std::string>& uids, const Sight& sight) {
    for (HeldUnit& unit : node.units) {
        const std::string name = masked_name(unit.gang, unit.driver_uid, sight);
        if (name != unit.gang) {
            unit.gang = name;
            unit.driver_uid.clear();
        }
    }
    for (BoundShare& share : node.bound_by) {
        // Of one that is not in the list nothing is known that could not be guessed.
        const auto uid = uids.find(share.gang);
        share.gang = masked_name(share.gang, uid == uids.end() ? "" : uid->second, sight);
    }
    std::sort(node.bound_by.begin(), node.bound_by.end(), [](const auto& a, const auto& b) {
        return a.gang < b.gang;
    });
}

}  // namespace

std::string masked_text(std::string_view text, const Sight& sight) {
    if (sight.is_all) {
        return std::string(text);
    }
    std::string_view before;  // the word before this one
    bool is_pod = false;      // this word names a pod of a namespace that was hidden
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
        if (!is_name_letter(text[at])) {
            out += text[at++];
            continue;
        }
        // NAME, NAME/NAME, and so on.
        std::vector<std::string_view> names;
        std::size_t end = at;
        for (bool goes_on = true; goes_on;) {
            const std::size_t begin = end;
            while (end < text.size() && is_name_letter(text[end])) {
                ++end;
            }
            names.push_back(text.substr(begin, end - begin));
            goes_on = end + 1 < text.size() && text[end] == '/' && is_name_letter(text[end + 1]);
            end += goes_on ? 1 : 0;
        }
        const bool is_share = names.size() == 2 && is_number(names[0]) && is_number(names[1]);
        const bool is_pair_to_see = names.size() == 2 && (!may_be_namespace(names[0]) ||
                                                          sight.sees(std::string(names[0])));
        // Paths of an API server's errors have namespaces in their middle.
        const bool is_hidden = names.size() > 1 && !is_share && !is_pair_to_see;
        // "kubectl delete pod -n NAMESPACE NAME"
        const bool is_namespace = before == "-n" && !sight.sees(std::string(names[0]));
        if (is_hidden) {
            out += "a pod of another namespace";
        } else if (is_namespace || is_pod) {
            out += is_namespace ? hidden_namespace : "(a pod)";
        } else {
            out += text.substr(at, end - at);
        }
        is_pod = is_namespace;
        before = names[0];
        at = end;
    }
    return out;
}

Snapshot masked(Snapshot snapshot, const Sight& sight) {
    if (sight.is_all) {
        return snapshot;
    }
    std::map<std::string, std::string> uids;
    for (GangView& gang : snapshot.gangs) {
        uids.emplace(gang.namespace_name + "/" + gang.driver, gang.driver_uid);
        mask_gang(gang, sight);
    }
    for (NodeLedger& node : snapshot.nodes) {
        mask_node(node, uids, sight);
    }
    snapshot.queues.clear();
    std::size_t digest = boost::hash<std::string>()(snapshot.id);
    for (const std::string& space : sight.namespaces) {
        boost::hash_combine(digest, space);
    }
    snapshot.id = fmt::format("{:016x}", digest);
    return snapshot;
}

Explanation masked(Explanation explanation, const Sight& sight) {
    mask_gang(explanation.gang, sight);
    for (std::string& note : explanation.notes) {
        note = masked_text(note, sight);
    }
    return explanation;
}

}  // namespace gang::app
