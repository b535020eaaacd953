#include "gang/model/pod/recent_constraints.hpp"

#include <doctest/doctest.h>

#include <string>

TEST_CASE("recent constraints: equal ones of the last few pods are one") {
    const auto tolerating = [](const std::string& key) {
        core::Pod pod;
        pod.constraints.edit().node_selector = {{key, "yes"}};
        return pod;
    };
    gang::RecentConstraints recent;
    core::Pod first = tolerating("ssd");
    core::Pod second = tolerating("ssd");
    recent.share(first);
    CHECK(&*first.constraints != &*second.constraints);
    recent.share(second);
    CHECK(&*first.constraints == &*second.constraints);
    for (const char* key : {"a", "b", "c", "d"}) {
        core::Pod other = tolerating(key);
        recent.share(other);
    }
    core::Pod late = tolerating("ssd");  // the first is none of the last few any more
    recent.share(late);
    CHECK(&*late.constraints != &*first.constraints);
}
