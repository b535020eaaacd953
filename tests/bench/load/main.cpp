// gang-load: the load generator and the judge of the benches. It sends a script (script.hpp) from
// standard input over keep-alive connections as fast as the API server answers, and stamps, by a
// watch, when each pod became bound. With a script of Bindings it is the raw binder: what the plane
// can do at most.
//
// It says `watching` when its watches are open, and one line of JSON (report.hpp) at the end.
// Exit code 1: something broke, or --timeout has passed.

#include "tests/bench/load/listing.hpp"
#include "tests/bench/load/pod_watch.hpp"
#include "tests/bench/load/report.hpp"
#include "tests/bench/load/sender.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/program_options.hpp>

#include <chrono>
#include <iostream>
#include <stdexcept>

namespace {

namespace po = boost::program_options;
namespace asio = boost::asio;

struct Options {
    std::string kubeconfig;
    int connections = 16;
    std::string watch;
    int idle_watches = 0;
    std::size_t until_bound = 0;
    int timeout_s = 120;
    bool pods = false;
    std::string list;
    int page = 500;
};

po::options_description described(Options& o) {
    po::options_description all("gang-load [options] < script");
    auto add = all.add_options();
    add("kubeconfig", po::value(&o.kubeconfig)->required(), "of the API server");
    add("connections", po::value(&o.connections), "keep-alive connections that send");
    add("watch", po::value(&o.watch), "path of the pods to watch");
    add("idle-watches", po::value(&o.idle_watches), "more watches of all pods, thrown away");
    add("until-bound", po::value(&o.until_bound), "ends when the watch has shown so many bound");
    add("timeout", po::value(&o.timeout_s), "seconds; then it has failed");
    add("pods", po::bool_switch(&o.pods), "every pod's stamps in the answer");
    add("list", po::value(&o.list), "instead: read this list once, page by page, as bytes");
    add("page", po::value(&o.page), "objects per page of --list");
    add("help", "");
    return all;
}

class Run {
public:
    Run(const Options& options, const load::Target& target, load::Script script)
        : options_(options), sender_(io_, target, std::move(script)) {
        if (options.watch.empty()) return;
        load::PodWatchOptions watch;
        watch.path = options.watch;
        watch.idle_watches = options.idle_watches;
        watch.bound = [this](std::string name) {
            asio::post(io_, [this, name = std::move(name)] { on_bound(name); });
        };
        watch.failed = [this](std::exception_ptr why) {
            asio::post(io_, [why] { std::rethrow_exception(why); });
        };
        watch_.emplace(target, std::move(watch));
    }

    std::string operator()() {
        if (watch_) {
            watch_->start();
            std::cout << "watching" << std::endl;
        }
        sender_.start(options_.connections);
        const auto deadline =
            std::chrono::steady_clock::now() + std::chrono::seconds(options_.timeout_s);
        const auto guard = asio::make_work_guard(io_);
        while (!is_done()) {
            if (io_.run_one_until(deadline) == 0) throw std::runtime_error(unfinished());
        }
        if (watch_) watch_->stop();
        static const std::map<std::string, load::SeenPod> nothing;
        return load::to_json(sender_.sent(), watch_ ? watch_->pods() : nothing, options_.pods);
    }

private:
    void on_bound(const std::string& name) {
        ++bound_;
        sender_.pod_bound(name);
    }

    bool is_done() const { return sender_.is_done() && bound_ >= options_.until_bound; }

    std::string unfinished() const {
        return "after " + std::to_string(options_.timeout_s) + " s: " + std::to_string(bound_) +
               " bound, " + std::to_string(sender_.sent().latencies_us.size()) + " answered " +
               sender_.sent().refusal;
    }

    Options options_;
    asio::io_context io_{1};
    load::Sender sender_;
    std::optional<load::PodWatch> watch_;
    std::size_t bound_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    Options options;
    const auto described_options = described(options);
    try {
        po::variables_map values;
        po::store(po::parse_command_line(argc, argv, described_options), values);
        if (values.count("help") != 0) {
            std::cout << described_options;
            return 0;
        }
        po::notify(values);
        const load::Target target = load::Target::read(options.kubeconfig);
        if (!options.list.empty()) {
            std::cout << load::read_list(target, options.list, options.page) << std::endl;
            return 0;
        }
        Run run(options, target, load::read_script(std::cin));
        std::cout << run() << std::endl;
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "gang-load: " << error.what() << '\n';
        return 1;
    }
}
