#include "agents/learned/go/complete_settings.h"

#include <string>

#include "sim/base/data_root.h"
#include "sim/base/error.h"

namespace opyard::agents {

GoSettings Completed(GoSettings settings) {
  const GoSizes& sizes = settings.training.sizes;
  if (sizes.hidden % sizes.heads != 0) {
    throw InputError("heads: found " + std::to_string(sizes.heads) + ", expected a divisor of " +
                     std::to_string(sizes.hidden) + ", the width `hidden`");
  }
  if (settings.training.mode != GoMode::kOne && settings.session.checkpoint.empty()) {
    settings.session.checkpoint = (DataRoot() / "weights" / "go.opyard").string();
  }
  return settings;
}

}  // namespace opyard::agents
