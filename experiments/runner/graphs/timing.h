// One measured time.
#pragma once

#include <string>

namespace opyard::experiments {

// One thing that was measured, in the order of the file or, in a trace, of the starts.
struct Timing {
  std::string name;
  double seconds = 0.0;
};

// `seconds`. Throws InputError naming `place` if it is negative, not finite or above 4.6e6.
[[nodiscard]] double CheckedSeconds(double seconds, const std::string& place);

}  // namespace opyard::experiments
