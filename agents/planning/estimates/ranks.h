// Priorities from path lengths: how much work still hangs on an op.
#pragma once

#include <span>
#include <vector>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/transfer_times.h"
#include "env/problem.h"
#include "sim/base/ids.h"

namespace opyard::agents {

// rank_u of Topcuoglu, Hariri and Wu, "Performance-effective and low-complexity task scheduling for
// heterogeneous computing" (IEEE TPDS 2002), equation 6:
//   rank_u(i) = mean cost of i + max over consumers j of (mean transfer time i → j + rank_u(j)).
// Ranks are in seconds, [num_ops]. Means are over those of `devices` that allow the op (over all
// that allow it, if none of them does), and over the ordered pairs of distinct `devices`.
// Deviations: an edge inside a group never becomes a transfer and takes no time; of several tensors
// between two ops the largest counts; a control edge takes the mean latency. Ranks never increase
// along an edge.
[[nodiscard]] std::vector<double> UpwardRanks(const env::Problem& problem,
                                              const TransferTimes& transfers,
                                              std::span<const DeviceId> devices);
// The same with `mean` as the time of a transfer.
[[nodiscard]] std::vector<double> UpwardRanks(const env::Problem& problem,
                                              const TransferTimes::Line& mean,
                                              std::span<const DeviceId> devices);

// rank_d of the same paper: the longest path from a source to the start of each op,
//   rank_d(i) = max over producers j of (rank_d(j) + mean cost of j + mean transfer time j → i),
// with the means and deviations of UpwardRanks.
[[nodiscard]] std::vector<double> DownwardRanks(const env::Problem& problem,
                                                const TransferTimes::Line& mean,
                                                std::span<const DeviceId> devices);

// The time of the transfer of `tensor` to `consumer` that ranks count: none inside a group.
[[nodiscard]] double MeanTransferSeconds(const env::Problem& problem,
                                         const TransferTimes::Line& mean,
                                         TensorId tensor,
                                         OpId consumer);
// The same of a control edge.
[[nodiscard]] double MeanControlSeconds(const env::Problem& problem,
                                        const TransferTimes::Line& mean,
                                        OpId op,
                                        OpId consumer);

enum class EdgeTimes { kIgnored, kCounted };

// The longest path from the start of each op to the end of a sink, in seconds, [num_ops], with
// every op where `placement` has it; transfers between devices take no time, or their time alone on
// the route.
[[nodiscard]] std::vector<double> PathsToSink(const env::Problem& problem,
                                              const TransferTimes& transfers,
                                              std::span<const DeviceId> placement,
                                              EdgeTimes edge_times);

// Longest paths to a sink without a placement: mean cost over `devices`, as UpwardRanks, and no
// transfers.
[[nodiscard]] std::vector<double> MeanPathsToSink(const env::Problem& problem,
                                                  std::span<const DeviceId> devices);

// The number of ops on the path to a sink that has most of them, `op` included. [num_ops]
[[nodiscard]] std::vector<double> OpsToSink(const sim::OpGraph& graph);

// Ops by falling `key`, equals by topological index. A key that never increases along an edge gives
// a topological order.
[[nodiscard]] std::vector<OpId> OrderByKey(const sim::OpGraph& graph, std::span<const double> key);

}  // namespace opyard::agents
