#pragma once
// The seal on what the scheduler writes into annotations. A tenant may edit the annotations of his
// own pods, so the texts that room is given by (a driver's reservation, an executor's slot) are
// written together with a message authentication code over the annotation's name, the pod's uid and
// the text, in `gang-scheduler/seal`: "v1 <code>". What comes back without a code that fits is
// nobody's word, and is taken out before anybody reads it.
//
//   decision -> close() -> API server -> (a tenant edits) -> open() -> event
//
// The key, and the function that computes the code, are the host's: nothing here knows OpenSSL.

#include "core/value/pod.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

inline constexpr std::string_view seal_annotation = "gang-scheduler/seal";

class Seal {
public:
    /// A message authentication code as printable text without blanks.
    using Code = std::function<std::string(std::string_view message)>;

    /// Without a key nothing is sealed, and open() leaves the texts as they are.
    Seal() = default;
    /// One code function for each key: the first one seals, each of them opens.
    explicit Seal(std::vector<Code> codes) : codes_(std::move(codes)) {}

    bool has_key() const { return !codes_.empty(); }

    /// Adds the seal to annotations that are about to be written to this pod, if a text that needs
    /// one is among them.
    void close(std::string_view pod_uid, core::StringMap& annotations) const;

    /// Takes the seal out of a pod as the API server shows it, and with it each text that has no
    /// valid one. False: there was such a text.
    bool open(core::Pod& pod) const;

private:
    bool fits(std::string_view code, std::string_view message) const;

    std::vector<Code> codes_;
};

}  // namespace gang
