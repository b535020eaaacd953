#pragma once
// extenders: webhooks of others that are asked about each pod (docs/manage/called-extenders.md).
// As in kube-scheduler's files, which alone have this stanza. Plain values.

#include <cstdint>
#include <string>
#include <vector>

namespace config {

/// Whom to trust and who we are, in files: the configuration itself is shown and recorded.
struct ExtenderTls {
    bool insecure = false;
    std::string server_name;
    std::string cert_file;
    std::string key_file;
    std::string ca_file;  ///< empty: whoever answers is believed, as by kube-scheduler
    friend bool operator==(const ExtenderTls&, const ExtenderTls&) = default;
};

struct CalledExtender {
    std::string url_prefix;       ///< http(s)://HOST[:PORT][/PATH]
    std::string filter_verb;      ///< empty: it is not asked which nodes pass
    std::string prioritize_verb;  ///< empty: nor which are better
    std::int64_t weight = 0;      ///< of its scores
    std::int64_t timeout_ms = 5'000;
    ExtenderTls tls;
    bool is_node_cache_capable = false;  ///< nodes by their names alone
    bool is_ignorable = false;           ///< what it does not answer is passed over
    /// It is asked only about pods that ask for one of these; empty: about all.
    std::vector<std::string> managed_resources;
    friend bool operator==(const CalledExtender&, const CalledExtender&) = default;

    bool is_asked() const { return !filter_verb.empty() || !prioritize_verb.empty(); }
};

}  // namespace config
