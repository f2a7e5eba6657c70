#include "agents/learned/go/complete_settings.h"

#include <string>

#include "agents/learned/go/declaration.h"
#include "sim/base/data_root.h"

namespace opyard::agents::go {
namespace {

constexpr const char* kUntrained =
    "none";  // what `checkpoint` says where weights are to be sampled

}  // namespace

Settings Completed(Settings settings) {
  EnsureHeadsFit(settings.training.sizes);
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
