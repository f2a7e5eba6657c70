#include "experiments/cli/agents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;

std::vector<std::string> KeysOf(const nlohmann::json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) {
    keys.push_back(key);
  }
  return keys;
}

TEST(AgentsTest, ListHasExactlyItsFieldsSortedByName) {
  const Ended ended = RunCommand({"agents", "list", "--json"});
  const nlohmann::json json = ended.Json();
  ASSERT_GE(json.size(), 7U);
  for (std::size_t i = 0; i < json.size(); ++i) {
    EXPECT_THAT(KeysOf(json[i]),
                ::testing::UnorderedElementsAre("name", "kind", "tasks", "start", "paper"));
    EXPECT_TRUE(i == 0 || json[i - 1].at("name") < json[i].at("name"));
  }
  EXPECT_EQ(RunCommand({"agents", "show", "hefty"}).status, 2);
}

TEST(AgentsTest, ShowSaysWhatAnAgentTakes) {
  EXPECT_EQ(
      RunCommand({"agents", "show", "metis"}).out,
      R"(metis (classical): Balanced k-way partition with the least traffic between devices, the best of several; blind to memory and to the order of work.
decides: placement, scheduling
paper: Karypis and Kumar, SIAM J. Sci. Comput. 1998
deviation: Published tables show one partition, {tries: 1}; the best of 16 that stands here by default is not METIS's published result. The further ones differ by seed, imbalance, the number of devices and a random assignment of parts to devices.
deviation: A group that may not be on its part's device goes to the one of its allowed devices with which it shares most bytes.
deviation: Where scheduling is a task, each placement is evaluated with the problem's default queue and with upward ranks as priorities.

parameter     default  legal        paper  meaning
tries         16       1 to 10000   1      partitions that are made, on all devices, the first 2, 4, 8, … of them in turn; the best plan counts
imbalance     0.03     0.001 to 10  0.03   the fraction by which a part may exceed its share of the work in the first try on each number of devices; the others take 0.1, 0.3, 0.03 and 0.01 in turn
memory_aware  false    true, false  false  whether parts balance their memory as well
)");
  EXPECT_THAT(RunCommand({"agents", "show", "single_device"}).out, HasSubstr("parameters: none"));
  EXPECT_THAT(RunCommand({"agents", "show", "brkga"}).out,
              HasSubstr("\nbegins at: plans of heuristics (rules)\n"));
}

TEST(AgentsTest, ShowPrintsEveryParameterInJson) {
  const nlohmann::json json = RunCommand({"agents", "show", "heft_aware", "--json"}).Json();
  EXPECT_EQ(json.at("deviations").size(), 3U);
  ASSERT_EQ(json.at("options").size(), 3U);
  EXPECT_EQ(json.at("options")[1].at("allowed"),
            nlohmann::json::parse(R"(["all_devices", "main_devices", "both"])"));
  EXPECT_EQ(json.at("options")[1].at("default"), "main_devices");
  EXPECT_EQ(json.at("options")[1].at("paper"), "all_devices");
  const nlohmann::json cooling =
      RunCommand({"agents", "show", "simulated_annealing", "--json"}).Json().at("options")[0];
  EXPECT_THAT(KeysOf(cooling),
              ::testing::UnorderedElementsAre("name", "default", "range", "meaning", "paper"));
  EXPECT_EQ(cooling.at("range"), nlohmann::json::parse("[0.01, 1.0]"));
}

}  // namespace
}  // namespace opyard::experiments
