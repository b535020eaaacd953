#pragma once
// Against DNS rebinding: a web page of somebody else may have its own name point at an address that
// the visitor's browser reaches and we listen on. The browser then takes our answers for that
// page's. What gives it away is the name, in Host and in Origin.
//
// Nobody can point an address or `localhost` elsewhere, so these are always taken, whatever the
// port (a port-forward changes it); other names must stand in api.hosts.

#include "gang/app/serve/http_server.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang::app {

/// Of requests that `gang-scheduler ui` passes on: it has looked at Host and Origin itself, and the
/// Host that it sends is the API server's. No web page can add a field whose name begins with
/// "Sec-": browsers keep these to themselves (Fetch standard, forbidden request-headers).
inline constexpr const char* passed_on_field = "Sec-Gang-Scheduler";

class HostRule {
public:
    explicit HostRule(std::vector<std::string> names);

    struct Refusal {
        int status = 0;  ///< 421: not a name of ours; 403: from a page of somebody else
        std::string why;
    };
    /// Nothing: the request may be answered.
    std::optional<Refusal> refuse(const HttpAsk& ask) const;

private:
    bool is_ours(std::string_view authority) const;

    std::vector<std::string> names_;
};

}  // namespace gang::app
