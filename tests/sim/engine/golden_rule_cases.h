// The cases of how devices work: rests, memory, queues, fusion, releases, and the rules of
// published models.
#pragma once

#include "tests/sim/engine/golden_parts.h"

namespace opyard::testing {

[[nodiscard]] GoldenCases GapCases();
[[nodiscard]] GoldenCases MemoryCases();
[[nodiscard]] GoldenCases QueueCases();
[[nodiscard]] GoldenCases FusionCases();
[[nodiscard]] GoldenCases PublishedRuleCases();
[[nodiscard]] GoldenCases ReleaseCases();

}  // namespace opyard::testing
