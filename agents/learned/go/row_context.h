// The context of a row that is placed after others: the devices of the earlier rows.
#pragma once

#include <cstdint>

#include <torch/torch.h>

#include "agents/learned/common/group_features.h"
#include "agents/learned/go/decision_rows.h"

namespace opyard::agents::go {

// Columns of a device, for a row:
//   1. Whether an earlier row is on it.
//   2. Whether none is, nor on an equal device of a lower slot.
//   3. The time of the earlier rows on it: v / (v + 1) of v even shares of the time of all rows.
//   4. Its share of the time of all earlier rows.
//   5. The share of the rows on it in what the row exchanges with earlier rows.
//   6. Whether the previous row is on it.
// Then a column for each pointer: its weight on the earlier rows that are there.
inline constexpr std::int64_t kNumContextColumns = 6;

// Relations among R rows and D devices; float32, no gradients.
struct RowRelations {
  torch::Tensor exchanged;        // [R, R]: of row i with each j < i, rows sum to 1 or 0
  torch::Tensor time;             // [R]: shares of the time of all rows
  torch::Tensor is_equal_before;  // [D, D]: 1 where the first is equal to the second and has the
                                  // lower slot
};
[[nodiscard]] RowRelations MakeRowRelations(const DecisionRows& rows,
                                            const DeviceFeatures& devices);

// The context of every row of K placements, int64 [K, R], at once. `pointers`, [1 or K, H, R, R],
// have weights on earlier rows alone. → [K, R, D, kNumContextColumns + H].
[[nodiscard]] torch::Tensor ContextOfRows(const RowRelations& relations,
                                          const torch::Tensor& pointers,
                                          const torch::Tensor& devices);

// The same, row after row.
class RowContext {
 public:
  RowContext(const RowRelations& relations, const torch::Tensor& pointers, std::int64_t num_plans);

  // The context of the next row: [K, D, kNumContextColumns + H].
  [[nodiscard]] torch::Tensor Next() const;
  // Places the next row on `devices`, int64 [K].
  void Place(const torch::Tensor& devices);

 private:
  RowRelations relations_;
  torch::Tensor pointers_;
  torch::Tensor placed_;  // [K, R, D]: 1 where a row is
  torch::Tensor used_;    // [K, D]: 1 where a row is
  torch::Tensor load_;    // [K, D]: shares of the time of all rows
  std::int64_t row_ = 0;
};

}  // namespace opyard::agents::go
