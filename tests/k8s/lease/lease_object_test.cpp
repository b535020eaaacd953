#include "k8s/lease/lease_object.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace k8s;

namespace {

ElectorOptions lease_options() {
    ElectorOptions options;
    options.namespace_name = "spark";
    options.identity = "us";
    return options;
}

bool body_has(const Request& request, const std::string& text) {
    return request.body.find(text) != std::string::npos;
}

const char* const lease_path = "/apis/coordination.k8s.io/v1/namespaces/spark/leases";

}  // namespace

TEST_CASE("lease object: it is made in its collection and renewed in its place") {
    const ElectorOptions options = lease_options();
    const protocol::Election election{protocol::ElectionOptions{}};
    const LeaseObject lease(options);
    const Request made = lease.write(protocol::CreateLease{}, election);
    CHECK(made.method == "POST");
    CHECK(made.target == lease_path);
    CHECK(body_has(made, R"("holderIdentity":"us")"));
    const Request renewed = lease.write(protocol::UpdateLease{"7", 3, false}, election);
    CHECK(renewed.method == "PUT");
    CHECK(renewed.target == std::string(lease_path) + "/gang-scheduler");
    CHECK(body_has(renewed, R"("resourceVersion":"7")"));
}

TEST_CASE("lease object: labels of others stay, also when it is given up") {
    const ElectorOptions options = lease_options();
    const protocol::Election election{protocol::ElectionOptions{}};
    LeaseObject lease(options);
    lease.note_json(
        R"({"kind":"Lease","metadata":{"name":"gang-scheduler","labels":{"team":"data"}},"spec":{}})");
    const protocol::UpdateLease update{"7", 3, false};
    CHECK(body_has(lease.write(update, election), R"("team":"data")"));
    const Request released = lease.release(update, election, false);
    CHECK(body_has(released, R"("team":"data")"));
    CHECK_FALSE(body_has(released, R"("holderIdentity":"us")"));
    CHECK_FALSE(body_has(lease.write(protocol::CreateLease{}, election), "team"));
}

TEST_CASE("lease object: a watch is of the one name, from a version on") {
    const ElectorOptions options = lease_options();
    const LeaseObject lease(options);
    CHECK(
        lease.watch("42", 301).target ==
        std::string(lease_path) +
            "?watch=true&fieldSelector=metadata.name%3Dgang-scheduler&resourceVersion=42"
            "&timeoutSeconds=301");
}
