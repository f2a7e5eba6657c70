// Any text is a solver's schedule of a small graph, or an InputError; its plan completes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "experiments/plans/schedule_plan.h"
#include "sim/base/error.h"
#include "tests/fuzz/fuzz_problem.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto problem = opyard::testing::MakeToyProblem();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    problem.CheckRun(
        opyard::experiments::PlanOfSchedule(text, "fuzz", problem.graph(), problem.hardware()));
  } catch (const opyard::InputError&) {
    // The text is no schedule of the graph.
  }
  return 0;
}
