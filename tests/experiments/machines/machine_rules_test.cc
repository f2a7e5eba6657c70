#include "experiments/machines/machine_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunCommand;
using testing::Workplace;

std::string WithRules(const std::string& rules) {
  return std::string(testing::kTwoDevices) + rules;
}

TEST(MachineRulesTest, ShowSaysTheDefaultsOfAMachineWithoutRules) {
  const Workplace place;
  EXPECT_THAT(RunCommand({"profile", "show", place.Path("machines/two.yaml")}).out, HasSubstr(R"(
rule                           value
rules                          opyard
transfers.sharing              serial
transfers.channels             links, egress, ingress
transfers.gap_after            0.000 ms
transfers.one_per              destination
memory.on_exceed               fail
memory.reserve                 0.0 %
execution.dispatch             0.000 ms
execution.gap_after_op         0.000 ms
execution.trailing_gaps_count  false
execution.streams              serial
fusion.max_ops                 64
fusion.max_depth_span          32
)"));
}

TEST(MachineRulesTest, ShowPrintsWhatAFileSays) {
  const Workplace place;
  place.Write(
      "machines/two.yaml",
      WithRules("rules: regal\ntransfers: {sharing: fair, one_per: edge}\n"
                "memory: {on_exceed: wait, reserve: 0.25}\n"
                "execution: {dispatch: 3 us, gap_after_op: 2 ns, trailing_gaps_count: true,\n"
                "            streams: parallel}\n"
                "fusion: {max_ops: 5, max_depth_span: 7}\n"));
  const std::string text = RunCommand({"profile", "show", place.Path("machines/two.yaml")}).out;
  EXPECT_THAT(text, HasSubstr("rules                          regal\n"));
  EXPECT_THAT(text, HasSubstr("memory.reserve                 25.0 %\n"));
  EXPECT_THAT(text, HasSubstr("execution.dispatch             3.000 us\n"));
  EXPECT_THAT(text, Not(HasSubstr("transfers.channels")));  // they count under serial sharing only
  const nlohmann::json json =
      RunCommand({"profile", "show", place.Path("machines/two.yaml"), "--json"}).Json();
  EXPECT_EQ(json.at("execution"), nlohmann::json::parse(R"(
    {"dispatch_s": 3e-6, "gap_after_op_s": 2e-9, "trailing_gaps_count": true,
     "streams": "parallel"})"));
  EXPECT_EQ(json.at("fusion"), nlohmann::json::parse(R"({"max_ops": 5, "max_depth_span": 7})"));
  EXPECT_EQ(json.at("memory"), nlohmann::json::parse(R"({"on_exceed": "wait", "reserve": 0.25})"));
  EXPECT_EQ(json.at("transfers").at("sharing"), "fair");
  EXPECT_EQ(json.at("transfers").at("one_per"), "edge");
}

TEST(MachineRulesTest, LaunchAndLatencyTakeTheirUnit) {
  const Workplace place;
  place.Write("devices/tiny.yaml", std::string(testing::kTinyDevice) + "launch_overhead: 5 us\n");
  std::string machine = testing::kTwoDevices;
  machine.replace(machine.find("0 us"), 4, "20 ns");
  place.Write("machines/two.yaml", machine);
  const std::string text = RunCommand({"profile", "show", place.Path("machines/two.yaml")}).out;
  EXPECT_THAT(text, HasSubstr(" 5.000 us "));
  EXPECT_THAT(text, HasSubstr("\nlatency       gpu0       gpu1\ngpu0             —  20.000 ns\n"));
}

}  // namespace
}  // namespace opyard::experiments
