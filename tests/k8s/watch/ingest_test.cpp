#include "k8s/watch/ingest.hpp"

#include "tests/k8s/watch/watch_rig.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace k8s;

namespace {

/// A pod on a node as a kubelet keeps it up to date; `noise` is in what nobody reads.
std::string running_pod(
    const std::string& version,
    int noise,
    const std::string& node = "n1",
    const std::string& annotations = "") {
    const std::string number = std::to_string(1'000 + noise);
    return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"pi-exec-1","namespace":"etl",)"
           R"("uid":"0b1c2d3e-0000-4000-8000-0123456789ab","resourceVersion":")" +
           version + R"(","labels":{"spark-app-selector":"spark-824f8d371cee4237","spark-role":)" +
           R"("executor"},"annotations":{)" + annotations + R"("other":")" + number +
           R"("},"managedFields":[{"manager":"kubelet","fieldsV1":{"f:k:{\"name\":\"x\"}":{}},)"
           R"("time":")" +
           number + R"("}]},"spec":{"volumes":[{"name":"a","hostPath":{"path":"/x"}}],)" +
           R"("containers":[{"name":"spark","image":"spark:4.1","args":["executor"],"env":)"
           R"([{"name":"A","value":"}]\\\""}],"resources":{"requests":{"cpu":"4","memory":)"
           R"("9011Mi"}},"volumeMounts":[{"name":"a","mountPath":"/tmp"}]}],"nodeName":")" +
           node + R"(","schedulerName":"gang-scheduler","tolerations":[{"key":"k","operator":)" +
           R"("Exists"}]},"status":{"phase":"Running","conditions":[{"type":"Ready","status":)" +
           R"("True","lastProbeTime":")" + number +
           R"("},{"type":"PodScheduled","status":"True",)" +
           R"("lastTransitionTime":"2026-11-21T03:18:01Z"}],"containerStatuses":[{"restartCount":)" +
           number + R"(}]}})";
}

struct Receiver {
    explicit Receiver(VersionUseRule rule) : ingest(options(std::move(rule))) {}

    IngestOptions options(VersionUseRule rule) {
        IngestOptions made;
        made.version_use = std::move(rule);
        made.fingerprint_seed = 42;
        made.emit = [this](WatchEvent event) { seen.take(event); };
        return made;
    }

    void modified(const std::string& object) {
        REQUIRE(ingest.take_bytes(watching::event("MODIFIED", object)) == StreamOutcome::fine);
    }

    PageOutcome take_page(const std::string& body) {
        const auto opened = ingest.open_page(body);
        const auto* ended = std::get_if<PageOutcome>(&opened);
        return ended != nullptr ? *ended : ingest.take_items();
    }

    watching::Seen seen;
    Ingest ingest;
};

VersionUse never(const WatchDecoder::Object&) {
    return VersionUse::never;
}

const std::string uid = "0b1c2d3e-0000-4000-8000-0123456789ab";

using Log = std::vector<std::string>;

}  // namespace

TEST_CASE("ingest: an event that says nothing new is counted and dropped, the next news is not") {
    Receiver receiver(never);
    receiver.modified(running_pod("5", 1));
    receiver.modified(running_pod("6", 2));
    receiver.modified(running_pod("7", 3));
    CHECK(receiver.seen.log == Log{"+" + uid + "@5"});
    CHECK(receiver.ingest.events() == 3);
    CHECK(receiver.ingest.repeats() == 2);
    receiver.modified(running_pod("8", 3, "n2"));
    CHECK(receiver.seen.log.back() == "+" + uid + "@8");
    // Dropped, it has still moved the version: an older state comes too late.
    receiver.modified(running_pod("9", 4, "n2"));
    receiver.modified(running_pod("8", 4, "n3"));
    CHECK(receiver.seen.log.size() == 2);
    CHECK(receiver.ingest.repeats() == 3);
}

TEST_CASE("ingest: of an object whose version is used every state is told") {
    const auto rule = [](const WatchDecoder::Object& object) {
        const auto& pod = std::get<core::Pod>(object);
        if (!pod.annotations.empty()) return VersionUse::for_good;
        return pod.node_name.empty() ? VersionUse::now : VersionUse::never;
    };
    Receiver receiver(rule);
    receiver.modified(running_pod("5", 1, ""));
    receiver.modified(running_pod("6", 2, ""));
    CHECK(receiver.seen.log.size() == 2);
    receiver.modified(running_pod("7", 3, "n1"));
    CHECK(receiver.seen.log.size() == 3);
    receiver.modified(running_pod("8", 4, "n1"));
    CHECK(receiver.seen.log.size() == 3);
    // For good: also after the annotation has gone.
    receiver.modified(running_pod("9", 5, "n1", R"("gang-scheduler/reservation":"x",)"));
    receiver.modified(running_pod("10", 6, "n1"));
    receiver.modified(running_pod("11", 7, "n1"));
    CHECK(receiver.seen.log.size() == 6);
}

TEST_CASE("ingest: a list is told whole, and what it shows is known to the watch after it") {
    Receiver receiver(never);
    const std::string pod = running_pod("5", 1);
    REQUIRE(receiver.take_page(watching::list("9", {pod})) == PageOutcome::complete);
    receiver.modified(running_pod("10", 2));
    CHECK(receiver.ingest.repeats() == 1);
    receiver.ingest.reflector().ask_for_list();
    const std::string same = running_pod("10", 2);
    REQUIRE(receiver.take_page(watching::list("11", {same})) == PageOutcome::complete);
    const Log wanted = {"begin", "+" + uid + "@5", "end", "begin", "+" + uid + "@10", "end"};
    CHECK(receiver.seen.log == wanted);
}

TEST_CASE("ingest: a list's item without kind and a watch's object with it are the same state") {
    Receiver receiver(never);
    std::string item = running_pod("5", 1);
    const std::string kind = R"("kind":"Pod","apiVersion":"v1",)";
    item.erase(item.find(kind), kind.size());
    REQUIRE(receiver.take_page(watching::list("9", {item})) == PageOutcome::complete);
    receiver.modified(running_pod("10", 1));
    CHECK(receiver.ingest.repeats() == 1);
}

TEST_CASE("ingest: a deletion is never taken for a repeat") {
    Receiver receiver(never);
    receiver.modified(running_pod("5", 1));
    const std::string line = watching::event("DELETED", running_pod("6", 1));
    REQUIRE(receiver.ingest.take_bytes(line) == StreamOutcome::fine);
    CHECK(receiver.seen.log.back() == "-" + uid);
    CHECK(receiver.seen.pods.empty());
}

TEST_CASE("ingest: a page that breaks in the middle has told the truth, and deletes nothing") {
    Receiver receiver(never);
    using watching::pod;
    const auto first = watching::list("9", {pod("a", "1", "3"), pod("b", "2", "4")});
    REQUIRE(receiver.take_page(first) == PageOutcome::complete);
    receiver.ingest.reflector().ask_for_list();
    std::string broken;
    SUBCASE("an item that is no object") {
        broken = watching::list("20", {pod("c", "3", "15"), "7", pod("d", "4", "16")});
    }
    SUBCASE("an item that is no pod") {
        broken = watching::list("20", {pod("c", "3", "15"), "{}", pod("d", "4", "16")});
    }
    SUBCASE("an item that is not JSON") {
        broken = watching::list("20", {pod("c", "3", "15"), R"({"metadata":{"name":x}})"});
    }
    REQUIRE(receiver.take_page(broken) == PageOutcome::broken);
    receiver.ingest.reflector().on_list_failed({}, 0, 0);
    CHECK_FALSE(receiver.ingest.reflector().is_synced());
    const auto whole = watching::list("21", {pod("b", "2", "4"), pod("c", "3", "15")});
    REQUIRE(receiver.take_page(whole) == PageOutcome::complete);
    const Log wanted = {
        "begin", "+1@3", "+2@4", "end", "begin", "+3@15", "+2@4", "+3@15", "-1", "end"};
    CHECK(receiver.seen.log == wanted);
    CHECK(receiver.seen.pods.size() == 2);
}

TEST_CASE("ingest: what ends inside a character is not read past its end") {
    for (const std::string end : {"\xF1", "\xF1.", "\xE1", "\xC3"}) {
        Receiver receiver(never);
        const std::string text = R"({"kind":"Pod","metadata":{"name":")" + end;
        CHECK(receiver.take_page(text) == PageOutcome::unreadable);
        CHECK(receiver.ingest.take_bytes(text + "\n") == StreamOutcome::garbage);
        CHECK_FALSE(decode_watch_line(WatchKind::pods, text));
    }
}

TEST_CASE(
    "ingest: a page that is cut off is no page before its items, and deletes nothing behind") {
    using watching::pod;
    const std::string whole = watching::list("9", {pod("a", "1", "3"), pod("b", "2", "4")});
    const std::size_t items = whole.find('[');
    const Log wanted = {"begin", "+9@1", "end"};
    for (std::size_t size = 0; size < whole.size(); ++size) {
        Receiver receiver(never);
        const auto before = watching::list("2", {pod("c", "9", "1")});
        REQUIRE(receiver.take_page(before) == PageOutcome::complete);
        receiver.ingest.reflector().ask_for_list();
        const PageOutcome outcome = receiver.take_page(whole.substr(0, size));
        CHECK(outcome == (size <= items ? PageOutcome::unreadable : PageOutcome::broken));
        if (size <= items) CHECK(receiver.seen.log == wanted);
        CHECK(receiver.seen.pods.count("9") == 1);
    }
}

TEST_CASE(
    "ingest: what stands behind a list's items is read as well, and where they stand is free") {
    const std::string pod = watching::pod("a", "1", "3");
    const std::string items = R"("items":[)" + pod + "]";
    const std::string kind = R"("kind":"PodList","apiVersion":"v1")";
    const std::string metadata = R"("metadata":{"resourceVersion":"9"})";
    for (const std::string& good :
         {"{" + kind + "," + metadata + "," + items + "}",
          "{" + kind + "," + items + "," + metadata + "}",
          "{" + items + "," + kind + "," + metadata + "} \n",
          "{" + metadata + "," + kind + "," + items +
              R"( , "items":[7],"metadata":{},"x":"\u0041"})",
          "{" + kind + "," + kind + "," + items + "," + metadata + "}"}) {
        CAPTURE(good);
        Receiver receiver(never);
        CHECK(receiver.take_page(good) == PageOutcome::complete);
        CHECK(receiver.seen.log == Log{"begin", "+1@3", "end"});
    }
    const std::string head = "{" + kind + "," + metadata + "," + items;
    for (const std::string behind :
         {"",
          ",}",
          "]",
          "} x",
          "}}",
          R"(,"x")",
          R"(,"x":})",
          R"(,"x":"\x"})",
          R"(,"x":[}})",
          "}\x01"}) {
        CAPTURE(behind);
        Receiver receiver(never);
        CHECK(receiver.take_page(head + behind) == PageOutcome::broken);
        CHECK(receiver.seen.log == Log{"begin", "+1@3"});
    }
    Receiver receiver(never);
    CHECK(receiver.take_page(head + std::string("}\0", 2)) == PageOutcome::broken);
}

#if defined(__SANITIZE_ADDRESS__)
// Of the sanitizer's run time; its header is not installed with every compiler.
extern "C" int __sanitizer_install_malloc_and_free_hooks(
    void (*on_malloc)(const volatile void*, std::size_t), void (*on_free)(const volatile void*));

namespace {

std::size_t allocations = 0;
bool counting = false;

void count_allocation(const volatile void*, std::size_t) {
    if (counting) ++allocations;
}
void ignore_free(const volatile void*) {}

}  // namespace

TEST_CASE("ingest: an event that says nothing new allocates nothing") {
    static const int installed =
        __sanitizer_install_malloc_and_free_hooks(count_allocation, ignore_free);
    REQUIRE(installed != 0);
    Receiver receiver(never);
    std::vector<std::string> lines;
    for (int i = 0; i < 40; ++i) {
        lines.push_back(watching::event("MODIFIED", running_pod(std::to_string(100 + i), i)));
    }
    const auto take = [&](std::size_t from, std::size_t to) {
        bool fine = true;
        for (std::size_t i = from; i < to; ++i) {
            fine = receiver.ingest.take_bytes(lines[i]) == StreamOutcome::fine && fine;
        }
        return fine;
    };
    REQUIRE(take(0, 20));
    allocations = 0;
    counting = true;
    const bool fine = take(20, 40);
    counting = false;
    CHECK(fine);
    CHECK(allocations == 0);
    CHECK(receiver.ingest.repeats() == 39);
}
#endif
