// `opyard completion`: the scripts that complete command lines in shells.
#pragma once

#include <string>

#include "experiments/console/console.h"

namespace opyard::experiments {

struct CompletionOptions {
  std::string shell;  // "bash", "fish" or "zsh"
};

// The script asks `opyard complete WORD…` for candidates, and where it has none offers files.
// REQUIRES: one of these shells.
[[nodiscard]] int PrintCompletionScript(const CompletionOptions& options, const Console& console);

}  // namespace opyard::experiments
