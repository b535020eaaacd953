#include "k8s/credentials/exec/codec_credential.hpp"

#include "tests/k8s/credentials/exec/scripts.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace k8s;
using scripts::answer;
using scripts::v1;

namespace {

std::string problem(const std::string& output) {
    const auto credential = decode_exec_credential(output, v1);
    return credential ? "accepted" : credential.error().message;
}

}  // namespace

TEST_CASE("exec credential: what a plugin is told") {
    ExecPlugin plugin;
    plugin.api_version = v1;
    CHECK(
        encode_exec_request(plugin, true) ==
        R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
        R"("spec":{"interactive":true}})");
    plugin.cluster = R"({"server":"https://h"})";
    CHECK(
        encode_exec_request(plugin, false) ==
        R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
        R"("spec":{"cluster":{"server":"https://h"},"interactive":false}})");
}

TEST_CASE("exec credential: a token, a client certificate, both, an expiry") {
    const auto token = decode_exec_credential(
        answer(R"("token":"abc","expirationTimestamp":"1970-01-01T00:00:02Z")") + "\n", v1);
    REQUIRE(token);
    CHECK(token->token == "abc");
    CHECK(token->expires_ms == 2'000);
    const auto certificate = decode_exec_credential(
        answer(R"("clientCertificateData":"CERT\n","clientKeyData":"KEY\n")"), v1);
    REQUIRE(certificate);
    CHECK(certificate->token.empty());
    CHECK(certificate->client_certificate_pem == "CERT\n");
    CHECK(certificate->client_key_pem == "KEY\n");
    CHECK_FALSE(certificate->expires_ms);
    CHECK(
        problem(answer(R"("token":"t","clientCertificateData":"C","clientKeyData":"K")")) ==
        "accepted");
    CHECK(problem(answer(R"("token":"t","expirationTimestamp":null,"more":1)")) == "accepted");
    // client-go takes an answer without a kind, too.
    CHECK(
        problem(R"({"apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t"}})") ==
        "accepted");
}

TEST_CASE("exec credential: a wrong answer, in one sentence that quotes no secret") {
    CHECK(problem("").find("this is not JSON") != std::string::npos);
    CHECK(problem("hunter2").find("hunter2") == std::string::npos);
    CHECK(problem("[1]") == "expected a JSON object");
    CHECK(
        problem(R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"Pod"})") ==
        "kind: found \"Pod\", expected ExecCredential");
    CHECK(
        problem(
            R"({"apiVersion":"client.authentication.k8s.io/v1beta1","status":{"token":"t"}})") ==
        "apiVersion: found \"client.authentication.k8s.io/v1beta1\", expected "
        "client.authentication.k8s.io/v1, which the kubeconfig names");
    CHECK(
        problem(R"({"kind":"ExecCredential"})") ==
        "apiVersion: found none, expected client.authentication.k8s.io/v1, which the kubeconfig "
        "names");
    CHECK(problem(R"({"apiVersion":"client.authentication.k8s.io/v1"})") == "it has no status");
    CHECK(problem(answer("")) == "status has neither a token nor a client certificate");
    CHECK(
        problem(answer(R"("token":"t","clientKeyData":"K")")) ==
        "status.clientCertificateData and status.clientKeyData belong together");
    CHECK(problem(answer(R"("token":"a\nX: b")")) == "status.token: not printable");
    CHECK(problem(answer(R"("token":7)")).find("status.token: expected") == 0);
    CHECK(
        problem(answer(R"("token":"t","expirationTimestamp":"soon")")) ==
        "status.expirationTimestamp: found \"soon\", expected a time such as "
        "2026-07-01T12:30:00Z");
}
