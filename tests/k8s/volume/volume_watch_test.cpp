// The watch of persistent volumes against a server that plays the API server.
#include "k8s/volume/volume_watch.hpp"

#include "tests/k8s/fake_server.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

using namespace k8s;

namespace {

std::string volume(const std::string& name, const std::string& phase = "Available") {
    return R"({"metadata":{"name":")" + name + R"("},"spec":{"storageClassName":"local"},)" +
           R"("status":{"phase":")" + phase + R"("}})";
}

std::string line(const std::string& type, const std::string& object) {
    return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

struct VolumeRig {
    VolumeRig()
        : server([this](fake::Peer& peer, const fake::Request& request) { handle(peer, request); }) {
        VolumeWatchOptions options;
        options.pause_ms_min = 1;
        options.pause_ms_max = 5;
        options.known = [this] { ++lists; };
        options.notice = [this](NoticeLevel, const std::string& text) { notices.push_back(text); };
        options.changed = [this](const VolumeObject& one) { changed.push_back(one.name); };
        watch = std::make_unique<VolumeWatch>(io, server.endpoint(), options);
    }
    ~VolumeRig() {
        watch->stop();
        watch.reset();
        io.restart();
        io.run_for(std::chrono::seconds(1));
        CHECK(io.stopped());
    }
    void handle(fake::Peer& peer, const fake::Request& request) {
        if (status != 200) return peer.reply(status, fake::status_body(status, "No", "not now"));
        if (request.target.find("watch=true") == std::string::npos) {
            const bool is_first = request.target.find("continue=") == std::string::npos;
            return peer.reply(
                200,
                R"({"metadata":{"resourceVersion":"1","continue":")" +
                    std::string(is_first ? "more" : "") + R"("},"items":[)" +
                    (is_first ? volume("v1") + "," + volume("used", "Bound") : volume("v2")) + "]}");
        }
        if (is_list_all) return peer.reply(403, fake::status_body(403, "Forbidden", "no watch"));
        peer.begin_chunks();
        peer.chunk(line("MODIFIED", volume("v1", "Bound")) + line("ADDED", volume("v3")));
        peer.chunk(line("DELETED", volume("v2")) + line("ADDED", volume("v4", "Pending")));
        if (ends) return peer.end_chunks();
        peer.hold();
    }
    std::string names() const {
        std::string text;
        for (const auto& [name, one] : watch->volumes()) text += name + " ";
        return text;
    }

    std::atomic<int> status = 200;
    std::atomic<bool> ends = false;
    std::atomic<bool> is_list_all = false;  ///< that we may do
    std::vector<std::string> notices;
    int lists = 0;
    std::vector<std::string> changed;
    boost::asio::io_context io;
    fake::Server server;
    std::unique_ptr<VolumeWatch> watch;
};

}  // namespace

TEST_CASE("volume watch: those that are nobody's, of all pages, then what changes") {
    VolumeRig rig;
    CHECK_FALSE(rig.watch->is_known());
    rig.watch->start();
    fake::run_until(rig.io, [&] { return rig.changed.size() == 6; });
    CHECK(rig.changed == std::vector<std::string>{"v1", "v2", "v1", "v3", "v2", "v4"});
    CHECK(rig.names() == "v3 v4 ");
    CHECK(rig.watch->problem().empty());
    CHECK(rig.lists == 1);
}

TEST_CASE("volume watch: a list that fails is known as such, and tried again") {
    for (const int status : {403, 500}) {
        VolumeRig rig;
        rig.status = status;
        rig.watch->start();
        fake::run_until(rig.io, [&] { return rig.lists > 0; });
        CHECK(rig.watch->is_known());
        CHECK(rig.watch->problem() == "not now");
        rig.status = 200;
        fake::run_until(rig.io, [&] { return rig.watch->problem().empty(); });
    }
}

TEST_CASE("volume watch: who may list and not watch lists again and again, and says so once") {
    VolumeRig rig;
    rig.is_list_all = true;
    rig.watch->start();
    fake::run_until(rig.io, [&] { return rig.lists == 4; });
    CHECK(rig.names() == "v1 v2 ");
    CHECK(rig.watch->problem().empty());
    REQUIRE(rig.notices.size() == 1);
    CHECK(
        rig.notices[0] ==
        "watch=persistentvolumes problem=\"no watch; they are listed every 0 s instead: grant the "
        "scheduler watch on persistentvolumes\"");
    rig.is_list_all = false;  // it is granted
    fake::run_until(rig.io, [&] { return rig.names() == "v3 v4 "; });
    CHECK(rig.notices.size() == 1);
}

TEST_CASE("volume watch: who may not list says once what follows, however often it is refused") {
    VolumeRig rig;
    rig.status = 403;
    rig.watch->start();
    fake::run_until(rig.io, [&] { return rig.lists > 0; });
    rig.io.restart();
    rig.io.run_for(std::chrono::milliseconds(50));
    REQUIRE(rig.notices.size() == 1);
    CHECK(rig.notices[0].find("not now; no claim gets a volume that is there") != std::string::npos);
}

TEST_CASE("volume watch: after another list only what differs is told") {
    VolumeRig rig;
    rig.ends = true;
    rig.watch->start();
    fake::run_until(rig.io, [&] { return rig.lists == 2; });
    // v3 and v4 have come by the watch and are not in the second list; v1 and v2 are again.
    const std::vector<std::string> second(rig.changed.begin() + 6, rig.changed.begin() + 10);
    CHECK(second == std::vector<std::string>{"v3", "v4", "v1", "v2"});
}

TEST_CASE("volume watch: a state that was read counts, and is told to nobody") {
    VolumeRig rig;
    VolumeObject taken;
    taken.name = "v";
    rig.watch->note(taken);
    CHECK(rig.names() == "v ");
    taken.is_used = true;
    rig.watch->note(taken);
    CHECK(rig.names().empty());
    CHECK(rig.changed.empty());
}
