#include "gang/reservation/format/reservation.hpp"

#include "core/value/exclusive.hpp"
#include "gang/reservation/format/reservation_text.hpp"
#include "tests/gang/random.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

using gang::decode_reservation;
using gang::encode_reservation;
using gang::Reservation;

Reservation full_reservation() {
    Reservation reservation;
    reservation.generation = 3;
    reservation.epoch = 7;
    reservation.queue = "team a; b";
    reservation.profile = "gang-scheduler";
    reservation.anchor = "0d1f-uid";
    reservation.gang = "first uid;";
    gang::ReservedShape& shape = reservation.shapes.emplace_back();
    shape.profile = 2;
    shape.max = -1;
    shape.requests = {4000, 9663676416, 1024, {{"nvidia.com/gpu", 1}, {"x.io/odd:name,", 2}}};
    core::add_host_ports(shape.requests, {{"", "TCP", 7078}, {"fe80::1", "UDP", 53}});
    shape.constraints.has_host_ports = true;
    shape.constraints.node_selector = {{"disk", ""}, {"pool", "batch%|&"}};
    shape.constraints.has_required_affinity = true;
    shape.constraints.required_affinity.resize(3);
    shape.constraints.required_affinity[0].match_expressions = {
        {"zone", core::SelectorOperator::in, {"a", "b"}},
        {"old", core::SelectorOperator::does_not_exist, {}}};
    shape.constraints.required_affinity[1].match_fields = {
        {"metadata.name", core::SelectorOperator::not_in, {"n9"}}};
    shape.constraints.tolerations.resize(2);
    shape.constraints.tolerations[0].exists = true;
    shape.constraints.tolerations[1] = {
        "dedicated", false, "spark", false, core::TaintEffect::no_execute, 300};
    shape.slots_per_node = {{"n1", 3}, {"n2.example", 2}};
    shape.unplaced = 1;
    reservation.shapes.push_back({0, 5, {100, 1, 0, {}}, {}, {}, 0});
    return reservation;
}

}  // namespace

TEST_CASE("reservation: what is written reads back the same") {
    const Reservation reservation = full_reservation();
    const auto read = decode_reservation(encode_reservation(reservation), 100);
    REQUIRE(read);
    CHECK(*read == reservation);
    CHECK(gang::slot_count(*read) == 6);
}

TEST_CASE("reservation: the text is one line of printable ASCII") {
    for (const char c : encode_reservation(full_reservation())) {
        CHECK(c >= ' ');
        CHECK(c < 127);
    }
}

TEST_CASE("reservation: a required affinity without terms keeps matching nothing") {
    Reservation reservation = full_reservation();
    reservation.shapes[0].constraints.required_affinity.clear();
    const auto read = decode_reservation(encode_reservation(reservation), 100);
    REQUIRE(read);
    CHECK(*read == reservation);
}

TEST_CASE("reservation: fields and records of a later version are skipped") {
    const auto read = decode_reservation(
        "v1 generation=2 colour=red epoch=1 anchor=u;sauce kind=hot;shape cpu=5 nodes=n1:2 new=1",
        10);
    REQUIRE(read);
    CHECK(read->generation == 2);
    REQUIRE(read->shapes.size() == 1);
    CHECK(read->shapes[0].requests.cpu_milli == 5);
}

TEST_CASE("reservation: hostile texts are refused") {
    const char* texts[] = {
        "",
        ";",
        "v2 generation=1",
        "v1 generation=x",
        "v1 generation=-1",
        "v1 generation=9223372036854775807",
        "v1;shape max=9223372036854775807",
        "v1;shape max=-2",
        "v1;shape cpu=-1",
        "v1;shape cpu=99999999999999999999",
        "v1;shape cpu=1e3",
        "v1;shape nodes=n1",
        "v1;shape nodes=n1:0",
        "v1;shape nodes=n1:-1",
        "v1;shape nodes=:1",
        "v1;shape nodes=n1:1,n1:1",
        "v1;shape nodes=n%:1",
        "v1;shape nodes=n%4:1",
        "v1;shape extended=a:1,a:2",
        "v1;shape extended=a:-1",
        "v1;shape profile=4294967296",
        "v1;shape selector=b:1,a:1",
        "v1;shape selector=a",
        "v1;shape affinity=q:a:in:b",
        "v1;shape affinity=e:a:near:b",
        "v1;shape affinity=e:a&",
        "v1;shape tolerations=a",
        "v1;shape tolerations=a:exists::some:-1",
        "v1;shape tolerations=a:exists::any:",
        "v1;shape nodes=n1:11",
        "v1;shape nodes=n1:9223372036854775807,n2:9223372036854775807",
        "v1;shape unplaced=11",
        "v1 queue=a\x1b[31m"};
    for (const char* text : texts) {
        CAPTURE(text);
        CHECK_FALSE(decode_reservation(text, 10));
    }
}

TEST_CASE("reservation: size and number of shapes are bounded") {
    CHECK_FALSE(decode_reservation("v1 " + std::string(gang::reservation_bytes_max, 'a'), 10));
    std::string many = "v1";
    for (std::size_t i = 0; i <= gang::reservation_shapes_max; ++i) {
        many += ";shape cpu=1";
    }
    CHECK_FALSE(decode_reservation(many, 10));
}

TEST_CASE(
    "reservation: a damaged text is refused or read, never a crash, and what is read re-reads") {
    tests::Random random("reservation");
    const std::string good = encode_reservation(full_reservation());
    for (int round = 0; round < 20'000; ++round) {
        std::string text = good;
        for (std::int64_t edits = random.between(1, 4); edits > 0; --edits) {
            const auto at = static_cast<std::size_t>(
                random.between(0, static_cast<std::int64_t>(text.size()) - 1));
            switch (random.between(0, 2)) {
                case 0:
                    text[at] = static_cast<char>(random.between(0, 255));
                    break;
                case 1:
                    text.erase(at, static_cast<std::size_t>(random.between(1, 9)));
                    break;
                default:
                    text.insert(at, text.substr(at / 2, 7));
                    break;
            }
        }
        const auto read = decode_reservation(text, 1000);
        if (read) {
            const auto again = decode_reservation(encode_reservation(*read), 1000);
            REQUIRE(again);
            CHECK(*again == *read);
        }
    }
}

TEST_CASE("reservation: what needs no escape is written as it is, anything else escaped") {
    const std::string plain = "azAZ09-._/";
    CHECK(gang::text::escape(plain) == plain);
    CHECK(gang::text::escape("a b\x01%;=,:") == "a%20b%01%25%3B%3D%2C%3A");
    CHECK(gang::text::unescape("a%20b%01%25") == "a b\x01%");
    CHECK_FALSE(gang::text::unescape("a b"));
}
