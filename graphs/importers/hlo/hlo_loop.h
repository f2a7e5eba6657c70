// Trip counts of loops of HLO programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "graphs/importers/hlo/hlo_module.h"

namespace opyard::graphs {

// The value of a carried element before the first iteration; nothing where it is not known. Carried
// elements are the tensors of a loop's state, nested tuples flattened, which one iteration hands to
// the next.
using InitialValueOf = std::function<std::optional<std::int64_t>(std::size_t element)>;

// A loop, as far as it is known before it runs. The counter is a carried element to which the body
// adds a constant. The condition compares it with a constant or with a loop-invariant element.
// Addition and comparison may stand in computations that are called.
class HloLoop {
 public:
  // `loop` is a while of `module`, which lives longer.
  HloLoop(const HloModule& module, const HloInstruction& loop) : module_(module), loop_(loop) {}

  // The number of iterations: the compiler's known_trip_count, else counted. Nothing if it is not
  // known, or if the loop never ends.
  [[nodiscard]] std::optional<std::int64_t> TripCount(const InitialValueOf& initial_value_of) const;
  // True if the body is known to return carried element `element` as it got it.
  [[nodiscard]] bool IsLoopInvariant(std::size_t element) const;

 private:
  const HloModule& module_;
  const HloInstruction& loop_;
};

// The trip count of `loop` from its own `computation` alone: initial values count as known where
// they are constants of that computation, not where its callers pass them.
[[nodiscard]] std::optional<std::int64_t> TripCountInComputation(const HloModule& module,
                                                                 const HloComputation& computation,
                                                                 const HloInstruction& loop);

}  // namespace opyard::graphs
