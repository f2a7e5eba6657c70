#include "sim/result/sim_result.h"

namespace opyard::sim {

const char* NameOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kCompleted:
      return "completed";
    case Outcome::kOutOfMemory:
      return "out_of_memory";
    case Outcome::kDeadlock:
      return "deadlock";
    case Outcome::kCutOff:
      return "cut_off";
  }
  return "";
}

}  // namespace opyard::sim
