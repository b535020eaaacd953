// Claims, volumes, storage classes, and what CSI drivers say, by their verbs.
#include "rig.hpp"

using rig::Answer;
using rig::at;
using rig::Json;
using rig::Server;

namespace {

const std::string claims = "/api/v1/namespaces/default/persistentvolumeclaims";
const std::string volumes = "/api/v1/persistentvolumes";
const std::string classes = "/apis/storage.k8s.io/v1/storageclasses";
const std::string csi_nodes = "/apis/storage.k8s.io/v1/csinodes";

/// `more` goes into the spec.
Answer claim(Server& server, const std::string& name, const std::string& more = {}) {
    return server.post(
        claims,
        R"({"metadata":{"name":")" + name + R"("},"spec":{"accessModes":["ReadWriteOnce"],)" +
            R"("resources":{"requests":{"storage":"1024Mi"}})" + more + "}}");
}

std::string volume(const std::string& name, const std::string& source) {
    return R"({"metadata":{"name":")" + name + R"("},"spec":{"accessModes":["ReadWriteOnce"],)" +
           R"("capacity":{"storage":"1Gi"},)" + source + "}}";
}

/// `more` goes beside the provisioner.
Answer storage_class(Server& server, const std::string& name, const std::string& more = {}) {
    return server.post(
        classes,
        R"({"metadata":{"name":")" + name + R"("},"provisioner":"example.com/p")" + more + "}");
}

Answer bind(Server& server, const std::string& name) {
    server.merge(claims + "/" + name, R"({"spec":{"volumeName":"v"}})");
    return server.call(
        "PATCH",
        claims + "/" + name + "/status",
        R"({"status":{"phase":"Bound","capacity":{"storage":"1Gi"}}})",
        "application/merge-patch+json");
}

bool complains(const Answer& answer, const std::string& field) {
    CHECK(answer.status == 422);
    return answer.message().find(field) != std::string::npos;
}

}  // namespace

TEST_CASE("claims: a new one is pending, and its amount is spelled in one way") {
    Server server;
    const auto made = claim(server, "a");
    CHECK(made.status == 201);
    CHECK(at(made.body, {"status", "phase"}) == Json("Pending"));
    CHECK(at(made.body, {"spec", "volumeMode"}) == Json("Filesystem"));
    CHECK(at(made.body, {"spec", "resources", "requests", "storage"}) == Json("1Gi"));
    CHECK(at(made.body, {"spec", "storageClassName"}).is_null());
}

TEST_CASE("claims: who names no class gets the newest default one, the empty name stays") {
    Server server;
    const std::string mark =
        R"({"metadata":{"annotations":{"storageclass.kubernetes.io/is-default-class":"true"}}})";
    for (const char* name : {"old", "plain", "b", "a"}) {
        CHECK(storage_class(server, name).status == 201);
        if (std::string(name) == "old") server.now_ms += 1000;
    }
    for (const char* name : {"old", "b", "a"}) {
        CHECK(server.merge(classes + "/" + name, mark).status == 200);
    }
    const auto chosen = [&](const std::string& name, const std::string& more) {
        return at(claim(server, name, more).body, {"spec", "storageClassName"});
    };
    CHECK(chosen("none", "") == Json("a"));
    CHECK(chosen("empty", R"(,"storageClassName":"")") == Json(""));
    CHECK(chosen("plain", R"(,"storageClassName":"plain")") == Json("plain"));
}

TEST_CASE("claims: what one must have") {
    Server server;
    const auto post = [&](const std::string& spec) {
        return server.post(claims, R"({"metadata":{"name":"x"},"spec":)" + spec + "}");
    };
    const std::string amount = R"("resources":{"requests":{"storage":"1Gi"}})";
    CHECK(complains(post("{" + amount + "}"), "spec.accessModes: Required value"));
    CHECK(complains(
        post(R"({"accessModes":["Sometimes"],)" + amount + "}"),
        "Unsupported value: \"Sometimes\""));
    CHECK(complains(
        post(R"({"accessModes":["ReadWriteOnce","ReadWriteOncePod"],)" + amount + "}"),
        "spec.accessModes: Forbidden"));
    CHECK(complains(post(R"({"accessModes":["ReadWriteOnce"]})"), "spec.resources[storage]"));
    CHECK(complains(
        post(R"({"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"0"}}})"),
        "must be greater than zero"));
    CHECK(complains(
        post(R"({"accessModes":["ReadWriteOnce"],"volumeMode":"Tape",)" + amount + "}"),
        "spec.volumeMode"));
}

TEST_CASE("claims: the spec stays, the volume is named once, a status is not part of the spec") {
    Server server;
    claim(server, "a");
    const std::string path = claims + "/a";
    CHECK(
        complains(server.merge(path, R"({"spec":{"accessModes":["ReadOnlyMany"]}})"), "immutable"));
    CHECK(complains(
        server.merge(path, R"({"spec":{"resources":{"requests":{"storage":"2Gi"}}}})"),
        "immutable"));
    CHECK(server.merge(path, R"({"spec":{"storageClassName":"late"}})").status == 200);
    CHECK(complains(server.merge(path, R"({"spec":{"storageClassName":"other"}})"), "immutable"));
    CHECK(server.merge(path, R"({"metadata":{"annotations":{"k":"v"}}})").status == 200);
    const auto bound = bind(server, "a");
    CHECK(at(bound.body, {"status", "phase"}) == Json("Bound"));
    CHECK(at(bound.body, {"spec", "volumeName"}) == Json("v"));
    CHECK(complains(server.merge(path, R"({"spec":{"volumeName":"w"}})"), "immutable"));
    const auto ignored = server.merge(path, R"({"status":{"phase":"Lost"}})");
    CHECK(at(ignored.body, {"status", "phase"}) == Json("Bound"));
}

TEST_CASE("claims: a bound one grows where its class allows it, and never shrinks") {
    Server server;
    storage_class(server, "fixed");
    storage_class(server, "grows", R"(,"allowVolumeExpansion":true)");
    const auto resize = [&](const std::string& name, const std::string& amount) {
        return server.merge(
            claims + "/" + name,
            R"({"spec":{"resources":{"requests":{"storage":")" + amount + "\"}}}}");
    };
    for (const std::string name : {"fixed", "grows"}) {
        claim(server, name, R"(,"storageClassName":")" + name + "\"");
        bind(server, name);
    }
    const auto refused = resize("fixed", "2Gi");
    CHECK(refused.status == 403);
    CHECK(
        refused.message().find("only dynamically provisioned pvc can be resized") !=
        std::string::npos);
    CHECK(resize("grows", "2Gi").status == 200);
    CHECK(complains(resize("grows", "1Gi"), "field can not be less than status.capacity"));
    CHECK(resize("grows", "1500Mi").status == 200);
}

TEST_CASE("volumes: defaults, and the time of the last change of phase") {
    Server server;
    const auto made = server.post(volumes, volume("v", R"("hostPath":{"path":"/x"})"));
    CHECK(made.status == 201);
    CHECK(at(made.body, {"spec", "persistentVolumeReclaimPolicy"}) == Json("Retain"));
    CHECK(at(made.body, {"spec", "hostPath", "type"}) == Json(""));
    CHECK(at(made.body, {"status", "phase"}) == Json("Pending"));
    const Json born = at(made.body, {"metadata", "creationTimestamp"});
    CHECK(at(made.body, {"status", "lastPhaseTransitionTime"}) == born);
    server.now_ms += 5000;
    const auto status = [&](const std::string& text) {
        const auto answer =
            server.call("PATCH", volumes + "/v/status", text, "application/merge-patch+json");
        CHECK(answer.status == 200);
        return at(answer.body, {"status", "lastPhaseTransitionTime"});
    };
    CHECK(status(R"({"status":{"message":"m"}})") == born);
    CHECK(status(R"({"status":{"lastPhaseTransitionTime":null}})") == born);
    const Json later = status(R"({"status":{"phase":"Available"}})");
    CHECK(later != born);
    CHECK(
        status(
            R"({"status":{"phase":"Bound","lastPhaseTransitionTime":"2026-01-02T03:04:05Z"}})") ==
        Json("2026-01-02T03:04:05Z"));
}

TEST_CASE("volumes: one source, an amount, and nodes that can reach it") {
    Server server;
    const auto post = [&](const std::string& source) {
        return server.post(volumes, volume("x", source));
    };
    CHECK(complains(post(R"("volumeMode":"Block")"), "must specify a volume type"));
    CHECK(complains(
        post(R"("hostPath":{"path":"/x"},"csi":{"driver":"d","volumeHandle":"h"})"),
        "spec.csi: Forbidden"));
    CHECK(complains(post(R"("hostPath":{"path":"/a/../b"})"), "must not contain '..'"));
    CHECK(complains(post(R"("csi":{"driver":"d"})"), "spec.csi.volumeHandle: Required value"));
    CHECK(complains(post(R"("local":{"path":"/x"})"), "Local volume requires node affinity"));
    CHECK(complains(
        post(R"("hostPath":{"path":"/x"},"nodeAffinity":{})"), "spec.nodeAffinity.required"));
    CHECK(complains(
        post(R"("hostPath":{"path":"/x"},"nodeAffinity":{"required":{"nodeSelectorTerms":[]}})"),
        "at least one node selector term"));
    CHECK(complains(
        server.post(
            volumes,
            R"({"metadata":{"name":"x"},"spec":{"accessModes":["ReadWriteOnce"],)"
            R"("capacity":{"cpu":"1"},"hostPath":{"path":"/x"}}})"),
        "spec.capacity: Unsupported value"));
}

TEST_CASE("volumes: neither the source nor the nodes that reach it change, the claim does") {
    Server server;
    const std::string zone =
        R"("nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[)"
        R"({"key":"zone","operator":"In","values":["a"]}]}]}})";
    CHECK(server.post(volumes, volume("v", R"("hostPath":{"path":"/x"},)" + zone)).status == 201);
    const std::string path = volumes + "/v";
    CHECK(complains(
        server.merge(path, R"({"spec":{"hostPath":{"path":"/y"}}})"),
        "spec.persistentvolumesource"));
    CHECK(complains(server.merge(path, R"({"spec":{"nodeAffinity":null}})"), "nodeAffinity"));
    CHECK(
        server.merge(path, R"({"spec":{"claimRef":{"name":"c","namespace":"default"}}})").status ==
        200);
    const auto policy = R"({"spec":{"persistentVolumeReclaimPolicy":"Delete"}})";
    CHECK(server.merge(path, policy).status == 200);
}

TEST_CASE("storage classes: a provisioner, defaults, and what may change") {
    Server server;
    const auto made = storage_class(server, "c");
    CHECK(made.body.text({"reclaimPolicy"}) == "Delete");
    CHECK(made.body.text({"volumeBindingMode"}) == "Immediate");
    CHECK(complains(server.post(classes, R"({"metadata":{"name":"x"}})"), "provisioner: Required"));
    CHECK(complains(
        storage_class(server, "x", R"(,"volumeBindingMode":"Later")"), "volumeBindingMode"));
    CHECK(complains(storage_class(server, "x", R"(,"reclaimPolicy":"Recycle")"), "reclaimPolicy"));
    CHECK(complains(
        storage_class(
            server, "x", R"(,"allowedTopologies":[{"matchLabelExpressions":[{"key":"zone"}]}])"),
        "allowedTopologies[0].matchLabelExpressions[0].values"));
    const std::string path = classes + "/c";
    CHECK(complains(server.merge(path, R"({"provisioner":"other"})"), "provisioner"));
    CHECK(complains(server.merge(path, R"({"parameters":{"a":"b"}})"), "parameters"));
    CHECK(server.merge(path, R"({"allowVolumeExpansion":true})").status == 200);
}

TEST_CASE("CSINodes: drivers by name, of which only the count changes, and no blind update") {
    Server server;
    const auto body = [](const std::string& drivers) {
        return R"({"metadata":{"name":"n"},"spec":{"drivers":[)" + drivers + "]}}";
    };
    const std::string driver = R"({"name":"d","nodeID":"i","topologyKeys":["zone"]})";
    CHECK(complains(server.post(csi_nodes, body(R"({"name":"d"})")), "spec.drivers[0].nodeID"));
    CHECK(complains(server.post(csi_nodes, body(driver + "," + driver)), "spec.drivers[1].name"));
    CHECK(server.post(csi_nodes, body(driver)).status == 201);
    const std::string path = csi_nodes + "/n";
    const auto strategic = [&](const std::string& drivers) {
        return server.call(
            "PATCH",
            path,
            R"({"spec":{"drivers":[)" + drivers + "]}}",
            "application/strategic-merge-patch+json");
    };
    CHECK(strategic(R"({"name":"d","allocatable":{"count":5}})").status == 200);
    CHECK(complains(strategic(R"({"name":"d","nodeID":"j"})"), "spec.drivers"));
    const auto two = strategic(R"({"name":"e","nodeID":"i"})");
    CHECK(at(two.body, {"spec", "drivers"}).items().size() == 2);
    CHECK(complains(server.call("PUT", path, body(driver)), "must be specified for an update"));
    CHECK(server.remove(path).body.text({"kind"}) == "CSINode");
}

TEST_CASE("CSIDrivers, what they have left, and attachments: defaults, and what may change") {
    Server server;
    const std::string storage = "/apis/storage.k8s.io/v1";
    const std::string drivers = storage + "/csidrivers";
    const auto made = server.post(
        drivers, R"({"metadata":{"name":"d.example.com"},"spec":{"storageCapacity":true}})");
    CHECK(made.status == 201);
    CHECK(at(made.body, {"spec", "storageCapacity"}) == Json(true));
    CHECK(at(made.body, {"spec", "attachRequired"}) == Json(true));
    CHECK(at(made.body, {"spec", "volumeLifecycleModes"}).items().size() == 1);
    CHECK(complains(server.post(drivers, R"({"metadata":{"name":"e"},"spec":{"fsGroupPolicy":"x"}})"), "fsGroupPolicy"));
    const std::string capacities = storage + "/namespaces/default/csistoragecapacities";
    const auto left = server.post(
        capacities,
        R"({"metadata":{"name":"c"},"storageClassName":"fast","nodeTopology":{},"capacity":"1024Mi"})");
    CHECK(left.status == 201);
    CHECK(at(left.body, {"capacity"}) == Json("1Gi"));
    CHECK(complains(server.post(capacities, R"({"metadata":{"name":"x"}})"), "storageClassName"));
    CHECK(server.merge(capacities + "/c", R"({"capacity":"5Gi"})").status == 200);
    CHECK(complains(server.merge(capacities + "/c", R"({"storageClassName":"slow"})"), "storageClassName"));
    const std::string attachments = storage + "/volumeattachments";
    const std::string spec =
        R"({"attacher":"d.example.com","nodeName":"n","source":{"persistentVolumeName":"v"}})";
    const auto attached =
        server.post(attachments, R"({"metadata":{"name":"a"},"spec":)" + spec + "}");
    CHECK(attached.status == 201);
    CHECK(at(attached.body, {"status", "attached"}) == Json(false));
    CHECK(complains(server.merge(attachments + "/a", R"({"spec":{"nodeName":"m"}})"), "spec"));
    CHECK(complains(
        server.post(attachments, R"({"metadata":{"name":"b"},"spec":{"attacher":"d","nodeName":"n"}})"),
        "spec.source"));
}
