// gang-scale NODES PODS WAITING [SEED]: one life of one engine, see life.hpp. Half of the pods are
// of others. One line of JSON.

#include "tests/bench/scale/life.hpp"

#include <fmt/format.h>

#include <exception>
#include <iostream>
#include <string>

namespace {

std::string to_json(const scale::Size& size, const scale::Life& life) {
    std::string time;
    for (const auto& [kind, spent] : life.time) {
        time += fmt::format(
            R"({}"{}":{{"count":{},"ns":{:.1f}}})",
            time.empty() ? "" : ",",
            kind,
            spent.count,
            spent.ns / static_cast<double>(spent.count));
    }
    std::string bytes;
    for (const auto& [thing, each] : life.bytes) {
        bytes += fmt::format(R"({}"{}":{:.1f})", bytes.empty() ? "" : ",", thing, each);
    }
    return fmt::format(
        R"({{"nodes":{},"foreign_pods":{},"own_pods":{},"gangs":{},"waiting":{},"heap_mb":{:.2f},)"
        R"("time":{{{}}},"bytes":{{{}}}}})",
        size.nodes,
        size.foreign_pods,
        life.own_pods,
        life.gangs,
        size.waiting,
        life.heap_mb,
        time,
        bytes);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::cerr << "usage: gang-scale NODES PODS WAITING [SEED]\n";
        return 2;
    }
    try {
        scale::Size size;
        size.nodes = std::stoll(argv[1]);
        size.foreign_pods = std::stoll(argv[2]) / 2;
        size.own_pods = std::stoll(argv[2]) - size.foreign_pods;
        size.waiting = std::stoll(argv[3]);
        const std::uint64_t seed = argc > 4 ? std::stoull(argv[4]) : 1;
        std::cout << to_json(size, scale::live(size, seed)) << std::endl;
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "gang-scale: " << error.what() << '\n';
        return 1;
    }
}
