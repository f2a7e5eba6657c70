#include "experiments/graphs/timing.h"

#include "sim/base/error.h"
#include "sim/base/units.h"

namespace opyard::experiments {

double CheckedSeconds(double seconds, const std::string& place) {
  if (!FitsInSimTime(seconds)) {
    throw InputError(place + ": found a time of " + std::to_string(seconds) +
                     " s, expected one in [0, 4.6e6] s");
  }
  return seconds;
}

}  // namespace opyard::experiments
