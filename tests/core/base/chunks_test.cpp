#include "core/base/chunks.hpp"

#include <doctest/doctest.h>

using Numbers = core::Chunks<int, 4>;

TEST_CASE("chunks: values stay where they are while it grows") {
    Numbers numbers;
    numbers.emplace_back() = 1;
    const int* first = &numbers[0];
    for (int i = 2; i <= 9; ++i) {
        numbers.emplace_back() = i;
    }
    CHECK(first == &numbers[0]);
    CHECK(numbers.size() == 9);
    CHECK(numbers[8] == 9);
    CHECK(numbers.back() == 9);
}

TEST_CASE("chunks: what is given back is as new") {
    Numbers numbers;
    for (int i = 1; i <= 5; ++i) {
        numbers.emplace_back() = i;
    }
    numbers.pop_back();
    numbers.pop_back();
    CHECK(numbers.size() == 3);
    CHECK(numbers.emplace_back() == 0);
}

TEST_CASE("chunks: copies are equal and apart") {
    Numbers numbers;
    for (int i = 1; i <= 5; ++i) {
        numbers.emplace_back() = i;
    }
    Numbers copy = numbers;
    CHECK(copy == numbers);
    copy[4] = 7;
    CHECK_FALSE(copy == numbers);
    copy = numbers;
    CHECK(copy == numbers);
    copy.pop_back();
    CHECK_FALSE(copy == numbers);
}
