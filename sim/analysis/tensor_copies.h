// Which transfer brought which reader its copy.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/analysis/tensor_readers.h"
#include "sim/analysis/timeline.h"
#include "sim/base/ids.h"

namespace opyard::sim {

// A copy of a tensor on a device; `reader` is a kernel where every edge has its own, else 0.
struct CopyKey {
  TensorId tensor;
  DeviceId destination;
  std::int32_t reader = 0;
  friend auto operator<=>(const CopyKey&, const CopyKey&) = default;
};

struct TensorCopy {
  CopyKey key;
  std::int32_t transfer = 0;  // of the timeline
};

// The copies by all transfers of a timeline that has its kernels and transfers, by key.
[[nodiscard]] std::vector<TensorCopy> FindCopies(const SimulatedStep& step,
                                                 const Timeline& timeline,
                                                 const TensorReaders& readers);

}  // namespace opyard::sim
