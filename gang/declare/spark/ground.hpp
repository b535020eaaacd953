#pragma once
// What the parts of a derivation start from.

#include "core/value/pod.hpp"
#include "gang/declare/spark/conf.hpp"
#include "gang/declare/spark/version.hpp"

namespace gang::spark {

/// A view: conf and driver must outlive it.
struct Ground {
    const Conf& conf;
    const core::Pod& driver;
    Version version;
};

}  // namespace gang::spark
