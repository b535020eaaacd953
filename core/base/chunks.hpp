#pragma once
// A sequence that grows by whole chunks: nothing moves when it grows, and no half of it is empty.

#include <boost/container/deque.hpp>

#include <cstddef>

namespace core {

/// `per_chunk` values of a chunk: a power of two.
template <typename Value, std::size_t per_chunk = 1024>
using Chunks = boost::container::
    deque<Value, void, boost::container::deque_options_t<boost::container::block_size<per_chunk>>>;

}  // namespace core
