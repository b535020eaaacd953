#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <csignal>

int main(int argc, char** argv) {
    // As the program itself does: a peer that has gone is an error of the write, not our end. The
    // TLS servers of the tests write through OpenSSL, which asks for the signal.
    std::signal(SIGPIPE, SIG_IGN);
    return doctest::Context(argc, argv).run();
}
