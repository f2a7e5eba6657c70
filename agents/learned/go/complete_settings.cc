#include "agents/learned/go/complete_settings.h"

#include <string>

#include "sim/base/data_root.h"
#include "sim/base/error.h"

namespace opyard::agents::go {
namespace {

constexpr const char* kUntrained =
    "none";  // what `checkpoint` says where weights are to be sampled

}  // namespace

Settings Completed(Settings settings) {
  const Sizes& sizes = settings.training.sizes;
  if (sizes.hidden % sizes.heads != 0) {
    throw InputError("heads: found " + std::to_string(sizes.heads) + ", expected a divisor of " +
                     std::to_string(sizes.hidden) + ", the width `hidden`");
  }
  std::string& checkpoint = settings.session.checkpoint;
  if (settings.training.mode != Mode::kOne && checkpoint.empty()) {
    checkpoint = (DataRoot() / "weights" / "go.opyard").string();
  }
  if (checkpoint == kUntrained) {
    checkpoint.clear();
  }
  return settings;
}

}  // namespace opyard::agents::go
