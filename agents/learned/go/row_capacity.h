// Placements of rows within what devices hold.
#pragma once

#include <cstdint>

#include <torch/torch.h>

#include "sim/base/rng.h"

namespace opyard::agents::go {

// The memory that rows need and devices have, by GroupMemory's account: on the CPU.
struct RowCapacity {
  torch::Tensor bytes;   // double [R]
  torch::Tensor limits;  // double [D]
  torch::Tensor mask;    // bool [R, D]: where a row may be at all
};

struct PlacedRows {
  torch::Tensor devices;  // int64 [K, R]
  torch::Tensor allowed;  // bool [K, R, D]: the devices that the row had when it was placed
};

// Samples `num_samples` placements by `log_probs`, [1 or num_samples, R, D]. Rows are placed one
// after the other, the surest first, on devices that still have room for them; a row that fits
// nowhere goes to the one of its devices with most room. Sample k keeps to a share of the limits,
// 1, 0.85 and 0.7 in turn, since copies and workspaces are in no account. Invalid action masking as
// in Huang and Ontañón, "A closer look at invalid action masking in policy gradient algorithms",
// 2022: the probability of a placement is that under its masks.
[[nodiscard]] PlacedRows SampleWithin(const RowCapacity& capacity,
                                      const torch::Tensor& log_probs,
                                      std::int64_t num_samples,
                                      Rng& rng);

// The same account where rows are placed in topological order, all plans at once.
class RowRoom {
 public:
  // Plans of samples keep to the shares above, `is_sampled`, others to the whole limits.
  RowRoom(const RowCapacity& capacity, std::int64_t num_plans, bool is_sampled);

  // Where `row` may go, at least one device of each plan: bool [K, D].
  [[nodiscard]] torch::Tensor Allowed(std::int64_t row) const;
  // Takes what it needs from `devices`, int64 [K].
  void Place(std::int64_t row, const torch::Tensor& devices);

 private:
  RowCapacity capacity_;
  torch::Tensor room_;  // double [K, D], bytes
};

// The likeliest device of each row under the same rule, within the whole limits: int64 [K, R] for
// log_probs [K, R, D].
[[nodiscard]] torch::Tensor LikeliestWithin(const RowCapacity& capacity,
                                            const torch::Tensor& log_probs);

}  // namespace opyard::agents::go
