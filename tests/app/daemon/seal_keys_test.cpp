// The file of the seal's keys: what is taken, and what is said of any other.

#include "gang/app/daemon/seal_keys.hpp"

#include "gang/reservation/format/reservation.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <unistd.h>

using gang::app::read_seal;

namespace {

const std::string key_a(32, 'a');
const std::string key_b(40, 'b');

class KeyFile {
public:
    explicit KeyFile(const std::string& text)
        : path_("/tmp/gang-seal-" + std::to_string(::getpid()) + ".key") {
        std::ofstream(path_) << text;
    }
    ~KeyFile() { std::remove(path_.c_str()); }
    KeyFile(const KeyFile&) = delete;
    KeyFile& operator=(const KeyFile&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

std::string problem_of(const std::string& text) {
    const KeyFile file(text);
    const auto seal = read_seal(file.path());
    REQUIRE_FALSE(seal);
    CHECK(seal.error().message.find(key_a) == std::string::npos);  // no key in any message
    return seal.error().message;
}

core::Pod sealed_by(const std::string& keys) {
    const KeyFile file(keys);
    core::Pod pod;
    pod.uid = "u1";
    pod.annotations = {{std::string(gang::reservation_annotation), "text"}};
    read_seal(file.path())->close(pod.uid, pod.annotations);
    return pod;
}

bool opens(const std::string& keys, core::Pod pod) {
    const KeyFile file(keys);
    return read_seal(file.path())->open(pod);
}

}  // namespace

TEST_CASE("seal keys: no file means no key") {
    const auto seal = read_seal("");
    REQUIRE(seal);
    CHECK_FALSE(seal->has_key());
}

TEST_CASE("seal keys: blanks around a key and empty lines do not count") {
    CHECK(opens(key_a, sealed_by("\n  " + key_a + "\t\r\n\n")));
}

TEST_CASE("seal keys: the first of two lines seals, both open") {
    const core::Pod old = sealed_by(key_a);
    CHECK(opens(key_b + "\n" + key_a, old));
    CHECK_FALSE(opens(key_b, old));
    CHECK(opens(key_b, sealed_by(key_b + "\n" + key_a)));
}

TEST_CASE("seal keys: a file that is no such file is refused with what is wrong") {
    CHECK(problem_of("").find("it has 0 lines") != std::string::npos);
    CHECK(
        problem_of(key_a + "\n" + key_b + "\n" + key_a).find("it has 3 lines") !=
        std::string::npos);
    CHECK(
        problem_of(std::string(31, 'c')).find("a key has 31 characters, expected at least 32") !=
        std::string::npos);
    CHECK(problem_of(std::string(5000, 'c')).find("cannot be read") != std::string::npos);
    const auto missing = read_seal("/nowhere/key");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().message.find("seal.keyFile: /nowhere/key") == 0);
}
