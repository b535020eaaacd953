#pragma once
// `-o jsonpath=TEMPLATE`: the part of kubectl's templates that people use. Pure.
//
//   {.gangs[*].driver}   every driver, with spaces between      {.gangs[0].needs.cpuMilli}   {.gangs[-1]}
//   {.needs['nvidia.com/gpu']}   a name with dots               {"\n"}   a text; what stands outside braces, too
//   {range .gangs[*]}{.driver}{"\n"}{end}                       {@} what is looked at, {$} the whole
//
// Filters, slices, unions, recursive descent and functions are not there: a template with one is an
// error that says so. A member that does not exist is nothing, as with `kubectl get`.

#include "core/base/result.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gang::app {

class JsonPath {
public:
    /// An error says what is wrong and where, or what is not supported.
    static core::Result<JsonPath> parse(std::string_view text);

    /// What the template makes of a JSON document. Texts of tenants are escaped, as in tables.
    core::Result<std::string> apply(std::string_view json) const;

    /// `{...}` or a text between them.
    struct Part;

private:
    explicit JsonPath(std::vector<Part> parts);

    std::shared_ptr<const std::vector<Part>> parts_;
};

}  // namespace gang::app
