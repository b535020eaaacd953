#include "config/words/complaints.hpp"

#include "config/loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace config {

std::vector<std::string> lines(std::vector<Complaint> complaints, std::string_view file_name) {
    std::stable_sort(complaints.begin(), complaints.end(), [](const auto& a, const auto& b) {
        return std::pair(a.mark.line, a.mark.column) < std::pair(b.mark.line, b.mark.column);
    });
    std::vector<std::string> out;
    for (const Complaint& one : complaints) {
        out.push_back(
            fmt::format("{}:{}:{}: {}", file_name, one.mark.line, one.mark.column, one.text));
    }
    return out;
}

core::Error report(std::vector<Complaint> complaints, std::string_view file_name) {
    std::vector<std::string> all = lines(std::move(complaints), file_name);
    const std::size_t found = all.size();
    if (found > complaints_max) {
        all.resize(complaints_max);
        all.push_back(fmt::format("{}: and {} more", file_name, found - complaints_max));
    }
    return core::Error{fmt::format("{}", fmt::join(all, "\n"))};
}

}  // namespace config
