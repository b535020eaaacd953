#pragma once
// Collects what is wrong with an object, in the words of k8s.io/apimachinery/.../field/errors.go.

#include "k8s/embedded/store/json_value.hpp"
#include "k8s/embedded/store/names.hpp"
#include "k8s/embedded/store/status.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::embedded {

class Checks {
public:
    void required(std::string field, std::string_view detail = "");
    void invalid(std::string field, const Json& value, std::string_view detail);
    void duplicate(std::string field, const Json& value);
    void not_found(std::string field, const Json& value);
    void forbidden(std::string field, std::string_view detail);
    void too_long(std::string field, std::size_t bytes_max);
    /// Required when empty, unsupported when it is none of the values.
    void one_of(
        std::string field, const std::string& value, std::initializer_list<const char*> supported);
    /// Unsupported when it is none of the values, the empty text too.
    void supported(
        std::string field, const std::string& value, std::initializer_list<const char*> supported);
    /// One "invalid" for each complaint.
    void syntax(const std::string& field, const std::string& value, const Complaints& complaints);

    const std::vector<Cause>& causes() const { return causes_; }

private:
    void add(std::string field, const char* reason, std::string message, std::string_view detail);
    std::vector<Cause> causes_;
};

/// "spec.containers[2]".
std::string at_index(const std::string& field, std::size_t index);

}  // namespace k8s::embedded
