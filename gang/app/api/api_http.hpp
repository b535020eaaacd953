#pragma once
// What the API's port answers: the page's files, and under /api/v1/ the JSON that it is made of.
// docs/reference/api.md has every path. All of it only reads; there is no verb that writes, here or
// below.

#include "gang/app/api/access/sight.hpp"
#include "gang/app/api/host_rule.hpp"
#include "gang/app/api/snapshot.hpp"
#include "gang/app/api/viewers.hpp"
#include "gang/app/serve/http_server.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gang::app {

HttpLimits api_limits();

/// Header fields of every answer, and refusals as JSON.
HttpManners api_manners();

class ApiHttp {
public:
    explicit ApiHttp(ApiSource source);

    /// As the caller may see it.
    HttpReply reply(const HttpAsk& ask, const Sight& sight = {});

    /// Whether only the leader can answer this, and we are not it. What is wrong with the request
    /// itself we say ourselves, and a stream is not passed on: who follows one asks again.
    bool is_for_leader(const HttpAsk& ask) const;

    /// Of all gangs, in order; none on a standby.
    std::vector<std::string> namespaces();

    /// What was made for callers who may not see all.
    void give_up_masked();

    Snapshots& snapshots() { return *snapshots_; }

    /// To be called once a minute.
    void note_history();

    /// Every path under /api/v1/, with capitals where a name is to stand.
    static std::vector<std::string_view> paths();

private:
    HttpReply answer(std::string_view path, std::string_view query, const HttpAsk& ask);
    HttpReply gangs(std::string_view query);
    HttpReply nodes(std::string_view query);
    HttpReply gang(std::string_view name, std::string_view query);
    HttpReply what_if(std::string_view query);
    HttpReply events(const HttpAsk& ask);
    HttpReply history();
    /// The picture that the caller of this request may see. Good until the next call.
    const Snapshot& seen();

    std::shared_ptr<Snapshots> snapshots_;
    Viewers viewers_;
    History history_;
    HostRule hosts_;
    Sight sight_;  ///< of the request that is answered
    std::map<Sight, Snapshot> masked_;
    std::string masked_of_;  ///< the id of the picture that these are of
    std::int64_t what_if_from_ms_ = 0;  ///< monotonic: not answered before
};

}  // namespace gang::app
