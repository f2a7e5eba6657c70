#include "experiments/plans/plan_edits.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/support/small_graphs.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::PlacedOn;
using testing::TimedOp;

// "a" and "b=1" share a label; "c" has none.
std::shared_ptr<const sim::OpGraph> MakeLabelled() {
  std::vector<sim::OpSpec> ops = {TimedOp("a", 1), TimedOp("b=1", 1), TimedOp("c", 1)};
  ops[0].colocation = "l";
  ops[1].colocation = "l";
  return testing::MakeGraph(std::move(ops));
}

template <class Read>
std::string ErrorOf(const Read& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(PlanEditsTest, ADeviceIsForAllOpsOfTheLabel) {
  const auto graph = MakeLabelled();
  const sim::HardwareProfile machine = testing::MeshMachine(2);
  const auto read = [&](const std::string& text) {
    return ReadDeviceChange(text, "--place", *graph, machine, PlacedOn({0, 0, 0}));
  };
  EXPECT_THAT(read("b=1=d1").ops, ElementsAre(OpId(0), OpId(1)));
  EXPECT_EQ(read("b=1=d1").to, DeviceId(1));
  EXPECT_THAT(read("c=d1").ops, ElementsAre(OpId(2)));
  EXPECT_THAT(ErrorOf([&] { (void)read("c"); }),
              HasSubstr("--place: found \"c\", expected OP=DEVICE"));
  EXPECT_THAT(ErrorOf([&] { (void)read("b=d1"); }), HasSubstr("--place: op \"b\" does not exist"));
  EXPECT_THAT(ErrorOf([&] { (void)read("c=d7"); }),
              HasSubstr("device \"d7\" does not exist; this machine has d0, d1"));
}

TEST(PlanEditsTest, APriorityIsAWholeNumber) {
  const auto graph = MakeLabelled();
  EXPECT_EQ(ReadOpPriority("b=1=-3", "--priority", *graph), std::pair(OpId(1), std::int64_t{-3}));
  for (const char* text : {"c=", "c=x", "c=1.5", "c=9007199254740993"}) {
    EXPECT_THAT(ErrorOf([&] { (void)ReadOpPriority(text, "--priority", *graph); }),
                HasSubstr("expected a whole number in ±2^53"))
        << text;
  }
}

TEST(PlanEditsTest, APriorityMakesAPriorityPlan) {
  sim::Plan plan = PlacedOn({0, 0, 0});
  SetOpPriority(OpId(1), 4, "--priority", plan);
  EXPECT_EQ(plan.queue, sim::QueueDiscipline::kPriority);
  EXPECT_THAT(plan.op_priority, ElementsAre(0, 4, 0));
  SetOpPriority(OpId(2), -1, "--priority", plan);
  EXPECT_THAT(plan.op_priority, ElementsAre(0, 4, -1));
  plan.queue = sim::QueueDiscipline::kProgram;
  EXPECT_THAT(ErrorOf([&] { SetOpPriority(OpId(0), 1, "--priority", plan); }),
              HasSubstr("--priority: found a plan of queue program, expected fifo or priority"));
}

}  // namespace
}  // namespace opyard::experiments
