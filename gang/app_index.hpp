#pragma once
// Gangs by their uid, found at once however many there are. Nothing walks through it: decisions
// follow the ordered map beside it (Engine::apps_), which owns the gangs.

#include "core/uuid.hpp"
#include "gang/application.hpp"

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace gang {

class AppIndex {
public:
    /// nullptr: there is none.
    Application* find(std::string_view uid) const;
    /// There is none of its uid yet. It stays where it is until it is erased.
    void insert(Application& app);
    void erase(const Application& app);

private:
    struct Record {
        core::Uuid uuid;
        Application* app = nullptr;
    };
    auto uuid_of() const {
        return [this](std::uint32_t number) -> const core::Uuid& { return records_[number].uuid; };
    }

    std::vector<Record> records_;
    core::UuidIndex index_;                                ///< over records_
    std::map<std::string_view, Application*> by_odd_uid_;  ///< those of no usual form
};

}  // namespace gang
