// The optimistic cost table of PEFT and the ranks that follow from it.
#pragma once

#include <span>
#include <vector>

#include "agents/planning/estimates/op_times.h"
#include "agents/planning/estimates/transfer_times.h"
#include "env/problem.h"
#include "sim/base/ids.h"

namespace opyard::agents {

// Arabnejad and Barbosa, IEEE TPDS 2014, equation 3, in seconds:
//   OCT(i, p) = max over consumers j of min over devices q of
//               (OCT(j, q) + time of j on q + (p = q ? 0 : mean transfer time i → j)).
// Device q runs over those that j's group may be on, and is p where i and j are of one group. Of
// several tensors between two ops the largest counts; a control edge takes the mean latency. Means
// of transfers are over the ordered pairs of distinct `mean_devices`.
class OptimisticCosts {
 public:
  OptimisticCosts(const env::Problem& problem,
                  const TransferTimes& transfers,
                  const OpTimes& times,
                  std::span<const DeviceId> mean_devices);

  [[nodiscard]] double Of(OpId op, DeviceId device) const {
    return table_[op.index() * num_devices_ + device.index()];
  }

 private:
  std::size_t num_devices_;
  std::vector<double> table_;  // [num_ops, num_devices] row-major
};

// rank_oct, equation 4: the mean over those of `devices` that the op may be on, over all that it
// may be on if none is among them. [num_ops]
[[nodiscard]] std::vector<double> OptimisticRanks(const env::Problem& problem,
                                                  const OptimisticCosts& costs,
                                                  std::span<const DeviceId> devices);

}  // namespace opyard::agents
