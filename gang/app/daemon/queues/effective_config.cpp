#include "gang/app/daemon/queues/effective_config.hpp"

namespace gang::app {

config::Schema EffectiveConfig::without_kubeconfig(config::Schema config) {
    config.kubeconfig.clear();
    return config;
}

void EffectiveConfig::refresh(const config::Schema& file) {
    config::Schema now = without_kubeconfig(add_(file));
    if (now == told_) {
        return;
    }
    told_ = now;
    tell_(std::move(now));
}

}  // namespace gang::app
