// Rules placeto give the makespan, starts and peaks that Placeto's own simulator gives for 17 small
// cases, to 1e-6 of the makespan. The cases stand outside the project, in
// ../shared/data/oracles/placeto beside it; where they are absent, this test is skipped.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/agreement.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using Json = nlohmann::json;

const char* const kCases =
    "../shared/data/oracles/placeto/tiny.json";  // tests run in the project's root
constexpr double kTolerance = 1e-6;              // of the makespan

std::shared_ptr<const sim::OpGraph> GraphOf(const Json& problem) {
  std::vector<sim::OpSpec> ops;
  for (const Json& node : problem["nodes"]) {
    sim::OpSpec op{.name = "n" + std::to_string(ops.size()), .type = "MatMul"};
    op.outputs.push_back({.bytes = Bytes{node[1].get<std::int64_t>()}});
    op.seconds.push_back({.where = "*", .seconds = node[0].get<double>() * 1e-6});
    ops.push_back(std::move(op));
  }
  for (const Json& edge : problem["edges"]) {
    ops[edge[1].get<std::size_t>()].inputs.push_back(
        {.op = edge[0].get<std::int64_t>(), .output = 0});
  }
  return MakeGraph(std::move(ops));
}

sim::HardwareProfile Machine(std::size_t num_devices) {
  sim::HardwareProfile machine = StarMachine(num_devices);
  for (sim::Device& device : machine.devices) {
    device.memory = Bytes{std::int64_t{1} << 50};
  }
  for (sim::Link& link : machine.links) {
    link.bandwidth_bytes_per_s = 7.6e9;
  }
  machine.rules = sim::Rules::kPlaceto;
  machine.transfers.channels = {.links = false, .egress = true, .ingress = false, .pair = false};
  machine.transfers.one_per = sim::OnePer::kOutput;
  machine.transfers.gap_after = SimTime{25'000'000};
  machine.execution.gap_after_op = SimTime{5'700'000};
  machine.execution.trailing_gaps_count = true;
  return machine;
}

TEST(PlacetoOracleTest, GivesItsTimesAndPeaks) {
  if (!std::filesystem::exists(kCases)) {
    GTEST_SKIP() << "no Placeto cases in " << kCases;
  }
  std::ifstream file(kCases);
  const Json cases = Json::parse(file)["cases"];
  ASSERT_EQ(cases.size(), 17U);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Json& expected = cases[i];
    SCOPED_TRACE("case " + std::to_string(i) + ", " + expected["graph"].get<std::string>());
    sim::Workspace workspace;
    const EngineAndReference engine(GraphOf(expected),
                                    Machine(expected["devices"].get<std::size_t>()));
    const sim::SimReport report = engine.RunEngine(
        PlacedOn(expected["placement"].get<std::vector<std::int32_t>>()), workspace);
    const double makespan_us = expected["makespan_us"].get<double>();
    EXPECT_NEAR(report.result.makespan.seconds() * 1e6, makespan_us, kTolerance * makespan_us);
    for (std::size_t op = 0; op < report.ops.size(); ++op) {
      EXPECT_NEAR(report.ops[op]->start.seconds() * 1e6,
                  expected["start_us"][op].get<double>(),
                  kTolerance * makespan_us)
          << "start of op " << op;
    }
    for (std::size_t d = 0; d < report.devices.size(); ++d) {
      EXPECT_EQ(report.devices[d].peak_memory.count, expected["peak_bytes"][d].get<std::int64_t>())
          << "device " << d;
    }
  }
}

}  // namespace
}  // namespace opyard::testing
