#include "k8s/embedded/protobuf/protobuf.hpp"
#include "k8s/embedded/store/json_path.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace k8s::embedded;
using namespace std::string_literals;

namespace {

// Bodies as kubectl 1.32 sends them.
const std::string config_map =
    "k8s\x00\n\x0f\n\x02v1\x12\tConfigMap\x12\x1c\n\x12\n\x02"s
    "cm\x12\x00\x1a\x00\"\x00*\x00"s
    "2\x00"s
    "8\x00"s
    "B\x00\x12\x06\n\x01"s
    "a\x12\x01"s
    "b\x1a\x00\"\x00"s;
const std::string space =
    "k8s\x00\n\x0f\n\x02v1\x12\tNamespace\x12\x1a\n\x12\n\x02nn\x12\x00\x1a\x00\"\x00*\x00"s
    "2\x00"s
    "8\x00"s
    "B\x00\x12\x00\x1a\x02\n\x00\x1a\x00\"\x00"s;
const std::string review =
    "k8s\x00\n2\n\x17"s
    "authorization.k8s.io/v1\x12\x17SelfSubjectAccessReview\x12"s
    "F\n\x10\n\x00\x12\x00\x1a\x00\"\x00*\x00"s
    "2\x00"s
    "8\x00"s
    "B\x00\x12(\n&\n\x07"s
    "default\x12\x06"s
    "create\x1a\x00\"\x00*\x04pods2\x00:\x07"s
    "binding\x1a\x08\x08\x00\x12\x00\x1a\x00 \x00\x1a\x00\"\x00"s;

// A length-delimited field of a message; lengths below 128 only.
std::string field(int number, const std::string& bytes) {
    std::string text;
    text += static_cast<char>(number << 3 | 2);
    text += static_cast<char>(bytes.size());
    return text + bytes;
}

std::string envelope(const std::string& version, const std::string& kind, const std::string& raw) {
    return "k8s\0"s + field(1, field(1, version) + field(2, kind)) + field(2, raw);
}

}  // namespace

TEST_CASE("protobuf: a config map as kubectl posts it") {
    const auto object = decode_protobuf(config_map);
    REQUIRE(object);
    CHECK(object->text({"kind"}) == "ConfigMap");
    CHECK(object->text({"metadata", "name"}) == "cm");
    CHECK(object->text({"data", "a"}) == "b");
    CHECK(object->find_path({"metadata", "namespace"}) == nullptr);
}

TEST_CASE("protobuf: a namespace and an access review as kubectl posts them") {
    const auto name = decode_protobuf(space);
    REQUIRE(name);
    CHECK(name->text({"metadata", "name"}) == "nn");
    const auto access = decode_protobuf(review);
    REQUIRE(access);
    CHECK(access->text({"apiVersion"}) == "authorization.k8s.io/v1");
    CHECK(access->text({"spec", "resourceAttributes", "resource"}) == "pods");
    CHECK(access->text({"spec", "resourceAttributes", "name"}) == "binding");
    CHECK(access->text({"spec", "resourceAttributes", "verb"}) == "create");
}

TEST_CASE("protobuf: service accounts, delete options and binary data") {
    const std::string meta = field(1, field(1, "sa") + field(11, field(1, "k") + field(2, "v")));
    const auto account =
        decode_protobuf(envelope("v1", "ServiceAccount", meta + field(2, field(3, "token"))));
    REQUIRE(account);
    CHECK(account->text({"metadata", "labels", "k"}) == "v");
    CHECK(items_at(*account, {"secrets"}).front().text({"name"}) == "token");
    const auto options = decode_protobuf(envelope("v1", "DeleteOptions", "\x08\x05"s));
    REQUIRE(options);
    CHECK(int_at(*options, {"gracePeriodSeconds"}) == 5);
    const std::string entry = field(1, "k") + field(2, "\xff\x00\x10"s);
    const auto binary = decode_protobuf(envelope("v1", "ConfigMap", field(3, entry)));
    REQUIRE(binary);
    CHECK(binary->text({"binaryData", "k"}) == "/wAQ");
}

TEST_CASE("protobuf: other kinds, other bodies and text that is not UTF-8 are refused") {
    CHECK_FALSE(decode_protobuf(envelope("v1", "Pod", field(1, field(1, "p")))));
    CHECK_FALSE(decode_protobuf("{}"));
    CHECK_FALSE(decode_protobuf(""));
    CHECK_FALSE(decode_protobuf(envelope("v1", "Namespace", field(1, field(1, "\xc3"s)))));
    CHECK_FALSE(decode_protobuf(envelope("v1", "Namespace", field(1, field(1, "\xed\xa0\x80")))));
    CHECK(decode_protobuf(envelope("v1", "Namespace", field(1, field(1, "\xc3\xa4")))));
}

TEST_CASE("protobuf: a body cut at any byte is refused or decoded, never read past its end") {
    for (const std::string& whole : {config_map, space, review}) {
        for (std::size_t length = 0; length < whole.size(); ++length) {
            const std::string cut = whole.substr(0, length);
            const auto object = decode_protobuf(cut);
            if (object) CHECK_FALSE(object->text({"kind"}).empty());
        }
    }
}

TEST_CASE("protobuf: random damage never crashes") {
    std::mt19937 random(1);
    for (int round = 0; round < 20'000; ++round) {
        std::string bytes = round % 2 == 0 ? config_map : review;
        for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
        const auto object = decode_protobuf(bytes);
        if (object) CHECK(Json::parse(object->dump()));
    }
}

TEST_CASE("protobuf: the content type with and without parameters") {
    CHECK(is_protobuf("application/vnd.kubernetes.protobuf"));
    CHECK(is_protobuf("application/vnd.kubernetes.protobuf;type=watch"));
    CHECK_FALSE(is_protobuf("application/json"));
}
