#include "core/base/text.hpp"

namespace core {

const std::string& Text::str() const {
    static const std::string nothing;
    return shared_ == nullptr ? nothing : shared_->text;
}

void Text::release() const {
    if (shared_ == nullptr || --shared_->references > 0) return;
    auto& texts = shared_->owner->texts_;
    texts.erase(texts.find(std::string_view(shared_->text)));
}

Text Texts::keep(std::string_view text) {
    if (text.empty()) return {};
    auto found = texts_.find(text);
    if (found == texts_.end()) {
        found = texts_.insert(Text::Shared{std::string(text), this}).first;
    }
    return Text(&*found);
}

}  // namespace core
