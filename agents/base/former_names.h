// Names of options that were renamed, so that what was stored under the former ones stays readable
// and what is written with them is refused with the new name.
#pragma once

#include <optional>
#include <string>

#include "sim/base/options.h"

namespace opyard::agents {

// The name of an option of `agent` that was once called `former`; nothing if none was.
[[nodiscard]] std::optional<std::string> NewNameOf(const std::string& agent,
                                                   const std::string& former);

// `params` of `agent`, as they were stored, with the names of today.
[[nodiscard]] Options WithNewNames(const std::string& agent, const Options& params);

// Throws InputError naming every option of `params` that has a new name.
void RefuseFormerNames(const std::string& agent, const Options& params);

}  // namespace opyard::agents
