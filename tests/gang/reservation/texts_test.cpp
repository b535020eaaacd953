// Texts of reservations in words drawn by chance from what we write and what others may: what each is read as, and what
// a publisher says of writes and answers in any order.

#include "core/value/exclusive.hpp"
#include "gang/reservation/format/reservation.hpp"
#include "gang/reservation/format/reservation_text.hpp"
#include "gang/reservation/publisher.hpp"
#include "tests/gang/parts.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace {

using Words = std::vector<std::string>;

/// What the text is read as: written anew, and what a text does not tell beside.
std::string read_of(const std::string& text, std::int64_t slots_max) {
    const auto read = gang::decode_reservation(text, slots_max);
    if (!read) {
        return read.error().message;
    }
    const std::string again = gang::encode_reservation(*read);
    const auto re_read = gang::decode_reservation(again, slots_max);
    CHECK((re_read && *re_read == *read));
    std::string told = again == text ? "the same" : again;
    for (const gang::ReservedShape& shape : read->shapes) {
        told += shape.constraints.has_host_ports ? " (host ports)" : "";
        told += shape.constraints.has_required_affinity ? " (affinity)" : "";
    }
    return told + " = " + std::to_string(gang::slot_count(*read));
}

/// One field, each of its values alone.
struct Field {
    std::string name;
    Words values;
};

const std::vector<Field>& header_fields() {
    static const std::vector<Field> fields = {
        {"generation", {"0", "1", "1000000000000", "1000000000001", "-1", "-0", "+1", "", "x", "1x", "-2"}},
        {"epoch", {"0", "7", "9223372036854775807", "9223372036854775808", "-1", "-7", " "}},
        {"queue", {"default", "", "a%20b", "a%2", "a%", "%4a", "%4A", "%GA", "%4G", "%4@", "a;b", "a,b", "a|b"}},
        {"profile", {"gang-scheduler", "", "%", "a/b_c.d"}},
        {"anchor", {"0d1f", "", "%%", "az", "AZ", "09", "`", "{", "@", "[", ":"}},
        {"gang", {"first", "", "%zz", "%00", "%FF"}},
        {"colour", {"red"}},
        {"generations", {"5"}}};
    return fields;
}

const std::vector<Field>& shape_fields() {
    static const std::vector<Field> fields = {
        {"profile", {"0", "1", "2147483647", "2147483648", "-1", "x"}},
        {"max", {"0", "5", "-1", "-2", "2147483647", "2147483648", "", "x"}},
        {"min", {"0", "1", "2147483646", "2147483647", "2147483648", "-1", "x"}},
        {"cpu", {"0", "1", "9223372036854775807", "-1", "1e3", "0x1"}},
        {"memory", {"0", "1", "-1", "x"}},
        {"ephemeral", {"0", "1", "-1", "x"}},
        {"unplaced", {"0", "1", "20", "21", "-1", "x"}},
        {"extended",
         {"a:1", "b:2,a:1", "a:1,a:2", "a:0", "a:-1", "a:x", "a", "a:1:2", ":1", "", "%:1", "a:1,",
          "nvidia.com%2Fgpu:1"}},
        {"exclusive", {"a:1", "", "x:y:z"}},
        {"nodes",
         {"n1:1",
          "n2:2,n1:1",
          "n1:1,n1:2",
          "n1:20",
          "n1:21",
          "n1:10,n2:10",
          "n1:10,n2:11",
          "n1:0",
          "n1:-1",
          "n1:x",
          "n1",
          "n1:1:1",
          ":1",
          "",
          "%:1",
          "n%20x:1"}},
        {"selector", {"a:b", "a:", ":b", "", "a", "a:b:c", "a:1,b:2", "b:1,a:2", "a:1,a:2", "%:1", "a:%", "a%2Cb:c"}},
        {"affinity",
         {"",
          "-",
          "-|-",
          "e:a:in:b",
          "e:a:in:b:c",
          "f:metadata.name:notin:n1",
          "e:a:exists",
          "e:a:absent",
          "e:a:gt:5",
          "e:a:lt:5",
          "e:a:in:b&f:c:in:d",
          "e:a:in:b&e:c:exists|-|f:d:lt:1",
          "g:a:in:b",
          "e:a",
          "e",
          "e:a:near",
          "e:%:in",
          "e:a:in:%",
          "e:a:in:b&",
          "&e:a:in:b",
          "|",
          "e:a:in:b|",
          "-&-"}},
        {"tolerations",
         {"a:exists::any:-1",
          "a:equal:b:any:-1",
          ":exists::any:0",
          "a:equal:b:noschedule:-1",
          "a:equal:b:prefer:5",
          "a:equal:b:noexecute:300",
          "a:exists::any:-1,b:exists::noexecute:1",
          "a:some::any:-1",
          "a:exists::every:-1",
          "a:exists:::-1",
          "a:exists::any:-2",
          "a:exists::any:x",
          "a:exists::any",
          "a:exists::any:1:1",
          "%:exists::any:1",
          "a:exists:%:any:1",
          "",
          "a:exists::any:1,"}}};
    return fields;
}

std::string of_field(const Field& field, const std::string& value) {
    return " " + field.name + "=" + value;
}

std::string joined_by_chance(tests::Walk& walk, const std::vector<Field>& fields, std::size_t usual) {
    std::string text;
    for (const Field& field : fields) {
        if (walk.pick(3) == 0) {
            // The first few are what is written.
            text += of_field(
                field, walk.pick(12) != 0 ? field.values[walk.pick(std::min(usual, field.values.size()))]
                                          : walk.of(field.values));
        }
    }
    return text;
}

}  // namespace

TEST_CASE("reservation texts: each value of each field, alone") {
    std::string told;
    const auto tell = [&told](const std::string& text) {
        told += text + "\n    " + read_of(text, 20) + "\n";
    };
    for (const char* text : {"v1", "v1 ", " v1", "v2", "v1x", "", ";", "v1;", "v1;shape", "v1;shapes", "v1;;shape",
                             "v1;other a=b;shape"}) {
        tell(text);
    }
    for (const Field& field : header_fields()) {
        for (const std::string& value : field.values) {
            tell("v1" + of_field(field, value));
        }
    }
    for (const Field& field : shape_fields()) {
        for (const std::string& value : field.values) {
            tell("v1;shape" + of_field(field, value));
        }
    }
    tests::check_transcript("gang/reservation/transcripts/fields", told);
}

TEST_CASE("reservation texts: several fields and shapes together") {
    tests::Walk walk(11);
    std::string told;
    for (int round = 0; round < 150; ++round) {
        std::string text = "v1" + joined_by_chance(walk, header_fields(), 3);
        for (std::size_t shapes = walk.pick(4); shapes > 0; --shapes) {
            text += ";shape" + joined_by_chance(walk, shape_fields(), 2);
        }
        told += text + "\n    " + read_of(text, 20) + "\n";
    }
    tests::check_transcript("gang/reservation/transcripts/shapes", told);
}

TEST_CASE("reservation texts: host ports are read from what is exclusive, and the other way is refused") {
    gang::Reservation one;
    one.shapes.push_back({0, 0, {1000, 1, 0, {}}, {}, {}, 0});
    core::add_host_ports(one.shapes[0].requests, {{"", "TCP", 80}, {"", "UDP", 81}});
    one.shapes[0].requests.extended.push_back({"a.io/b", 2});
    one.shapes[0].requests.extended.push_back({"z.io/b", 3});
    std::sort(one.shapes[0].requests.extended.begin(), one.shapes[0].requests.extended.end());
    one.shapes[0].constraints.has_host_ports = true;
    const std::string text = gang::encode_reservation(one);
    const auto read = gang::decode_reservation(text, 1);
    REQUIRE(read);
    CHECK(*read == one);
    const std::size_t exclusive = text.find(" exclusive=");
    REQUIRE(exclusive != std::string::npos);
    CHECK(text.find(" extended=a.io/b:2,z.io/b:3 exclusive=") != std::string::npos);
    std::string turned = text;
    turned.replace(exclusive, std::string(" exclusive=").size(), " other=");
    const auto without = gang::decode_reservation(turned, 1);
    REQUIRE(without);
    CHECK_FALSE(without->shapes[0].constraints.has_host_ports);
    const std::string ports = text.substr(exclusive + std::string(" exclusive=").size());
    CHECK_FALSE(gang::decode_reservation("v1;shape extended=" + ports, 1));
    CHECK_FALSE(gang::decode_reservation("v1;shape exclusive=a.io%2Fb:2", 1));
}

TEST_CASE("reservation texts: as long, and of as many shapes, as is allowed, is read") {
    const auto of_size = [](std::size_t bytes) {
        const std::string begin = "v1 colour=";
        return begin + std::string(bytes - begin.size(), 'a');
    };
    CHECK(gang::decode_reservation(of_size(131'072), 1));
    CHECK_FALSE(gang::decode_reservation(of_size(131'073), 1));
    std::string many = "v1";
    for (int i = 0; i < 16; ++i) {
        many += ";shape cpu=1";
    }
    const auto read = gang::decode_reservation(many, 1);
    REQUIRE(read);
    CHECK(read->shapes.size() == 16);
    CHECK_FALSE(gang::decode_reservation(many + ";shape", 1));
}

TEST_CASE("reservation texts: slots of all shapes and nodes together are at most as many as allowed") {
    const std::string text = "v1;shape nodes=n1:3,n2:4 unplaced=2;shape nodes=n1:5 unplaced=1";
    CHECK(gang::decode_reservation(text, 15));
    CHECK_FALSE(gang::decode_reservation(text, 14));
    CHECK_FALSE(gang::decode_reservation("v1;shape unplaced=1", 0));
    CHECK(gang::decode_reservation("v1;shape unplaced=0", 0));
}

TEST_CASE("reservation texts: each byte is plain or escaped, and read back") {
    std::string told;
    for (int byte = 0; byte < 256; ++byte) {
        const std::string raw(1, static_cast<char>(byte));
        const std::string escaped = gang::text::escape(raw);
        told += escaped + (byte % 16 == 15 ? "\n" : " ");
        CHECK(gang::text::unescape(escaped) == raw);
        CHECK(gang::text::unescape(raw).has_value() == (escaped == raw));
    }
    tests::check_transcript("gang/reservation/transcripts/escapes", told);
}

TEST_CASE("reservation texts: numbers without sign and blank, and -1") {
    using gang::text::number;
    CHECK(number("0") == 0);
    CHECK(number("-1") == -1);
    CHECK(number("007") == 7);
    CHECK(number("9223372036854775807") == INT64_MAX);
    for (const char* odd : {"", "-0", "-2", "+1", " 1", "1 ", "1.", "9223372036854775808", "-", "--1", "-1 "}) {
        CAPTURE(odd);
        CHECK_FALSE(number(odd));
    }
}

TEST_CASE("reservation texts: of two fields with one name the first counts, and -1 is a maximum's alone") {
    const gang::text::Fields fields("shape max=-1 cpu=-1 a=1 a=2 ab=3 =4 b");
    CHECK(fields.find_number("max", 9) == -1);
    CHECK_FALSE(fields.find_number("cpu", 9));
    CHECK(fields.find_number("memory", 9) == 9);
    CHECK(fields.find("a") == "1");
    CHECK(fields.find("ab") == "3");
    CHECK(fields.find("") == "4");
    CHECK_FALSE(fields.find("b"));
    CHECK_FALSE(fields.find("shape"));
}

TEST_CASE("reservation texts: seconds of a toleration below none are written as none") {
    for (const std::int64_t seconds : {-2, -1, 0, 1}) {
        gang::Reservation one;
        one.shapes.push_back({0, 0, {}, {}, {}, 0});
        one.shapes[0].constraints.tolerations.push_back(
            {"k", true, "", false, core::TaintEffect::prefer_no_schedule, seconds});
        const std::string text = gang::encode_reservation(one);
        CHECK(text.ends_with(" tolerations=k:exists::prefer:" + std::to_string(seconds < 0 ? -1 : seconds)));
    }
}

TEST_CASE("publisher: writes, answers, foreign edits and time, in any order") {
    std::string told;
    tests::Walk walk(5);
    for (int life = 0; life < 6; ++life) {
        tests::Known known;
        known.add_node("n1");
        gang::Publisher publisher(known.model, known.step, known.reporter);
        gang::Application& app = known.add_gang("d1", "n1", 2);
        gang::PodEntry& driver = known.model.pods.at("d1");
        driver.pod.resource_version = "1";
        known.step.now_ms = 1'000'000;
        int version = 1;
        told += "a gang\n";
        for (int i = 0; i < 110; ++i) {
            switch (walk.pick(9)) {
                case 0:
                    told += "rewrite " + std::to_string(publisher.rewrite(app));
                    break;
                case 1:
                case 2: {
                    known.step.decisions.clear();
                    publisher.publish_changed();
                    told += "publish";
                    for (const gang::Decision& decision : known.step.decisions) {
                        const auto& update = std::get<gang::UpdateReservation>(decision);
                        told += " on " + update.resource_version + " " +
                                update.annotations.front().second.substr(0, 24);
                    }
                    break;
                }
                case 3:
                case 4: {
                    if (app.published.writing == 0) continue;
                    const std::size_t outcome = walk.pick(4);
                    if (outcome == 3) {  // the watch is faster
                        publisher.stored(app, app.published.writing);
                        told += "shown, ";
                    }
                    publisher.answered(
                        app, outcome == 0   ? gang::WriteOutcome::written
                             : outcome == 1 ? gang::WriteOutcome::changed
                                            : gang::WriteOutcome::failed);
                    told += outcome == 0 ? "written" : outcome == 1 ? "changed" : "failed";
                    break;
                }
                case 5: {
                    driver.pod.resource_version = std::to_string(++version);
                    const std::string text = app.published.annotation.str();
                    publisher.observe(app, &text);
                    told += "ours is shown";
                    break;
                }
                case 6: {
                    driver.pod.resource_version = std::to_string(++version);
                    const std::string other = "other";
                    publisher.observe(app, walk.pick(2) == 0 ? nullptr : &other);
                    told += "another is shown";
                    break;
                }
                case 7:
                    driver.pod.resource_version = std::to_string(++version);
                    told += "a new version";
                    break;
                default: {
                    constexpr std::int64_t waits[] = {1, 999, 1'000, 2'000, 30'000, 60'000, 600'000, 600'001};
                    known.step.now_ms += walk.of(waits);
                    told += "at " + std::to_string(known.step.now_ms - 1'000'000);
                    break;
                }
            }
            const gang::Published& published = app.published;
            const gang::Rewrites rewrites = published.rewrites.is_made() ? *published.rewrites : gang::Rewrites{};
            told += "\n    " + std::to_string(published.stored) + "/" + std::to_string(published.generation) +
                    " writing " + std::to_string(published.writing) + " text " +
                    std::to_string(published.text_generation) + (published.is_shown ? " shown" : "") + " failures " +
                    std::to_string(rewrites.failures) + " refusals " + std::to_string(rewrites.refusals.count()) +
                    " disputes " + std::to_string(rewrites.disputes) +
                    (rewrites.waits_for_change ? " until it changes" : "") + " not before " +
                    std::to_string(rewrites.not_before_ms == 0 ? 0 : rewrites.not_before_ms - 1'000'000) + " written " +
                    std::to_string(known.step.counters.reservations_rewritten) + " failed " +
                    std::to_string(known.step.counters.reservation_writes_failed) + " disputed " +
                    std::to_string(known.step.counters.reservations_disputed) +
                    (known.model.worklist.to_publish.empty() ? "" : " to publish") +
                    (known.model.worklist.dirty_gangs.empty() ? "" : " dirty");
            known.model.worklist.dirty_gangs.clear();
            for (const std::string& event : known.events()) told += " " + event;
            told += "\n";
        }
    }
    tests::check_transcript("gang/reservation/transcripts/publisher", told);
}
