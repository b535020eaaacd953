#include "k8s/credentials/exec/codec_credential.hpp"

#include "k8s/base/time.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/json/json_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace k8s {
namespace {

constexpr std::size_t quoted_max = 100;

core::Error error(std::string text) {
    return core::Error{std::move(text)};
}

std::string named(const std::string& found) {
    return found.empty() ? "none" : "\"" + one_line(found, quoted_max) + "\"";
}

bool is_token(const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

core::Result<core::Done> read_expiry(const std::string& text, ExecCredential& into) {
    if (text.empty()) return core::Done{};
    into.expires_ms = parse_time(text);
    if (into.expires_ms) return core::Done{};
    return error(fmt::format(
        "status.expirationTimestamp: found \"{}\", expected a time such as 2026-07-01T12:30:00Z",
        one_line(text, quoted_max)));
}

core::Result<ExecCredential> read_status(const rapidjson::Value& answer) {
    Fields fields;
    const rapidjson::Value* status = fields.object(answer, "status");
    if (!fields.problem().empty()) return error(fields.problem());
    if (status == nullptr) return error("it has no status");
    ExecCredential credential;
    credential.token = fields.text(*status, "token");
    credential.client_certificate_pem = fields.text(*status, "clientCertificateData");
    credential.client_key_pem = fields.text(*status, "clientKeyData");
    const auto expiry = read_expiry(fields.text(*status, "expirationTimestamp"), credential);
    if (!fields.problem().empty()) return error("status." + fields.problem());
    if (!expiry) return expiry.error();
    if (credential.client_certificate_pem.empty() != credential.client_key_pem.empty()) {
        return error("status.clientCertificateData and status.clientKeyData belong together");
    }
    if (credential.token.empty() && credential.client_certificate_pem.empty()) {
        return error("status has neither a token nor a client certificate");
    }
    if (!is_token(credential.token)) return error("status.token: not printable");
    return credential;
}

}  // namespace

std::string encode_exec_request(const ExecPlugin& plugin, bool gets_input) {
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    writer.StartObject();
    writer.Key("kind");
    writer.String("ExecCredential");
    writer.Key("apiVersion");
    writer.String(plugin.api_version);
    writer.Key("spec");
    writer.StartObject();
    if (!plugin.cluster.empty()) {
        writer.Key("cluster");
        writer.RawValue(plugin.cluster.data(), plugin.cluster.size(), rapidjson::kObjectType);
    }
    writer.Key("interactive");
    writer.Bool(gets_input);
    writer.EndObject();
    writer.EndObject();
    return buffer.GetString();
}

core::Result<ExecCredential> decode_exec_credential(
    std::string output, const std::string& api_version) {
    rapidjson::Document answer;
    if (const auto parsed = parse_in_place(output, answer); !parsed) return parsed.error();
    if (!answer.IsObject()) return error("expected a JSON object");
    Fields fields;
    const std::string kind = fields.text(answer, "kind", "ExecCredential");
    const std::string version = fields.text(answer, "apiVersion");
    if (!fields.problem().empty()) return error(fields.problem());
    if (kind != "ExecCredential") {
        return error(fmt::format("kind: found {}, expected ExecCredential", named(kind)));
    }
    if (version != api_version) {
        return error(fmt::format(
            "apiVersion: found {}, expected {}, which the kubeconfig names",
            named(version),
            api_version));
    }
    return read_status(answer);
}

}  // namespace k8s
