#include "sim/trace/sim_result.h"

namespace opyard::sim {

const char* NameOf(Outcome outcome) {
  return outcome == Outcome::kCompleted ? "completed" : "out_of_memory";
}

}  // namespace opyard::sim
