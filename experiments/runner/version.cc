#include "experiments/runner/version.h"

namespace opyard::experiments {

const char* Version() {
  return OPYARD_VERSION;
}

}  // namespace opyard::experiments
