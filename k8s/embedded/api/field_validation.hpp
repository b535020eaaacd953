#pragma once
// What a request's fieldValidation makes of fields that nobody knows: refuse (Strict), say so in
// Warning headers (Warn, the default), or nothing (Ignore). They are dropped in any case. A field
// of another type than the schema's is always refused.

#include "k8s/embedded/api/call.hpp"
#include "k8s/embedded/schema/schema.hpp"

#include <optional>
#include <string>
#include <vector>

namespace k8s::embedded {

class FieldValidation {
public:
    /// Drops the unknown fields of `object`, which the request made.
    FieldValidation(const Call& call, Json& object);

    /// Why the request is refused: 400, or 422 when a patch made the object.
    std::optional<Failure> refusal() const;
    /// The answer with its warnings.
    Outcome<Response> warn(Outcome<Response> answer) const;
    const std::vector<std::string>& unknown() const { return verdict_.unknown; }

private:
    const Call& call_;
    SchemaVerdict verdict_;
};

}  // namespace k8s::embedded
