#include "tests/bench/policy/fair_share.hpp"

#include <algorithm>
#include <cmath>

namespace policy {
namespace {

/// Sums of parts that are equal differ by less.
constexpr double rounding = 1e-9;

}  // namespace

std::vector<double> fluid_shares(const std::vector<Claim>& claims, double room) {
    std::vector<double> shares(claims.size(), 0);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        if (claims[i].wanted > 0) open.push_back(i);
    }
    double left = room;
    while (!open.empty()) {
        double weights = 0;
        for (const std::size_t i : open) weights += claims[i].weight;
        // Those whom their part of what is left is enough have what they want.
        std::vector<std::size_t> still;
        double given = 0;
        for (const std::size_t i : open) {
            if (claims[i].wanted <= left * claims[i].weight / weights) {
                shares[i] = claims[i].wanted;
                given += shares[i];
            } else {
                still.push_back(i);
            }
        }
        if (still.size() == open.size()) {
            for (const std::size_t i : open) shares[i] = left * claims[i].weight / weights;
            break;
        }
        left -= given;
        open = std::move(still);
    }
    return shares;
}

void FairnessMeter::add(const std::vector<Claim>& claims, double seconds) {
    double held = 0;
    for (const Claim& claim : claims) held += claim.held;
    const std::vector<double> fair = fluid_shares(claims, held);
    for (std::size_t i = 0; i < claims.size(); ++i) {
        if (claims[i].waits || claims[i].held > fair[i] * (1 + rounding)) {
            held_[i] += claims[i].held * seconds;
            fair_[i] += fair[i] * seconds;
        }
    }
}

double FairnessMeter::error() const {
    double sum = 0;
    double count = 0;
    for (std::size_t i = 0; i < held_.size(); ++i) {
        if (fair_[i] > 0) {
            sum += std::abs(held_[i] - fair_[i]) / fair_[i];
            ++count;
        }
    }
    return count == 0 ? 0 : sum / count;
}

double FairnessMeter::worst() const {
    double worst = 0;
    for (std::size_t i = 0; i < held_.size(); ++i) {
        if (fair_[i] > 0) worst = std::max(worst, 1 - held_[i] / fair_[i]);
    }
    return worst;
}

}  // namespace policy
