// The decisions of GO about each row.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opyard::agents::go {

enum class Task : std::uint8_t { kPlacement, kScheduling, kFusion };

inline constexpr std::size_t kNumTasks = 3;

}  // namespace opyard::agents::go
