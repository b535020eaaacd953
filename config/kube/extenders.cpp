#include "config/kube/extenders.hpp"

#include "config/gpu_metrics.hpp"
#include "config/scalars.hpp"
#include "core/score/weighted_score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <utility>

namespace config::kube {
namespace {

constexpr std::int64_t day_ms = 24 * 3600 * 1000;

/// Over all extenders: one that binds at most, and no resource twice.
class Check {
public:
    Check(ExtenderForm form, Notes& notes) : form_(form), notes_(notes) {}

    void one(const Tree& tree) {
        CalledExtender extender;
        bool flag = false;  // the URL says whether it is HTTPS
        const auto whole = [](const Tree& value) {
            return read_integer(value, 0, core::score_weight_max);
        };
        const auto keys = std::vector<Key>{
            {"urlPrefix", into(notes_, read_string, extender.url_prefix)},
            {"filterVerb", into(notes_, read_string, extender.filter_verb)},
            {"preemptVerb", [this](const Tree& value) { without_effect(value, "preemptVerb"); }},
            {"prioritizeVerb", into(notes_, read_string, extender.prioritize_verb)},
            {"bindVerb", [this](const Tree& value) { binder(value); }},
            {"weight", into(notes_, whole, extender.weight)},
            {form_ == ExtenderForm::policy ? "enableHttps" : "enableHTTPS",
             into(notes_, read_bool, flag)},
            {"tlsConfig", [this, &extender](const Tree& value) { tls(value, extender.tls); }},
            {"httpTimeout", timeout(extender)},
            {"nodeCacheCapable", into(notes_, read_bool, extender.is_node_cache_capable)},
            {"managedResources",
             [this, &extender](const Tree& value) { resources(value, extender); }},
            {"ignorable", into(notes_, read_bool, extender.is_ignorable)}};
        if (read_map(tree, "an extender", keys, notes_)) {
            whole_extender(tree, extender);
            found_.push_back(std::move(extender));
        }
    }

    std::vector<CalledExtender> take() { return std::move(found_); }

private:
    std::function<void(const Tree&)> timeout(CalledExtender& extender) {
        if (form_ == ExtenderForm::v1) {
            const auto duration = [](const Tree& value) { return read_duration(value, 1, day_ms); };
            return into(notes_, duration, extender.timeout_ms);
        }
        return [this, &extender](const Tree& value) {
            std::int64_t nanoseconds = 0;
            const auto read = [](const Tree& said) {
                return read_integer(said, 0, std::numeric_limits<std::int64_t>::max());
            };
            into(notes_, read, nanoseconds)(value);
            // None is kube-scheduler's word for its default.
            extender.timeout_ms = nanoseconds == 0
                                      ? extender.timeout_ms
                                      : std::clamp<std::int64_t>(nanoseconds / 1'000'000, 1, day_ms);
        };
    }

    void without_effect(const Tree& tree, const char* key) {
        notes_.warn(tree, fmt::format("{} is understood, and has no effect here", key));
    }

    /// What a driver reserves goes with our own Binding, so nobody else can bind.
    void binder(const Tree& tree) {
        notes_.complain(
            tree,
            "bindVerb is not supported: a gang's reservation is written with its bind, so no "
            "extender can bind");
    }

    void whole_extender(const Tree& tree, const CalledExtender& extender) {
        if (extender.url_prefix.empty()) {
            notes_.complain(tree, "found an extender without urlPrefix, expected it");
        } else if (!parse_metrics_url(extender.url_prefix)) {
            notes_.complain(
                tree,
                fmt::format(
                    "found urlPrefix \"{}\", expected a URL such as http://extender.tools:8888/path",
                    extender.url_prefix));
        }
        if (!extender.prioritize_verb.empty() && extender.weight == 0) {
            notes_.complain(
                tree, "found prioritizeVerb without weight, expected a weight of 1 or more");
        }
    }

    void tls(const Tree& tree, ExtenderTls& tls) {
        std::vector<Key> keys = {
            {"insecure", into(notes_, read_bool, tls.insecure)},
            {"serverName", into(notes_, read_string, tls.server_name)},
            {"certFile", into(notes_, read_string, tls.cert_file)},
            {"keyFile", into(notes_, read_string, tls.key_file)},
            {"caFile", into(notes_, read_string, tls.ca_file)}};
        for (const char* name : {"certData", "keyData", "caData"}) {
            keys.push_back({name, [this, name](const Tree& value) {
                                notes_.complain(
                                    value,
                                    fmt::format("{} is not supported: name a file instead", name));
                            }});
        }
        read_map(tree, "tlsConfig", keys, notes_);
    }

    void resources(const Tree& tree, CalledExtender& extender) {
        const auto item = [this, &extender](const Tree& one) {
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
            } else {
                extender.managed_resources.push_back(name);
            }
            if (ignored_by_scheduler) {
                without_effect(one, "ignoredByScheduler");
            }
        };
        read_list(tree, "managed resources", item, notes_);
    }

    ExtenderForm form_;
    Notes& notes_;
    std::set<std::string> resources_;
    std::vector<CalledExtender> found_;
};

}  // namespace

void read_extenders(
    const Tree& tree, ExtenderForm form, std::vector<CalledExtender>& into, Notes& notes) {
    Check check(form, notes);
    read_list(tree, "extenders", [&check](const Tree& item) { check.one(item); }, notes);
    into = check.take();
}

}  // namespace config::kube
