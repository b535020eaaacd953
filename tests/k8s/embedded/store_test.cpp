#include "k8s/embedded/store/store.hpp"

#include "k8s/embedded/query/continue_token.hpp"
#include "k8s/embedded/store/json_tools.hpp"

#include <doctest/doctest.h>

using namespace k8s::embedded;

namespace {

const Kind& pods = core_kind("pods");

Json object(const std::string& space, const std::string& name, const std::string& color = "red") {
    Json made{Json::Object()};
    made["metadata"].set("name", name).set("namespace", space).set("uid", space + "/" + name);
    made["metadata"]["labels"].set("color", color);
    return made;
}

StoredPtr put(
    Store& store,
    const std::string& space,
    const std::string& name,
    const std::string& color = "red") {
    return store.put(pods, Key{space, name}, object(space, name, color));
}

std::vector<std::string> names(const Page& page) {
    std::vector<std::string> result;
    for (const auto& one : page.objects) {
        result.push_back(space_of(one->json) + "/" + name_of(one->json));
    }
    return result;
}

using Names = std::vector<std::string>;

bool is_red(const Json& json) {
    return json.text({"metadata", "labels", "color"}) == "red";
}

std::string next(Watch& watch) {
    const auto event = watch.next();
    if (!event) {
        return "-";
    }
    const std::string_view types = "AMD";
    return types[static_cast<std::size_t>(event->type)] + (":" + name_of(event->object->json)) +
           "@" + version_of(event->object->json);
}

}  // namespace

TEST_CASE("store: each write of any kind has its own, rising revision") {
    Store store;
    CHECK(version_of(put(store, "a", "x")->json) == "1");
    store.put(core_kind("nodes"), Key{"", "n"}, object("", "n"));
    CHECK(version_of(put(store, "a", "x")->json) == "3");
    CHECK(version_of(store.erase(pods, Key{"a", "x"})->json) == "4");
    CHECK(store.erase(pods, Key{"a", "x"}) == nullptr);
    CHECK(store.revision() == 4);
}

TEST_CASE("store: lists are in order of namespace and name, and keep to a namespace") {
    Store store;
    for (const auto* name : {"c", "a", "b"}) {
        put(store, "two", name);
        put(store, "one", name);
    }
    CHECK(
        names(*store.list(pods, PageRequest{})) ==
        Names{"one/a", "one/b", "one/c", "two/a", "two/b", "two/c"});
    CHECK(names(*store.list(pods, PageRequest{Scope{"two"}})) == Names{"two/a", "two/b", "two/c"});
    CHECK(store.list(pods, PageRequest{Scope{"on"}})->objects.empty());
}

TEST_CASE("store: the pages of a list show one moment, whatever is written between them") {
    Store store;
    for (const auto* name : {"a", "b", "c", "d"}) {
        put(store, "s", name);
    }
    PageRequest request{Scope{"s"}, 2};
    const auto first = store.list(pods, request);
    CHECK(names(*first) == Names{"s/a", "s/b"});
    CHECK(first->remaining == 2);
    REQUIRE(first->next);

    store.erase(pods, Key{"s", "c"});
    put(store, "s", "bb");
    put(store, "s", "d", "blue");
    request.at = first->revision;
    request.after = first->next;
    const auto second = store.list(pods, request);
    CHECK(names(*second) == Names{"s/c", "s/d"});
    CHECK(is_red(second->objects[1]->json));
    CHECK(second->revision == first->revision);
    CHECK_FALSE(second->next);
    CHECK(names(*store.list(pods, PageRequest{Scope{"s"}})) == Names{"s/a", "s/b", "s/bb", "s/d"});
}

TEST_CASE("store: a filter leaves no count of the rest, for that would be wrong") {
    Store store;
    for (const auto* name : {"a", "b", "c"}) {
        put(store, "s", name);
    }
    const auto page = store.list(pods, PageRequest{Scope{"s", is_red}, 1});
    CHECK(page->next);
    CHECK(page->remaining == 0);
}

TEST_CASE("store: a revision that the history has forgotten can neither be listed nor watched") {
    Store store(Limits{2});
    put(store, "s", "a");
    const auto old_revision = store.revision();
    const auto watch = store.watch(pods, Scope{}, old_revision);
    put(store, "s", "b");
    put(store, "s", "c");
    CHECK(store.list(pods, PageRequest{{}, 0, old_revision}));
    CHECK_FALSE(watch->is_expired());
    put(store, "s", "d");
    CHECK_FALSE(store.list(pods, PageRequest{{}, 0, old_revision}));
    CHECK(watch->is_expired());
    CHECK_FALSE(watch->next());
    CHECK(watch->compacted() == old_revision + 1);
    // Other kinds keep their own history.
    CHECK_FALSE(store.watch(core_kind("nodes"), Scope{}, old_revision)->is_expired());
}

TEST_CASE("store: what another server said before the first revision is expired") {
    Store store(Limits{4000, 100});
    CHECK_FALSE(store.watch(pods, Scope{}, 100)->is_expired());
    CHECK(store.watch(pods, Scope{}, 99)->is_expired());
    CHECK_FALSE(store.list(pods, PageRequest{{}, 0, 99}));
    put(store, "s", "a");
    CHECK(store.revision() == 101);
    CHECK(store.list(pods, PageRequest{})->objects.size() == 1);
}

TEST_CASE("store: a watch sees changes after its revision, in order") {
    Store store;
    put(store, "s", "a");
    const auto watch = store.watch(pods, Scope{"s"}, store.revision());
    int wakes = 0;
    watch->on_change([&] { ++wakes; });
    CHECK(next(*watch) == "-");
    put(store, "s", "b");
    put(store, "other", "z");
    put(store, "s", "b");
    store.erase(pods, Key{"s", "a"});
    CHECK(wakes == 4);
    CHECK(next(*watch) == "A:b@2");
    CHECK(next(*watch) == "M:b@4");
    CHECK(next(*watch) == "D:a@5");
    CHECK(next(*watch) == "-");
    store.put(core_kind("nodes"), Key{"", "n"}, object("", "n"));
    CHECK(next(*watch) == "-");
    CHECK(watch->position() == store.revision());
}

TEST_CASE("store: an object that begins or ceases to match arrives as added or deleted") {
    Store store;
    put(store, "s", "a", "blue");
    const auto watch = store.watch(pods, Scope{"", is_red}, store.revision());
    put(store, "s", "a", "red");
    CHECK(next(*watch) == "A:a@2");
    put(store, "s", "a", "blue");
    const auto left = watch->next();
    REQUIRE(left);
    CHECK(left->type == Watch::Type::deleted);
    CHECK(version_of(left->object->json) == "3");
    CHECK(is_red(left->object->json));
    store.erase(pods, Key{"s", "a"});
    CHECK(next(*watch) == "-");
}

TEST_CASE("store: objects are found by uid and by the uid of their owner") {
    Store store;
    put(store, "s", "owner");
    Json child = object("s", "child");
    Json reference{Json::Object()};
    reference.set("uid", "s/owner");
    child["metadata"].set("ownerReferences", Json::Array{reference});
    store.put(pods, Key{"s", "child"}, child);
    CHECK(store.find_uid("s/child")->key == Key{"s", "child"});
    REQUIRE(store.dependents("s/owner").size() == 1);
    CHECK(store.dependents("s/owner")[0].key == Key{"s", "child"});
    put(store, "s", "child");
    CHECK(store.dependents("s/owner").empty());
    store.erase(pods, Key{"s", "owner"});
    CHECK_FALSE(store.find_uid("s/owner"));
}

TEST_CASE("continue token: comes back as it was, other text is refused") {
    const ListPlace place{42, Key{"space", "name-1"}};
    CHECK(read_token(write_token(place)) == place);
    for (const auto* text : {"", "x", "!!!", "e30", "bm90IGpzb24"}) {
        CAPTURE(text);
        CHECK_FALSE(read_token(text));
    }
}
