#pragma once
// What the API's port answers: the page's files, and under /api/v1/ the JSON that it is made of.
// docs/api.md has every path. All of it only reads; there is no verb that writes, here or below.

#include "gang/app/api/host_rule.hpp"
#include "gang/app/api/snapshot.hpp"
#include "gang/app/api/viewers.hpp"
#include "gang/app/serve/http_server.hpp"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace gang::app {

HttpLimits api_limits();

/// Header fields of every answer, and refusals as JSON.
HttpManners api_manners();

class ApiHttp {
public:
    explicit ApiHttp(ApiSource source);

    HttpReply reply(const HttpAsk& ask);

    Snapshots& snapshots() { return *snapshots_; }

    /// Every path under /api/v1/, with capitals where a name is to stand.
    static std::vector<std::string_view> paths();

private:
    HttpReply answer(std::string_view path, std::string_view query, const HttpAsk& ask);
    HttpReply gangs(std::string_view query);
    HttpReply nodes(std::string_view query);
    HttpReply gang(std::string_view name, std::string_view query);
    HttpReply what_if(std::string_view query);
    HttpReply events(const HttpAsk& ask);

    std::shared_ptr<Snapshots> snapshots_;
    Viewers viewers_;
    HostRule hosts_;
    std::int64_t what_if_from_ms_ = 0;  ///< monotonic: not answered before
};

}  // namespace gang::app
