#include "k8s/base/page_size.hpp"

#include <doctest/doctest.h>

using namespace k8s;

TEST_CASE("page_size: pages become about as large as wanted, whatever their objects are") {
    PageSize size(500);
    CHECK(size.objects() == 100);
    size.note_full_page(100 * 10'486);
    CHECK(size.objects() == 199);
    size.note_full_page(199 * 1'000);
    CHECK(size.objects() == 500);
    size.note_full_page(500 * 4 * 1024 * 1024ULL);
    CHECK(size.objects() == 10);
    size.note_full_page(0);
    CHECK(size.objects() == 500);
}

TEST_CASE("page_size: never more than is allowed") {
    PageSize size(3);
    CHECK(size.objects() == 3);
    size.note_full_page(30);
    CHECK(size.objects() == 3);
    size.note_full_page(30 * 1024 * 1024);
    CHECK(size.objects() == 3);
}
