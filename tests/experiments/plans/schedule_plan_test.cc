#include "experiments/plans/schedule_plan.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/support/agreement.h"
#include "tests/support/report_times.h"
#include "tests/support/small_graphs.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TimedOp;

// a 2 us, b 3 us, and c 5 us, which reads a.
std::shared_ptr<const sim::OpGraph> MakeFork() {
  return testing::MakeGraph({TimedOp("a", 2), TimedOp("b", 3), TimedOp("c", 5, {{.op = 0}})});
}

std::string ErrorOf(const std::string& text) {
  try {
    (void)PlanOfSchedule(text, "s.csv", *MakeFork(), testing::MeshMachine(2));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SchedulePlanTest, EachDeviceRunsItsOpsByTheirStarts) {
  const sim::HardwareProfile machine = testing::MeshMachine(2);
  const sim::Plan plan = PlanOfSchedule(
      "note,op,start_s,device\nx,c,5e-6,d0\ny,b,0,d0\nz,a,0.0,d1\n", "s.csv", *MakeFork(), machine);
  EXPECT_EQ(plan.queue, sim::QueueDiscipline::kOrder);
  EXPECT_THAT(plan.placement, ElementsAre(DeviceId(1), DeviceId(0), DeviceId(0)));
  EXPECT_THAT(plan.order[0], ElementsAre(ElementsAre(OpId(1), OpId(2))));
  EXPECT_THAT(plan.order[1], ElementsAre(ElementsAre(OpId(0))));
  // d1: a 0–2, its copy to d0 2–3; d0: b 0–3, c 3–8, earlier than the schedule says.
  EXPECT_THAT(testing::StartsInUs(testing::Simulate(MakeFork(), machine, plan)),
              ElementsAre(0, 0, 3));
}

// Of equal starts the lower topological index comes first: a, b, c. 0.1 ps is the same picosecond.
TEST(SchedulePlanTest, EqualStartsGoByTopologicalIndex) {
  const sim::Plan plan = PlanOfSchedule("op,device,start_s\nb,d0,1e-13\nc,d0,0\na,d0,0\n",
                                        "s.csv",
                                        *MakeFork(),
                                        testing::MeshMachine(1));
  EXPECT_THAT(plan.order[0], ElementsAre(ElementsAre(OpId(0), OpId(1), OpId(2))));
}

TEST(SchedulePlanTest, AllProblemsAreReportedAtOnceWithTheirLines) {
  const std::string error = ErrorOf("op,device,start_s\na,d9,0\nz,d0,1\nb,d0,-1\nb,d1,nan\nb,d1,0");
  for (const char* part :
       {"s.csv:2: device: \"d9\" does not exist; this machine has d0, d1",
        "s.csv:3: op: \"z\" does not exist in graph",
        "s.csv:4: start_s: found \"-1\", expected seconds from 0 to 4.6e6",
        "s.csv:5: start_s: found \"nan\", expected seconds",
        "s.csv:6: op: found \"b\" again, expected each op once: it stands in line 4"}) {
    EXPECT_THAT(error, HasSubstr(part));
  }
  EXPECT_THAT(ErrorOf("op,device,start_s\na,d0,0\n"),
              HasSubstr("s.csv: found no row of op \"b\", expected one"));
  EXPECT_THAT(ErrorOf("op,device\na,d0\n"), HasSubstr("s.csv:1: found the columns op, device"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("s.csv:1: found no line of titles"));
}

TEST(SchedulePlanTest, StartsBeforeThoseOfInputsAreADeadlock) {
  EXPECT_THAT(ErrorOf("op,device,start_s\nc,d0,0\na,d0,1\nb,d0,2\n"),
              HasSubstr("s.csv: deadlock, the order of these starts can never go on: "));
}

}  // namespace
}  // namespace opyard::experiments
