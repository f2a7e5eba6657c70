// Arithmetic of HLO instructions, from their shapes and attributes.
#pragma once

#include <vector>

#include "graphs/importers/common/op_work.h"
#include "graphs/importers/hlo/hlo_module.h"

namespace opyard::graphs {

struct HloWork {
  OpWork work;
  // Instructions, also inside of what is called, whose arithmetic has no rule: it is not counted.
  std::size_t num_unknown = 0;
};

// What instructions cost. A fusion or a call costs the sum over the computation it calls, which
// must stand before it in the file; there are no shape blocks inside.
class HloCosts {
 public:
  // O(instructions). `module` lives longer.
  explicit HloCosts(const HloModule& module);

  [[nodiscard]] HloWork Of(const HloComputation& computation,
                           const HloInstruction& instruction) const;

 private:
  [[nodiscard]] HloWork OfCalled(const HloInstruction& instruction) const;

  const HloModule& module_;
  std::vector<HloWork> of_computation_;  // as far as they are summed up
};

}  // namespace opyard::graphs
