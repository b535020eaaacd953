#include "gang/declare/spark/references.hpp"

#include "gang/declare/spark/conf_view.hpp"
#include "gang/declare/spark/keys.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace gang::spark {
namespace {

/// Values that grow by their references are no sizes; Spark itself has no bound.
constexpr std::size_t expanded_max = 4096;
constexpr std::size_t depth_max = 16;

class Expansion {
public:
    Expansion(std::string_view key, const std::string& value, const LookUp& look_up)
        : key_(key), value_(value), look_up_(look_up) {}

    core::Result<std::string> run() { return expand(value_); }

private:
    core::Error wrong(const char* why) const { return wrong_value(key_, value_, why); }

    core::Result<std::string> expand(const std::string& text) {
        std::string result;
        std::size_t at = 0;
        while (true) {
            const auto begin = text.find("${", at);
            const auto end = begin == std::string::npos ? begin : text.find('}', begin);
            if (end == std::string::npos) {
                return result + text.substr(at);
            }
            result += text.substr(at, begin - at);
            auto replaced = look_up(text.substr(begin, end + 1 - begin));
            if (!replaced) {
                return replaced;
            }
            result += *replaced;
            if (result.size() > expanded_max) {
                return wrong("too long once its references are replaced");
            }
            at = end + 1;
        }
    }

    /// `reference` with its braces.
    core::Result<std::string> look_up(const std::string& reference) {
        const std::string name = reference.substr(2, reference.size() - 3);
        if (name.starts_with("env:") || name.starts_with("system:")) {
            return wrong("refers to the driver's own environment, which is not known here");
        }
        if (std::find(names_.begin(), names_.end(), name) != names_.end() ||
            names_.size() >= depth_max) {
            return wrong("its references lead back to themselves");
        }
        const auto value = name.starts_with("spark.") ? look_up_(name) : std::nullopt;
        if (!value) {
            return reference;
        }
        names_.push_back(name);
        auto result = expand(*value);
        names_.pop_back();
        return result;
    }

    std::string_view key_;
    const std::string& value_;
    const LookUp& look_up_;
    std::vector<std::string> names_;
};

}  // namespace

bool is_expanded(std::string_view key) {
    return std::find(keys::exact.begin(), keys::exact.end(), key) != keys::exact.end();
}

core::Result<std::string> expanded(
    std::string_view key, const std::string& value, const LookUp& look_up) {
    return Expansion(key, value, look_up).run();
}

}  // namespace gang::spark
