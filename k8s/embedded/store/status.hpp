#pragma once
// Failures as Kubernetes words them: the code, the reason, the text and the details of a Status
// object. Clients match on all four, so the texts are the real API server's.

#include "k8s/embedded/store/json_value.hpp"
#include "k8s/embedded/store/kinds.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace k8s::embedded {

/// What a refused request is answered with.
struct Failure {
    int code = 500;
    std::string reason;
    std::string message;
    Json details = {};  ///< null: none

    /// The metav1.Status object.
    Json status() const;
};

/// A T, or the Failure to answer with.
template <typename T>
class [[nodiscard]] Outcome {
public:
    Outcome(T value) : state_(std::in_place_index<0>, std::move(value)) {}            // NOLINT
    Outcome(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}  // NOLINT

    explicit operator bool() const { return state_.index() == 0; }
    T& operator*() { return std::get<0>(state_); }
    const T& operator*() const { return std::get<0>(state_); }
    const T* operator->() const { return &std::get<0>(state_); }
    T* operator->() { return &std::get<0>(state_); }
    const Failure& failure() const { return std::get<1>(state_); }

private:
    std::variant<T, Failure> state_;
};

Failure bad_request(std::string message);
/// `pods "x" not found`.
Failure not_found(const Kind& kind, std::string_view name);
/// A path that nobody serves.
Failure no_such_path();
Failure already_exists(const Kind& kind, std::string_view name);
/// `Operation cannot be fulfilled on pods "x": <why>`.
Failure conflict(const Kind& kind, std::string_view name, std::string_view why);
/// The conflict of an old resourceVersion.
Failure modified(const Kind& kind, std::string_view name);
Failure forbidden(const Kind& kind, std::string_view name, std::string_view why);
/// One reason why an object is refused.
struct Cause {
    std::string field;    ///< "spec.containers[0].name"
    std::string reason;   ///< "FieldValueRequired", "FieldValueInvalid", ...
    std::string message;  ///< "Required value"
};
/// `Pod "x" is invalid: field: message` (several in brackets).
Failure invalid(const Kind& kind, std::string_view name, const std::vector<Cause>& causes);
Failure method_not_allowed();
Failure unsupported_media(std::string_view accepted);
/// A body of protobuf that is of none of the kinds which are read so.
Failure unsupported_protobuf();
Failure not_acceptable(std::string_view offered);
/// An old resourceVersion or page of a list.
Failure gone(std::string message);
/// 500 without a reason: what the real server answers to errors that nobody gave a form.
Failure unworded_error(std::string message);
/// 422: what a patch makes of an object does not parse.
Failure bad_patch(std::string_view why);
/// The Status object of a success, as DELETE answers it.
Json success(const Kind& kind, const Json& object);

}  // namespace k8s::embedded
