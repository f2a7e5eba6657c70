// opyard graph info: the tree of modules.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using ::testing::HasSubstr;
using testing::RunCommand;
using testing::Workplace;

TEST(GraphInfoModulesTest, ModulesHaveTheSumsOfTheirOps) {
  const Workplace place;
  const std::string graph = place.Write("modules.graph.json", R"({"format": "opyard-graph/1",
 "name": "modules", "ops": [
 {"name": "w", "type": "Variable", "param_bytes": 7, "outputs": [{"bytes": 7, "alias": "params"}], "phase": "forward"},
 {"name": "a", "type": "Custom", "module": "net.first", "inputs": [[0, 0]], "outputs": [{"bytes": 2}],
  "flops": 3, "seconds": {"*": 0.002}, "phase": "forward"},
 {"name": "b", "type": "Custom", "module": "net.second.inner", "inputs": [[1, 0]], "outputs": [{"bytes": 5}],
  "flops": 11, "seconds": {"gpu": 0.004, "*": 0.003}, "phase": "forward"}]})");
  const auto modules = [&](const std::vector<std::string>& more) {
    std::vector<std::string> args = {"graph", "info", graph, "--json"};
    args.insert(args.end(), more.begin(), more.end());
    return RunCommand(args).Json().at("modules");
  };
  const nlohmann::json found = modules({});
  ASSERT_EQ(found.size(), 4U);  // net.second.inner is deeper than 2
  EXPECT_EQ(found[0],
            nlohmann::json::parse(R"({"path": "", "depth": 0, "ops": 3, "flops": 14, "bytes": 14,
                                      "param_bytes": 7, "time_s": 0.005})"));
  EXPECT_EQ(found[2],
            nlohmann::json::parse(R"({"path": "net.first", "depth": 2, "ops": 2, "flops": 3,
                                      "bytes": 9, "param_bytes": 7, "time_s": 0.002})"));
  EXPECT_EQ(found[3].at("path"), "net.second");
  EXPECT_EQ(found[3].at("time_s"), 0.003);
  EXPECT_EQ(modules({"--modules", "3"}).size(), 5U);
  EXPECT_EQ(modules({"--modules", "0"}).size(), 1U);
  // On a GPU the time there.
  EXPECT_EQ(modules({"--hardware", place.Path("machines/two.yaml")})[3].at("time_s"), 0.004);
  EXPECT_THAT(RunCommand({"graph", "info", graph}).out, HasSubstr("\n    second"));
}

}  // namespace
}  // namespace opyard::experiments
