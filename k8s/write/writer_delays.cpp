#include "k8s/write/writer_delays.hpp"

namespace k8s {

void DelayedWrites::yield_to(const std::string& uid) {
    for (Delayed& one : delayed_) {
        auto* patch = std::get_if<PatchPointer>(&one.write);
        if (patch == nullptr || (*patch)->job.done || (*patch)->job.patch.pod.uid != uid) continue;
        (*patch)->action = protocol::PatchFinished{false, "something newer is to be written"};
        one.timer.cancel();
    }
}

WriteUnderWay DelayedWrites::take_due() {
    WriteUnderWay write = std::move(due_.front());
    due_.pop_front();
    return write;
}

void DelayedWrites::cancel() {
    for (Delayed& one : delayed_) one.timer.cancel();
}

}  // namespace k8s
