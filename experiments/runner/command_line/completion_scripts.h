// The scripts that `opyard completion` prints.
#pragma once

#include <string_view>

namespace opyard::experiments {

// Of bash, fish or zsh: asks `opyard complete WORD…` for candidates, and where it has none offers
// files. REQUIRES: one of these.
[[nodiscard]] std::string_view CompletionScript(std::string_view shell);

}  // namespace opyard::experiments
