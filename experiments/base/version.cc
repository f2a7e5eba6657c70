#include "experiments/base/version.h"

#include "sim/base/version.h"

namespace opyard::experiments {

const char* Version() {
  return kVersion;
}

}  // namespace opyard::experiments
