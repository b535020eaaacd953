// Every file of every corpus through its target, under the sanitizers of the debug build. What once
// crashed a target is in its corpus. No file is a test of its own: a broken property aborts, and
// the file's name is the last thing that was printed.
#include "tests/fuzz/property.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#define TARGET(name) extern "C" int name(const std::uint8_t* data, std::size_t size);
#include "fuzz_targets.inc"
#undef TARGET

namespace {

namespace fs = std::filesystem;

using Target = int (*)(const std::uint8_t*, std::size_t);

void run(Target target, const std::string& bytes) {
    // A buffer of exactly that size: a read past its end is seen.
    const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
    target(exact.data(), exact.size());
}

void run_corpus(const std::string& name, Target target) {
    const fs::path folder = fs::path(TESTS_DIR) / "fuzz/corpus" / name;
    REQUIRE_MESSAGE(fs::is_directory(folder), folder.string());
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    REQUIRE_FALSE(files.empty());
    run(target, "");
    for (const fs::path& file : files) {
        INFO(file.string());
        std::ifstream in(file, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(in), {}};
        run(target, bytes);
        // Cut off anywhere is what a broken connection leaves.
        for (std::size_t i = 1; i <= 16; ++i) {
            run(target, bytes.substr(0, bytes.size() * i / 17));
        }
    }
}

}  // namespace

#define TARGET(name)                   \
    TEST_CASE("fuzz corpus: " #name) { \
        run_corpus(#name, name);       \
    }
#include "fuzz_targets.inc"
