#include "k8s/review/review_json.hpp"

#include "k8s/json/json_fields.hpp"

namespace k8s {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

std::string json_text(const std::string& text) {
    rapidjson::StringBuffer buffer;
    Writer writer(buffer);
    writer.String(text);
    return {buffer.GetString(), buffer.GetSize()};
}

std::string json_of(const rapidjson::Value& value) {
    rapidjson::StringBuffer buffer;
    Writer writer(buffer);
    value.Accept(writer);
    return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace

std::string token_review(const std::string& token) {
    return R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":)" +
           json_text(token) + "}}";
}

core::Result<std::string> user_of_token_review(std::string answer) {
    rapidjson::Document document;
    if (auto parsed = parse_in_place(answer, document); !parsed) return parsed.error();
    const rapidjson::Value* const status = find_member(document, "status");
    if (status == nullptr) return core::Error{"a TokenReview without a status"};
    if (!Fields().flag(*status, "authenticated")) return std::string();
    const rapidjson::Value* const user = find_member(*status, "user");
    const rapidjson::Value* const name = user == nullptr ? nullptr : find_member(*user, "username");
    if (name == nullptr || !name->IsString() || name->GetStringLength() == 0) {
        return core::Error{"a TokenReview without a user's name"};
    }
    std::string members = "\"user\":" + json_of(*name);
    for (const char* key : {"groups", "uid", "extra"}) {
        if (const auto* value = find_member(*user, key)) {
            members += ",\"" + std::string(key) + "\":" + json_of(*value);
        }
    }
    return members;
}

std::string list_pods_review(const std::string& user, const std::string& namespace_name) {
    return R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{)" + user +
           R"(,"resourceAttributes":{"verb":"list","group":"","version":"v1","resource":"pods","namespace":)" +
           json_text(namespace_name) + "}}}";
}

core::Result<bool> is_allowed(std::string answer) {
    rapidjson::Document document;
    if (auto parsed = parse_in_place(answer, document); !parsed) return parsed.error();
    const rapidjson::Value* const status = find_member(document, "status");
    if (status == nullptr) return core::Error{"a SubjectAccessReview without a status"};
    Fields fields;
    return fields.flag(*status, "allowed") && !fields.flag(*status, "denied");
}

}  // namespace k8s
