// One memory that several devices of a machine share, as on a system on a chip.
#pragma once

#include <string>

#include "sim/base/units.h"

namespace opyard::sim {

// Its devices hold their bytes in one capacity, and the kernels that they run share one bandwidth
// (docs/modelling.md, sections 2 and 4).
struct MemoryPool {
  std::string name;
  Bytes memory;
  double bandwidth_bytes_per_s = 0.0;
  friend bool operator==(const MemoryPool&, const MemoryPool&) = default;
};

}  // namespace opyard::sim
