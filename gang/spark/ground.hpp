#pragma once
// What the parts of a derivation start from.

#include "core/pod.hpp"
#include "gang/spark/conf.hpp"
#include "gang/spark/version.hpp"

namespace gang::spark {

/// A view: conf and driver must outlive it.
struct Ground {
    const Conf& conf;
    const core::Pod& driver;
    Version version;
};

}  // namespace gang::spark
