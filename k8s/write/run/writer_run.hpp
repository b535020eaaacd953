#pragma once
// One job on one worker's connection, from its first request to its outcome.
//
//   writer_bind.cpp   binds
//   writer_patch.cpp  status patches of pods
//   writer_evict.cpp  evictions
//   writer_other.cpp  config maps, events, statuses of other objects
//
// A write that has to wait before it is repeated leaves its worker to others (DelayedWrites).

#include "k8s/protocol/write/write_job.hpp"
#include "k8s/write/run/write_under_way.hpp"
#include "k8s/write/writer_parts.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>

namespace k8s {

/// A job that was taken from the backlog.
boost::asio::awaitable<void> carry_out(WriterParts& writer, WorkerPointer worker, WriteJob job);
/// A write whose delay is over.
boost::asio::awaitable<void> carry_on(
    WriterParts& writer, WorkerPointer worker, WriteUnderWay write);

BindPointer begin_write(WriterParts& writer, BindJob job);
PatchPointer begin_write(WriterParts& writer, PatchJob job);
EvictPointer begin_write(WriterParts& writer, EvictJob job);

// Until it is through, or has to wait: then it leaves the connection to others.
boost::asio::awaitable<void> go_on_with(
    WriterParts& writer, WorkerPointer worker, BindPointer bind);
boost::asio::awaitable<void> go_on_with(
    WriterParts& writer, WorkerPointer worker, PatchPointer patch);
boost::asio::awaitable<void> go_on_with(
    WriterParts& writer, WorkerPointer worker, EvictPointer eviction);

boost::asio::awaitable<void> fetch_config_map(
    WriterParts& writer, WorkerPointer worker, FetchJob job);
boost::asio::awaitable<void> send_event(WriterParts& writer, WorkerPointer worker, EventJob job);
boost::asio::awaitable<void> write_object_status(
    WriterParts& writer, WorkerPointer worker, ObjectStatusJob job);

std::string pod_target(const PodName& pod);
protocol::HttpAnswer answer_of(const Response& response);

}  // namespace k8s
