#include "sim/cost/measured.h"

#include <gtest/gtest.h>

#include "tests/sim/cost/cost_cases.h"

namespace opyard::sim {
namespace {

using opyard::testing::GraphOf;
using opyard::testing::SpecOf;

std::optional<double> Find(std::vector<MeasuredTime> times, const Device& device) {
  OpSpec spec = SpecOf("Relu", 0, 0);
  spec.seconds = std::move(times);
  return FindMeasuredSeconds(*GraphOf(spec), OpId(0), device);
}

Device ADevice() {
  return {.name = "gpu0", .type = "v100", .kind = DeviceKind::kGpu};
}

TEST(MeasuredTest, TheMostSpecificEntryWins) {
  const MeasuredTime any = {.where = "*", .seconds = 1};
  const MeasuredTime kind = {.where = "gpu", .seconds = 2};
  const MeasuredTime type = {.where = "v100", .seconds = 3};
  const MeasuredTime name = {.where = "gpu0", .seconds = 5};
  EXPECT_EQ(Find({any}, ADevice()), 1);
  EXPECT_EQ(Find({any, kind}, ADevice()), 2);
  EXPECT_EQ(Find({type, any, kind}, ADevice()), 3);
  EXPECT_EQ(Find({name, type, any, kind}, ADevice()), 5);
}

TEST(MeasuredTest, EntriesForOtherDevicesDoNotCount) {
  EXPECT_EQ(Find({{.where = "cpu", .seconds = 1}}, ADevice()), std::nullopt);
  EXPECT_EQ(Find({}, ADevice()), std::nullopt);
}

TEST(MeasuredTest, ZeroIsAMeasurement) {
  EXPECT_EQ(Find({{.where = "*", .seconds = 0}}, ADevice()), 0.0);
}

}  // namespace
}  // namespace opyard::sim
