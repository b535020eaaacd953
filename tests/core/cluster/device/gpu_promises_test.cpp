#include "core/cluster/device/gpu_promises.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using namespace core;

namespace {

using Amounts = std::vector<std::int64_t>;

std::vector<SampledGpu> sample_of(const Amounts& free) {
    std::vector<SampledGpu> gpus;
    for (const std::int64_t one : free) {
        SampledGpu& gpu = gpus.emplace_back();
        gpu.id = std::to_string(gpus.size() - 1);
        gpu.free_mib = one;
    }
    return gpus;
}

std::shared_ptr<const GpuAsk> asking_each(std::int64_t mib, std::int64_t number = 1) {
    return std::make_shared<const GpuAsk>(*GpuAsk::make(name_of({number, mib, 0, ""})));
}

const AllocationId a{1};
const AllocationId b{2};

}  // namespace

TEST_CASE("GEN-12: what a pod was promised is not free, and is not subtracted twice") {
    GpuPromises node;
    node.sampled(sample_of({8000}));
    node.add(a, asking_each(6000));
    CHECK(node.free() == Amounts{2000});
    CHECK(node.unseen() == 6000);
    node.sampled(sample_of({8000}));  // its program has not started yet
    CHECK(node.free() == Amounts{2000});
    node.sampled(sample_of({2000}));
    CHECK(node.free() == Amounts{2000});
    CHECK(node.is_empty());
    node.remove(a);
    node.sampled(sample_of({8000}));
    CHECK(node.free() == Amounts{8000});
}

TEST_CASE("a promise that shows in part is subtracted in part") {
    GpuPromises node;
    node.sampled(sample_of({8000}));
    node.add(a, asking_each(6000));
    node.sampled(sample_of({5000}));
    CHECK(node.free() == Amounts{2000});
    CHECK(node.unseen() == 3000);
    node.sampled(sample_of({5000}));
    CHECK(node.unseen() == 3000);
    node.remove(a);
    CHECK(node.free() == Amounts{5000});
}

TEST_CASE("use on another card than was reckoned with counts") {
    GpuPromises node;
    node.sampled(sample_of({8000, 8000}));
    node.add(a, asking_each(6000));
    CHECK(node.free() == Amounts{2000, 8000});
    node.sampled(sample_of({8000, 2000}));
    CHECK(node.free() == Amounts{8000, 2000});
    CHECK(node.is_empty());
}

TEST_CASE("memory that another pod gives back hides no promise") {
    GpuPromises node;
    node.sampled(sample_of({2000}));  // somebody uses 6000
    node.add(a, asking_each(1000));
    node.sampled(sample_of({8000}));
    CHECK(node.free() == Amounts{7000});
    node.sampled(sample_of({7000}));
    CHECK(node.is_empty());
}

TEST_CASE("the oldest promise is met first, and what it uses is not the next one's") {
    GpuPromises node;
    node.sampled(sample_of({10000}));
    node.add(a, asking_each(4000));
    node.add(b, asking_each(3000));
    CHECK(node.free() == Amounts{3000});
    node.sampled(sample_of({6000}));
    CHECK(node.unseen() == 3000);
    CHECK(node.free() == Amounts{3000});
    node.sampled(sample_of({6000}));
    CHECK(node.unseen() == 3000);
    node.sampled(sample_of({3000}));
    CHECK(node.is_empty());
    CHECK(node.free() == Amounts{3000});
}

TEST_CASE("a pod on several cards takes of each; cards may come and go") {
    GpuPromises node;
    node.add(a, asking_each(3000, 2));
    CHECK(node.free().empty());
    node.sampled(sample_of({8000, 7000, 1000}));
    CHECK(node.free() == Amounts{5000, 4000, 1000});
    node.sampled(sample_of({8000}));
    CHECK(node.free() == Amounts{2000});
    node.take_as_shown(a);
    CHECK(node.free() == Amounts{8000});
    CHECK(node.pods().empty());
}
