#pragma once
// Gangs by their uid, found at once however many there are. Nothing walks through it: decisions
// follow the ordered map beside it (GangStore::all), which owns the gangs.

#include "core/base/result.hpp"
#include "core/base/uid_table.hpp"
#include "gang/model/application.hpp"

#include <string_view>

namespace gang {

class AppIndex {
public:
    /// nullptr: there is none.
    Application* find(std::string_view uid) const { return apps_.find(uid).value_or(nullptr); }
    /// There is none of its uid yet. It stays where it is until it is erased.
    void insert(Application& app) { apps_.insert(app.uid, &app); }
    void erase(const Application& app) { ENSURE(apps_.erase(app.uid)); }

private:
    core::UidTable<Application*> apps_;
};

}  // namespace gang
