// The decisions of GO about each row.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opyard::agents {

enum class GoTask : std::uint8_t { kPlacement, kScheduling, kFusion };

inline constexpr std::size_t kNumGoTasks = 3;

}  // namespace opyard::agents
