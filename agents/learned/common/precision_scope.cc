#include "agents/learned/common/precision_scope.h"

#include <ATen/autocast_mode.h>

namespace opyard::agents {

PrecisionScope::PrecisionScope(Precision precision, c10::DeviceType device)
    : device_(device), changes_(precision == Precision::kBfloat16) {
  if (!changes_) {
    return;
  }
  was_enabled_ = at::autocast::is_autocast_enabled(device);
  had_cache_ = at::autocast::is_autocast_cache_enabled();
  at::autocast::set_autocast_dtype(device, at::kBFloat16);
  at::autocast::set_autocast_enabled(device, true);
  // A weight that was rounded without gradients must not serve a pass that wants them.
  at::autocast::set_autocast_cache_enabled(false);
}

PrecisionScope::~PrecisionScope() {
  if (changes_) {
    at::autocast::set_autocast_enabled(device_, was_enabled_);
    at::autocast::set_autocast_cache_enabled(had_cache_);
  }
}

}  // namespace opyard::agents
