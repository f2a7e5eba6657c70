// The description of GO's network in a file of its weights.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/go/settings.h"

namespace opyard::agents::go {

inline constexpr const char* kAgent = "go";

[[nodiscard]] std::map<std::string, std::string> ConfigOf(const Sizes& sizes);

// The sizes of the network that weights belong to. Throws InputError if they are another agent's or
// version's.
[[nodiscard]] Sizes SizesOf(const Checkpoint& weights, const std::filesystem::path& path);

}  // namespace opyard::agents::go
