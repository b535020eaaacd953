// GANG_MUTANT=name switches on one of the mutants of tests/sim/mutants, where the program has them.

#define DOCTEST_CONFIG_IMPLEMENT
#include "tests/sim/planted.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
    // As the program itself does: a peer that has gone is an error of the write, not our end. The
    // TLS servers of the tests write through OpenSSL, which asks for the signal.
    std::signal(SIGPIPE, SIG_IGN);
    const char* mutant = std::getenv("GANG_MUTANT");
    if (mutant != nullptr && !mutants::plant(mutant)) {
        std::fprintf(stderr, "this program has no mutant %s\n", mutant);
        return 2;
    }
    return doctest::Context(argc, argv).run();
}
