#pragma once
// In which namespaces a caller may know names.

#include <set>
#include <string>

namespace gang::app {

struct Sight {
    bool is_all = true;
    std::set<std::string> namespaces;  ///< else only these

    bool sees(const std::string& namespace_name) const {
        return is_all || namespaces.contains(namespace_name);
    }
    friend auto operator<=>(const Sight&, const Sight&) = default;
};

}  // namespace gang::app
