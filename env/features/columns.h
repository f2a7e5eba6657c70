// The columns of an observation: what each is called, and how it is worked out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace opyard::env {

// Raised whenever a feature changes its place or formula, so that stored policies can refuse.
inline constexpr std::int32_t kFeatureVersion = 2;

// What the formulas below speak of. All values lie in [0, 1].
//
//   main      the main devices: those of the kind of the first accelerator, or of the first device
//             where there is none (MainDevices). A host processor beside them that no op needs
//             changes no column but its own.
//   t(o)      the time of op o: the mean over the main devices that allow it (co-location counted),
//             or over all devices that do where no main device does; in whole picoseconds
//   work      Σ t(o)
//   path      the critical path: the greatest Σ t(o) along data and control edges, no transfers
//   op time   work ÷ number of ops with t(o) > 0
//   capacity  the mean of what ops may use on a main device (HardwareProfile::capacity)
//   needs     Σ of parameter bytes and of the bytes of outputs with storage of their own: none that
//             aliases an input or parameters
//   τ(b)      the time of b bytes over the mean route: the mean of latency + b / bandwidth over the
//             ordered pairs of main devices that have a route; 0 where there is none
//   squash    squash(a ÷ b) = √(a/b) / (1 + √(a/b)); 0 where a is 0, 1 where only b is
//   log1p     log1p(v) = ln(1 + v)
//
// A ratio is squashed, not divided by its maximum over the graph, so that it says the same of every
// graph and machine: 1/2 is always "as much as". The root keeps apart the small shares that large
// graphs are made of (1/10,000 becomes 0.0099), and is rounded alike on all platforms.

// Observation::x, one row per op o.
//
//  0  output_bytes     log1p(bytes of all outputs)
//  1  param_bytes      log1p(parameter bytes)
//  2  workspace_bytes  log1p(workspace bytes)
//  3  flops            log1p(FLOPs)
//  4  compute_time     log1p(t(o) in microseconds)
//  5… shape0 … shape4  log1p(dimension) of the first output's first five dimensions; 0 where none
// 10  in_degree        edges into o   } of edge_index: each pair of ops once
// 11  out_degree       edges out of o }
// 12  rank             topological index / N
// 13  from_sources     longest path that ends with o, o included
// 14  to_sinks         longest path that starts with o, o included
// 15… elementwise, broadcast, reduction, reshape, heavy, opaque: one-hot of the fusion class
// 21  is_colocated     1 if o has a co-location label
// 22  is_backward      1 in the backward phase
// 23  is_update        1 in the update phase
//
// Up to here each column is divided by its maximum over the graph (if that is not 0), which for
// both lengths of paths is the critical path. From kFirstRatio on columns are ratios:
//
// 24  transfer_to_compute    squash(Σ τ(bytes) of the outputs that some op reads ÷ t(o))
// 25  params_to_capacity     squash(parameter bytes ÷ capacity)
// 26  working_to_capacity    squash(workspace bytes and those of outputs with storage of their own
//                            ÷ capacity)
// 27  time_to_critical_path  squash(t(o) ÷ path)
// 28  time_to_work           squash(t(o) ÷ work)
// 29  time_to_op_time        squash(t(o) ÷ op time)
inline constexpr std::size_t kNumFeatures = 30;
inline constexpr std::size_t kFirstRatio = 24;
inline constexpr std::array<std::string_view, kNumFeatures> kFeatureNames = {
    "output_bytes",
    "param_bytes",
    "workspace_bytes",
    "flops",
    "compute_time",
    "shape0",
    "shape1",
    "shape2",
    "shape3",
    "shape4",
    "in_degree",
    "out_degree",
    "rank",
    "from_sources",
    "to_sinks",
    "elementwise",
    "broadcast",
    "reduction",
    "reshape",
    "heavy",
    "opaque",
    "is_colocated",
    "is_backward",
    "is_update",
    "transfer_to_compute",
    "params_to_capacity",
    "working_to_capacity",
    "time_to_critical_path",
    "time_to_work",
    "time_to_op_time"};

// Observation::edge_x, one row per edge. Its tensors are those that the consumer reads of the
// producer, each once.
//
//  0  bytes                log1p(bytes of its tensors), divided by the maximum over the graph
//  1  transfer_to_op_time  squash(Σ τ(bytes) of its tensors ÷ op time); τ(0) where it is control
//                          alone
//  2  is_data              1 if it has tensors
//  3  is_control           1 if the consumer waits for the producer, tensors or not
inline constexpr std::size_t kNumEdgeFeatures = 4;
inline constexpr std::array<std::string_view, kNumEdgeFeatures> kEdgeFeatureNames = {
    "bytes", "transfer_to_op_time", "is_data", "is_control"};

// Observation::device_x, one row per device d. The slot tells equal devices apart.
//
//  0… gpu, cpu, tpu, other: one-hot of the kind
//  4  is_main            1 for a main device
//  5  slot               devices of its kind before it ÷ devices of its kind
//  6  capacity_to_needs  squash(what ops may use of its memory ÷ needs)
//  7  speed              squash(Σ t(o) ÷ Σ time of o on d) over the ops that d allows: 1/2 where it
//                        is as fast as the mean main device, 0 where it allows none
//  8  allowed_ops        ops that d allows ÷ N
inline constexpr std::size_t kNumDeviceFeatures = 9;
inline constexpr std::int64_t kNumDeviceKinds = 4;  // the first columns
inline constexpr std::array<std::string_view, kNumDeviceFeatures> kDeviceFeatureNames = {
    "gpu", "cpu", "tpu", "other", "is_main", "slot", "capacity_to_needs", "speed", "allowed_ops"};

// Observation::pair_x, one row per ordered pair of devices.
//
//  0  transfer_to_op_time  squash(time of the mean tensor over the route ÷ op time), where the mean
//                          is over the tensors that some op reads; 0 from a device to itself, 1
//                          where no route leads
//  1  shared_channel       the greatest share, over the channels of the route, of the other ordered
//                          pairs of main devices that need the channel, too
//  2  is_same              1 from a device to itself
inline constexpr std::size_t kNumPairFeatures = 3;
inline constexpr std::array<std::string_view, kNumPairFeatures> kPairFeatureNames = {
    "transfer_to_op_time", "shared_channel", "is_same"};

}  // namespace opyard::env
