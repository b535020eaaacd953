// Every kind of event and decision through the text of a recording and back, with every member set
// by chance. That no kind and no member is left out is checked by the compiler (event_fields.hpp).
#include "gang/record/event_log.hpp"

#include "gang/record/event_fields.hpp"
#include "tests/gang/random.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace {

namespace fields = gang::fields;
using tests::Random;

// Filling goes by type, so that a new member is filled without a word here.

void fill(Random&, bool& value) {
    value = true;
}
void fill(Random& random, std::int64_t& value) {
    value = random.chance(20) ? INT64_MIN : random.between(1, INT64_MAX - 1);
}
void fill(Random& random, std::int32_t& value) {
    value = static_cast<std::int32_t>(random.between(1, INT32_MAX));
}
void fill(Random& random, std::int16_t& value) {
    value = static_cast<std::int16_t>(random.between(1, INT16_MAX));
}
[[maybe_unused]] void fill(Random& random, std::uint64_t& value) {
    value = random.next() | 1;
}
/// Any bytes: zero, quotes, newlines, what is no UTF-8.
void fill(Random& random, std::string& value) {
    value.clear();
    for (std::int64_t i = random.between(1, 12); i > 0; --i) {
        value += static_cast<char>(
            random.chance(50) ? random.between('a', 'z') : random.between(0, 255));
    }
}
void fill(Random& random, std::pair<std::string, std::string>& value) {
    fill(random, value.first);
    fill(random, value.second);
}
template <typename E>
requires std::is_enum_v<E>
void fill(Random& random, E& value) {
    value = static_cast<E>(random.between(1, static_cast<std::int64_t>(fields::last<E>)));
}
template <typename T>
requires std::is_class_v<T>
void fill(Random& random, T& value);
template <typename T>
void fill(Random& random, std::vector<T>& value);
template <typename T>
void fill(Random& random, std::optional<T>& value) {
    fill(random, value.emplace());
}
template <typename T>
void fill(Random& random, core::Boxed<T>& value) {
    fill(random, value.emplace());
}
template <typename T>
void fill(Random& random, core::Shared<T>& value) {
    fill(random, value.edit());
}
template <typename T>
void fill(Random& random, std::vector<T>& value) {
    value.resize(static_cast<std::size_t>(random.between(1, 3)));
    for (T& element : value) {
        fill(random, element);
    }
}
template <typename T>
requires std::is_class_v<T>
void fill([[maybe_unused]] Random& random, T& value) {
    std::apply(
        [&](const auto&... field) { (fill(random, value.*field.member), ...); },
        fields::Of<T>::list);
}

/// Member by member, as far as the tables go; and in a filled value nothing is at its default.
template <typename T>
void check_same(const T& a, const T& b) {
    CAPTURE(std::string(fields::Of<T>::name));
    [[maybe_unused]] const T unset{};
    std::apply(
        [&](const auto&... field) {
            [[maybe_unused]] const auto one = [&](const auto& each) {
                CAPTURE(std::string(each.name));
                CHECK((a.*each.member == b.*each.member));
                CHECK_FALSE((a.*each.member == unset.*each.member));
            };
            (one(field), ...);
        },
        fields::Of<T>::list);
}

gang::LogLine decode(const std::string& line) {
    REQUIRE(line.ends_with('\n'));
    REQUIRE(line.find('\n') == line.size() - 1);
    auto decoded = gang::decode_line({line.data(), line.size() - 1});
    REQUIRE_MESSAGE(decoded.has_value(), (decoded ? "" : decoded.error().message + line));
    return *std::move(decoded);
}

template <std::size_t Index>
void event_round_trip(Random& random) {
    std::variant_alternative_t<Index, gang::Event::Kinds> event;
    fill(random, event);
    if constexpr (std::is_same_v<decltype(event), gang::SparkConfFound>) {
        event.conf.executor_template->volumes_json.clear();  // left out on purpose
    }
    if constexpr (std::is_same_v<decltype(event), gang::CapacityAnswered>) {
        event.may_exist = false;  // true is its default
    }
    gang::StampedEvent stamped{random.next() | 1, random.between(1, INT64_MAX - 1), event};
    const std::string line = encode(stamped);
    const auto read = std::get<gang::StampedEvent>(decode(line));
    CHECK(read.sequence == stamped.sequence);
    CHECK(read.time_ms == stamped.time_ms);
    REQUIRE(read.event.index() == Index);
    check_same(event, std::get<Index>(read.event));
    CHECK(encode(read) == line);
}

template <std::size_t Index>
void decision_round_trip(Random& random) {
    std::variant_alternative_t<Index, gang::Decision::Kinds> decision;
    fill(random, decision);
    if constexpr (std::is_same_v<decltype(decision), gang::SetCondition>) {
        decision.is_transition = false;  // true is its default
    }
    gang::LogCheck check{random.next(), {decision, decision}, random.next(), random.next()};
    const std::string line = encode(check);
    const auto read = std::get<gang::LogCheck>(decode(line));
    CHECK(read.after == check.after);
    CHECK(read.digest == check.digest);
    CHECK(read.state == check.state);
    REQUIRE(read.decisions.size() == 2);
    REQUIRE(read.decisions[1].index() == Index);
    check_same(decision, std::get<Index>(read.decisions[1]));
    CHECK(encode(read) == line);
}

std::string problem(const std::string& line) {
    const auto decoded = gang::decode_line(line);
    return decoded ? "" : decoded.error().message;
}

}  // namespace

TEST_CASE("event log: every kind of event comes back as it was, whatever is in it") {
    Random random("event log, events");
    for (int i = 0; i < 50; ++i) {
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (event_round_trip<Index>(random), ...);
        }
        (std::make_index_sequence<std::variant_size_v<gang::Event::Kinds>>());
    }
}

TEST_CASE("event log: every kind of decision comes back as it was, whatever is in it") {
    Random random("event log, decisions");
    for (int i = 0; i < 50; ++i) {
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (decision_round_trip<Index>(random), ...);
        }
        (std::make_index_sequence<std::variant_size_v<gang::Decision::Kinds>>());
    }
}

TEST_CASE("event log: members that are as in a new value come back as well") {
    const gang::StampedEvent plain{1, 2, gang::PodUpserted{}};
    CHECK(encode(plain) == "{\"seq\":1,\"ms\":2,\"event\":{\"pod\":{}}}\n");
    const auto read = std::get<gang::StampedEvent>(decode(encode(plain)));
    CHECK(std::get<gang::PodUpserted>(read.event).pod == core::Pod{});

    core::Pod pod;
    pod.scheduled.emplace();  // there, with nothing in it: not the same as not there
    const auto again = std::get<gang::StampedEvent>(
        decode(encode(gang::StampedEvent{1, 2, gang::PodUpserted{pod}})));
    CHECK(std::get<gang::PodUpserted>(again.event).pod == pod);
}

TEST_CASE("event log: the header keeps the configuration, but not where the kubeconfig is") {
    Random random("event log, header");
    gang::LogHeader header;
    header.program = "1.2.3";
    fill(random, header.config);
    header.config.leader_election.enabled = false;
    gang::LogHeader kept = header;
    kept.config.kubeconfig.clear();
    CHECK(std::get<gang::LogHeader>(decode(encode(header))) == kept);
    CHECK(std::get<gang::LogEnd>(decode(encode(gang::LogEnd{"full"}))).why == "full");
}

TEST_CASE("event log: the volumes of a template are not kept") {
    gang::SparkConfFound found;
    found.conf.executor_template.emplace();
    found.conf.executor_template->volumes_json = "[{\"name\":\"canary\"}]";
    const std::string line = encode(gang::StampedEvent{1, 2, found});
    CHECK(line == "{\"seq\":1,\"ms\":2,\"event\":{\"confFound\":{\"conf\":{\"template\":{}}}}}\n");
}

TEST_CASE("event log: what is no line of a recording is an error that names the place") {
    CHECK(problem("") != "");
    CHECK(problem("[]") == "not an object");
    CHECK(problem("{}") == "not an object");
    CHECK(problem("{\"a\":1}") == "not a line of a recording");
    CHECK(problem("{\"seq\":1,\"ms\":2,\"event\":{\"pod\":{\"nam") != "");
    CHECK(
        problem("{\"seq\":-1,\"ms\":2,\"event\":{\"tick\":{}}}") ==
        "\"seq\" is not what a recording has there");
    CHECK(problem("{\"seq\":1,\"ms\":2}") == "\"event\" is not what a recording has there");
    CHECK(
        problem("{\"seq\":1,\"ms\":2,\"event\":{\"nap\":{}}}") ==
        "\"event.nap\" is not what a recording has there");
    CHECK(
        problem("{\"seq\":1,\"ms\":2,\"event\":{\"pod\":{\"pod\":{\"labels\":[[\"a\",1]]}}}}") ==
        "\"event.pod.pod.labels.0\" is not what a recording has there");
    CHECK(
        problem("{\"seq\":1,\"ms\":2,\"event\":{\"pod\":{\"pod\":{\"phase\":9}}}}") ==
        "\"event.pod.pod.phase\" is not what a recording has there");
    CHECK(
        problem("{\"after\":1,\"digest\":\"xyz\"}") ==
        "\"digest\" is not what a recording has there");
    CHECK(problem(std::string(gang::recording_line_bytes_max + 1, ' ')).find("longer than") == 0);
    CHECK(problem(std::string(1'000'000, '[')) != "");  // deep, not a crash
}

TEST_CASE("event log: a recording of another format or with unknown settings says so") {
    CHECK(
        problem("{\"recording\":2,\"program\":\"9.0.0\",\"config\":[]}") ==
        "the recording has format 2, this program reads format 1");
    CHECK(
        problem("{\"recording\":1,\"program\":\"9.0.0\",\"config\":{\"gang\":{\"mood\":1}}}") ==
        "recorded by version \"9.0.0\", and \"config.gang.mood\" is unknown here");
}
