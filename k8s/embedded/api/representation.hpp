#pragma once
// How objects are shown: plain, as rows of a Table (kubectl get), or as bare metadata. Chosen from
// the Accept header once, then used for one object, a list, or each event of a watch.

#include "k8s/embedded/api/call.hpp"
#include "k8s/embedded/tables/table.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace k8s::embedded {

class Representation {
public:
    /// 406 when the client accepts nothing that we have.
    static Outcome<Representation> choose(const Call& call, std::int64_t now_ms);

    std::string one(const StoredPtr& object) const;
    /// `next` is the continue token, empty on the last page.
    std::string list(const Page& page, const std::string& next) const;
    /// For the events of a watch: a Table's columns come with the first event only.
    Render for_watch(std::function<std::int64_t()> now_ms) const;

private:
    enum class Form { plain, table, metadata };

    const Kind* kind_ = nullptr;
    Form form_ = Form::plain;
    TableForm table_;
    std::int64_t now_ms_ = 0;
};

}  // namespace k8s::embedded
