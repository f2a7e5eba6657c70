// The description of GO's network in a file of its weights.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/go/settings.h"

namespace opyard::agents {

inline constexpr const char* kGoAgent = "go";

[[nodiscard]] std::map<std::string, std::string> ConfigOf(const GoSizes& sizes);

// The sizes of the network that weights belong to. Throws InputError if they are another agent's or
// version's.
[[nodiscard]] GoSizes GoSizesOf(const Checkpoint& weights, const std::filesystem::path& path);

}  // namespace opyard::agents
