// The columns of an observation: what each is called, and how it is worked out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace opyard::env {

// Raised whenever a feature changes its place or formula, so that stored policies can refuse.
inline constexpr std::int32_t kFeatureVersion = 2;

// Definitions for the formulas below. All values lie in [0, 1].
//
//  `main`      the main devices: those of the kind of the first accelerator, or of the first device
//              where there is none (MainDevices). A host processor beside them that no op needs
//              changes no column but its own;
//  `t(o)`      the time of op o, in whole picoseconds: the mean over the main devices that allow it
//              (co-location counted), or over all devices that do where no main device does;
//  `work`      Σ t(o);
//  `path`      the critical path: the greatest Σ t(o) along data and control edges, no transfers;
//  `op time`   work ÷ number of ops with t(o) > 0;
//  `capacity`  the mean of what ops may use on a main device (HardwareProfile::capacity);
//  `needs`     Σ of parameter bytes and of the bytes of outputs with storage of their own: none
//              that aliases an input or parameters;
//  `τ(b)`      the time of b bytes over the mean route: the mean of latency + b / bandwidth over
//              the ordered pairs of main devices that have a route; 0 where there is none;
//  `squash`    squash(a ÷ b) = √(a/b) / (1 + √(a/b)); 0 where a is 0, 1 where only b is;
//  `log1p`     log1p(v) = ln(1 + v).
//
// A ratio is squashed, not divided by its maximum over the graph, so that it says the same of every
// graph and machine: 1/2 is always "as much as". The root keeps apart the small shares that large
// graphs are made of (1/10,000 becomes 0.0099), and is rounded alike on all platforms.

// Observation::x, one row per op o. Columns, each with its index:
//
// `output_bytes`       0   log1p(bytes of all outputs);
// `param_bytes`        1   log1p(parameter bytes);
// `workspace_bytes`    2   log1p(workspace bytes);
// `flops`              3   log1p(FLOPs);
// `compute_time`       4   log1p(t(o) in microseconds);
// `shape0` … `shape4`  5…  log1p of the first output's first five dimensions; 0 where none;
// `in_degree`          10  edges into o, as in edge_index: each pair of ops once;
// `out_degree`         11  edges out of o, likewise;
// `rank`               12  topological index / N;
// `from_sources`       13  longest path that ends with o, o included;
// `to_sinks`           14  longest path that starts with o, o included;
// `elementwise` …      15… one-hot of the fusion class: elementwise, broadcast, reduction, reshape,
//                          heavy, opaque;
// `is_colocated`       21  1 if o has a co-location label;
// `is_backward`        22  1 in the backward phase;
// `is_update`          23  1 in the update phase.
//
// Up to here each column is divided by its maximum over the graph (if that is not 0), which for
// both lengths of paths is the critical path. From kFirstRatio on columns are ratios:
//
// `transfer_to_compute`    24  squash(Σ τ(bytes) of the outputs that some op reads ÷ t(o));
// `params_to_capacity`     25  squash(parameter bytes ÷ capacity);
// `working_to_capacity`    26  squash(workspace bytes and those of outputs with storage of their
//                              own ÷ capacity);
// `time_to_critical_path`  27  squash(t(o) ÷ path);
// `time_to_work`           28  squash(t(o) ÷ work);
// `time_to_op_time`        29  squash(t(o) ÷ op time).
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
// producer, each once. Columns, each with its index:
//
// `bytes`                0  log1p(bytes of its tensors), divided by the maximum over the graph;
// `transfer_to_op_time`  1  squash(Σ τ(bytes) of its tensors ÷ op time); τ(0) where it is control
//                           alone;
// `is_data`              2  1 if it has tensors;
// `is_control`           3  1 if the consumer waits for the producer, tensors or not.
inline constexpr std::size_t kNumEdgeFeatures = 4;
inline constexpr std::array<std::string_view, kNumEdgeFeatures> kEdgeFeatureNames = {
    "bytes", "transfer_to_op_time", "is_data", "is_control"};

// Observation::device_x, one row per device d. The slot distinguishes equal devices. Columns, each
// with its index:
//
// `gpu` …              0… one-hot of the kind: gpu, cpu, tpu, other;
// `is_main`            4  1 for a main device;
// `slot`               5  devices of its kind before it ÷ devices of its kind;
// `capacity_to_needs`  6  squash(what ops may use of its memory ÷ needs);
// `speed`              7  squash(Σ t(o) ÷ Σ time of o on d) over the ops that d allows: 1/2 where
//                         it is as fast as the mean main device, 0 where it allows none;
// `allowed_ops`        8  ops that d allows ÷ N.
inline constexpr std::size_t kNumDeviceFeatures = 9;
inline constexpr std::int64_t kNumDeviceKinds = 4;  // the first columns
inline constexpr std::array<std::string_view, kNumDeviceFeatures> kDeviceFeatureNames = {
    "gpu", "cpu", "tpu", "other", "is_main", "slot", "capacity_to_needs", "speed", "allowed_ops"};

// Observation::pair_x, one row per ordered pair of devices. Columns, each with its index:
//
// `transfer_to_op_time`  0  squash(time of the mean tensor over the route ÷ op time), where the
//                           mean is over the tensors that some op reads; 0 from a device to itself,
//                           1 where no route leads;
// `shared_channel`       1  the greatest share, over the channels of the route, of the other
//                           ordered pairs of main devices that need the channel, too;
// `is_same`              2  1 from a device to itself.
inline constexpr std::size_t kNumPairFeatures = 3;
inline constexpr std::array<std::string_view, kNumPairFeatures> kPairFeatureNames = {
    "transfer_to_op_time", "shared_channel", "is_same"};

}  // namespace opyard::env
