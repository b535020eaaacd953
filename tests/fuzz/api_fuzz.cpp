// What callers of the page's port send: a target with its parameters, names of hosts; texts of tenants
// that are masked; and the template of -o jsonpath.
#include "gang/app/api/access/mask.hpp"
#include "gang/app/api/host_rule.hpp"
#include "gang/app/api/what_if_query.hpp"
#include "gang/app/output/json_path.hpp"
#include "gang/app/serve/query.hpp"
#include "tests/fuzz/invariants.hpp"

namespace {

namespace app = gang::app;

void check_target(const std::string& text) {
    const app::Target target = app::split_target(text);
    PROPERTY(target.path.size() + target.query.size() <= text.size());
    const auto decoded = app::percent_decode(target.path);
    PROPERTY(!decoded || decoded->size() <= target.path.size());
    for (const std::string_view name : app::parameter_names(target.query)) {
        app::find_parameter(target.query, name);
    }
    const auto question = app::read_what_if(target.query);
    if (!question) {
        PROPERTY(!question.error().message.empty() && question.error().message.size() < 1'000);
        return;
    }
    PROPERTY(question->executors >= 0 && question->executors <= app::what_if_executors_max);
}

void check_host(const std::string& text) {
    const app::HostRule rule({"gangs.example.com"});
    app::HttpAsk ask;
    ask.target = "/";
    ask.host = text;
    const auto refusal = rule.refuse(ask);
    PROPERTY(!refusal || refusal->status == 421 || refusal->status == 403);
    ask.host = "gangs.example.com";
    ask.origin = text;
    rule.refuse(ask);
}

/// No name of another namespace is left, and masking twice changes nothing more.
void check_mask(const std::string& text) {
    const app::Sight own{false, {"etl"}};
    const std::string masked = app::masked_text(text + " secret-space/secret-pod", own);
    PROPERTY(masked.find("secret-space/secret-pod") == std::string::npos);
    PROPERTY(app::masked_text(masked, own) == masked);
    PROPERTY(app::masked_text(text, app::Sight()) == text);
}

void check_json_path(const std::string& text) {
    const auto path = app::JsonPath::parse(text);
    if (!path) {
        PROPERTY(!path.error().message.empty());
        return;
    }
    PROPERTY(path->apply(R"({"gangs":[{"driver":"a","needs":{"cpuMilli":1}}],"total":2})").has_value());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = fuzz::text(data, size);
    check_target(text);
    check_host(text);
    check_mask(text);
    if (size < 2'000) {
        check_json_path(text);
    }
    return 0;
}
