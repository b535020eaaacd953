#include "core/value/device/cards.hpp"

#include <fmt/format.h>

namespace core {

std::string card_name(std::string_view resource, std::string_view card) {
    return fmt::format("{}@{}", resource, card);
}

}  // namespace core
