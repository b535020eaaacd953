#include "k8s/embedded/api/verbs.hpp"

#include <utility>

namespace k8s::embedded {

Verbs::Verbs(Store& store, Writes& writes, Removal& removal, std::function<std::int64_t()> now_ms)
    : store_(store), writes_(writes), removal_(removal), now_ms_(std::move(now_ms)) {}

Outcome<Response> Verbs::run(const Call& call) {
    const auto& method = call.request->method;
    const bool is_read = method == "GET";
    const bool is_everywhere = call.kind->namespaced && call.key.space.empty();
    if (!call.kind->is_stored) {
        return method == "POST" && call.is_collection() ? review(call) : method_not_allowed();
    }
    if (call.subresource == "binding" || call.subresource == "eviction") {
        if (method != "POST") {
            return method_not_allowed();
        }
        return call.subresource == "binding" ? bind(call) : evict(call);
    }
    if (call.subresource == "log") {
        return is_read ? log(call) : method_not_allowed();
    }
    if (is_read && call.target.flag("watch") && call.is_collection()) {
        return watch(call);
    }
    if (is_read) {
        return call.is_collection() ? list(call) : get(call);
    }
    if (method == "POST") {
        return call.is_collection() ? create(call) : method_not_allowed();
    }
    if (method == "DELETE" && call.subresource.empty()) {
        if (!call.is_collection()) {
            return remove(call);
        }
        const bool may = call.kind->deletes_collection && !is_everywhere;
        return may ? remove_collection(call) : method_not_allowed();
    }
    if (call.is_collection()) {
        return method_not_allowed();
    }
    if (method == "PUT") {
        return update(call);
    }
    return method == "PATCH" ? patch(call) : method_not_allowed();
}

}  // namespace k8s::embedded
