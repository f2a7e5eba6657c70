// Any text is a plan for a small graph and machine, or an InputError; a plan reads as it was
// written, and its run ends.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/io/plan/plan_json.h"
#include "tests/fuzz/fuzz_problem.h"

namespace {

void Check(const opyard::testing::FuzzProblem& problem, const opyard::sim::Plan& plan) {
  const std::string text = opyard::sim::WritePlanText(plan, problem.graph(), problem.hardware());
  OPYARD_CHECK(
      opyard::sim::ReadPlanText(text, "again", problem.graph(), problem.hardware()) == plan,
      "a written plan reads as it was");
  problem.CheckRun(plan);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto problem = opyard::testing::MakeToyProblem();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    Check(problem, opyard::sim::ReadPlanText(text, "fuzz", problem.graph(), problem.hardware()));
  } catch (const opyard::InputError&) {
    // The text is no plan.
  }
  return 0;
}
