// The cases of how tensors travel: sharing, channels, links and routes.
#pragma once

#include "tests/sim/engine/golden_parts.h"

namespace opyard::testing {

[[nodiscard]] GoldenCases OpyardSharingCases();
[[nodiscard]] GoldenCases PlacetoSharingCases();
[[nodiscard]] GoldenCases ChannelCases();
[[nodiscard]] GoldenCases LinkCases();

}  // namespace opyard::testing
