#include "config/kube/extenders.hpp"

#include "config/scalars.hpp"
#include "core/score/weighted_score.hpp"

#include <fmt/format.h>

#include <limits>
#include <set>
#include <utility>

namespace config::kube {
namespace {

constexpr std::int64_t day_ms = 24 * 3600 * 1000;

struct Extender {
    std::string url;
    std::string filter_verb;
    std::string preempt_verb;
    std::string prioritize_verb;
    std::string bind_verb;
    std::int64_t weight = 0;
    std::int64_t timeout = 0;
    bool flag = false;  ///< of no use: enableHttps, nodeCacheCapable, ignorable
};

/// Over all extenders: one that binds at most, and no resource twice.
class Check {
public:
    Check(ExtenderForm form, Notes& notes) : form_(form), notes_(notes) {}

    void one(const Tree& tree) {
        Extender extender;
        const auto whole = [](const Tree& value) {
            return read_integer(value, 0, core::score_weight_max);
        };
        const auto keys = std::vector<Key>{
            {"urlPrefix", into(notes_, read_string, extender.url)},
            {"filterVerb", into(notes_, read_string, extender.filter_verb)},
            {"preemptVerb", into(notes_, read_string, extender.preempt_verb)},
            {"prioritizeVerb", into(notes_, read_string, extender.prioritize_verb)},
            {"bindVerb", into(notes_, read_string, extender.bind_verb)},
            {"weight", into(notes_, whole, extender.weight)},
            {form_ == ExtenderForm::policy ? "enableHttps" : "enableHTTPS",
             into(notes_, read_bool, extender.flag)},
            {"tlsConfig", [this](const Tree& value) { tls(value); }},
            {"httpTimeout", timeout(extender)},
            {"nodeCacheCapable", into(notes_, read_bool, extender.flag)},
            {"managedResources", [this](const Tree& value) { resources(value); }},
            {"ignorable", into(notes_, read_bool, extender.flag)}};
        if (read_map(tree, "an extender", keys, notes_)) {
            whole_extender(tree, extender);
        }
    }

private:
    std::function<void(const Tree&)> timeout(Extender& extender) {
        if (form_ == ExtenderForm::v1) {
            const auto duration = [](const Tree& value) { return read_duration(value, 0, day_ms); };
            return into(notes_, duration, extender.timeout);
        }
        const auto nanoseconds = [](const Tree& value) {
            return read_integer(value, 0, std::numeric_limits<std::int64_t>::max());
        };
        return into(notes_, nanoseconds, extender.timeout);
    }

    void whole_extender(const Tree& tree, const Extender& extender) {
        if (extender.url.empty()) {
            notes_.complain(tree, "found an extender without urlPrefix, expected it");
        }
        if (!extender.prioritize_verb.empty() && extender.weight == 0) {
            notes_.complain(
                tree, "found prioritizeVerb without weight, expected a weight of 1 or more");
        }
        if (!extender.bind_verb.empty() && std::exchange(has_binder_, true)) {
            notes_.complain(tree, "found bindVerb in a second extender, expected it in one");
        }
    }

    void tls(const Tree& tree) {
        bool insecure = false;
        std::vector<Key> keys = {{"insecure", into(notes_, read_bool, insecure)}};
        for (const char* name :
             {"serverName", "certFile", "keyFile", "caFile", "certData", "keyData", "caData"}) {
            keys.push_back({name, into(notes_, read_string, text_)});
        }
        read_map(tree, "tlsConfig", keys, notes_);
    }

    void resources(const Tree& tree) {
        const auto item = [this](const Tree& one) {
            bool ignored_by_scheduler = false;
            std::string name;
            const auto keys = std::vector<Key>{
                {"name", into(notes_, read_label_key, name)},
                {"ignoredByScheduler", into(notes_, read_bool, ignored_by_scheduler)}};
            if (!read_map(one, "a managed resource", keys, notes_)) {
                return;
            }
            if (name.find('/') == std::string::npos) {
                notes_.complain(
                    one, "expected the full name of an extended resource, example.com/card");
            } else if (!resources_.insert(name).second) {
                notes_.complain(one, fmt::format("found {} twice, expected it once", name));
            }
        };
        read_list(tree, "managed resources", item, notes_);
    }

    ExtenderForm form_;
    Notes& notes_;
    std::set<std::string> resources_;
    std::string text_;  ///< what is read and not kept
    bool has_binder_ = false;
};

}  // namespace

void check_extenders(const Tree& tree, ExtenderForm form, Notes& notes) {
    Check check(form, notes);
    const bool is_list = read_list(
        tree, "extenders", [&check](const Tree& item) { check.one(item); }, notes);
    if (is_list && !tree.items.empty()) {
        notes.warn(tree, "extenders are checked, and not called yet");
    }
}

}  // namespace config::kube
