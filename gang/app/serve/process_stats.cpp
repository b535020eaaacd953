#include "gang/app/serve/process_stats.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

namespace gang::app {
namespace {

/// Fields of /proc/self/stat after the command's closing bracket: number 3 of proc(5) is the first.
constexpr std::size_t stat_fields = 22;
constexpr std::size_t utime = 14 - 3;
constexpr std::size_t stime = 15 - 3;
constexpr std::size_t start_time = 22 - 3;
constexpr std::size_t vsize = 23 - 3;
constexpr std::size_t rss = 24 - 3;

std::array<double, stat_fields> read_stat() {
    std::array<double, stat_fields> out{};
    std::ifstream file("/proc/self/stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto bracket = text.rfind(')');
    if (bracket == std::string::npos) {
        return out;
    }
    std::istringstream rest(text.substr(bracket + 1));
    std::string state;
    rest >> state;
    for (std::size_t i = 1; i < out.size() && rest >> out[i]; ++i) {
    }
    return out;
}

double boot_unix_seconds() {
    std::ifstream file("/proc/stat");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("btime ")) {
            return std::stod(line.substr(6));
        }
    }
    return 0;
}

std::int64_t count_descriptors() {
    std::error_code ec;
    std::filesystem::directory_iterator files("/proc/self/fd", ec);
    // One of them is the folder itself, open while we look.
    return ec ? 0 : std::distance(begin(files), end(files)) - 1;
}

}  // namespace

ProcessStats read_process_stats() {
    static const double boot = boot_unix_seconds();
    const auto stat = read_stat();
    const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    ProcessStats out;
    out.cpu_seconds = (stat[utime] + stat[stime]) / ticks;
    out.start_unix_seconds = boot + stat[start_time] / ticks;
    out.virtual_bytes = static_cast<std::int64_t>(stat[vsize]);
    out.resident_bytes = static_cast<std::int64_t>(stat[rss]) * ::sysconf(_SC_PAGESIZE);
    out.open_descriptors = count_descriptors();
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        out.descriptors_max = static_cast<std::int64_t>(limit.rlim_cur);
    }
    return out;
}

}  // namespace gang::app
