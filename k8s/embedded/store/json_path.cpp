#include "k8s/embedded/store/json_path.hpp"

namespace k8s::embedded {

const Json::Array& items_at(const Json& object, JsonPath path) {
    static const Json::Array none;
    const Json* found = object.find_path(path);
    return found != nullptr ? found->items() : none;
}

std::int64_t int_at(const Json& object, JsonPath path) {
    const Json* found = object.find_path(path);
    return found != nullptr ? found->as_int() : 0;
}

bool true_at(const Json& object, JsonPath path) {
    const Json* found = object.find_path(path);
    return found != nullptr && found->as_bool();
}

}  // namespace k8s::embedded
