// The engine and the reference simulator give the start and finish that SimGrid 3.32 gives to every
// op of 15 small problems, to 1e-9 of the makespan. The cases stand outside the project, in
// ../shared/data/oracles/simgrid beside it; where they are absent, these tests are skipped.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/hardware/routes.h"
#include "tests/support/agreement.h"
#include "tests/support/reference_simulator.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using Json = nlohmann::json;

const char* const kCases =
    "../shared/data/oracles/simgrid/cases";  // tests run in the project's root
constexpr double kTolerance = 1e-9;          // of the makespan

// One output for each outgoing edge, in edge order: one_per edge then orders transfers by edge.
std::shared_ptr<const sim::OpGraph> GraphOf(const Json& problem) {
  std::vector<sim::OpSpec> ops(problem["n"].get<std::size_t>());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    ops[i].name = "op" + std::to_string(i);
    ops[i].type = "MatMul";
    ops[i].seconds.push_back({.where = "*", .seconds = problem["dur"][i].get<double>()});
  }
  for (const Json& edge : problem["edges"]) {
    sim::OpSpec& producer = ops[edge[0].get<std::size_t>()];
    ops[edge[1].get<std::size_t>()].inputs.push_back(
        {.op = edge[0].get<std::int64_t>(),
         .output = static_cast<std::int64_t>(producer.outputs.size())});
    producer.outputs.push_back({.bytes = Bytes{edge[2].get<std::int64_t>()}});
  }
  return MakeGraph(std::move(ops));
}

sim::Plan PlanOf(const Json& problem, const sim::OpGraph& graph) {
  sim::Plan plan = PlacedOn(problem["place"].get<std::vector<std::int32_t>>());
  if (problem["queue"] == "fifo") {
    return plan;
  }
  // There, the smaller priority runs first: ours is the rank from the greatest, which has 0.
  const auto values = problem["prio"].get<std::vector<double>>();
  const std::set<double, std::greater<>> descending(values.begin(), values.end());
  plan.queue = sim::QueueDiscipline::kPriority;
  for (const double value : values) {
    plan.op_priority.push_back(std::distance(descending.begin(), descending.find(value)));
  }
  // Transfers stay first come, first served.
  for (std::size_t tensor = 0; tensor < graph.num_tensors(); ++tensor) {
    for (std::size_t device = 0; device < problem["devices"].get<std::size_t>(); ++device) {
      plan.transfer_priority.push_back({TensorId(tensor), DeviceId(device), 0});
    }
  }
  return plan;
}

// Builds the machine of a problem from its device count, and the names and speeds of its links.
class MachineMaker {
 public:
  explicit MachineMaker(const Json& problem)
      : problem_(problem),
        num_devices_(problem["devices"].get<sim::NodeIndex>()),
        machine_(MeshMachine(static_cast<std::size_t>(num_devices_))) {
    machine_.links.clear();
    machine_.memory.on_exceed = sim::OnExceed::kIgnore;
    machine_.transfers.one_per = sim::OnePer::kEdge;
    if (problem["transfer"] == "fair") {
      machine_.transfers.sharing = sim::Sharing::kFair;
    }
  }

  sim::HardwareProfile Make() {
    if (problem_["links"].empty()) {
      return machine_;
    }
    const std::string first = problem_["links"][0]["name"];
    if (first == "up0") {
      AddStar();
    } else if (first == "nv0") {
      AddTree();
    } else if (first == "bus") {
      AddBus();
    } else if (first == "p0_1") {
      AddMesh("p0_1");
      machine_.transfers.channels = {
          .links = false, .egress = false, .ingress = false, .pair = true};
    } else if (first == "bus0") {
      AddMesh("bus0");
      machine_.transfers.channels = {.links = false, .egress = true, .ingress = false};
    }
    return machine_;
  }

 private:
  [[nodiscard]] double BandwidthOf(const std::string& name) const {
    for (const Json& link : problem_["links"]) {
      if (link["name"] == name) {
        return link["bw"].get<double>();
      }
    }
    throw std::invalid_argument("no link " + name);
  }

  // A link named and as fast as `name`; both directions share it if it is half-duplex.
  void Add(const std::string& name,
           std::vector<sim::NodeIndex> between,
           double latency_us,
           sim::Duplex duplex = sim::Duplex::kFull) {
    machine_.links.push_back({.name = name + "." + std::to_string(machine_.links.size()),
                              .between = std::move(between),
                              .bandwidth_bytes_per_s = BandwidthOf(name),
                              .latency = SimTime::FromSeconds(latency_us * 1e-6),
                              .duplex = duplex});
  }

  // up_i and down_i: one link of device i to a switch, with half the 5 us of a route.
  void AddStar() {
    machine_.switches = {"hub"};
    for (sim::NodeIndex i = 0; i < num_devices_; ++i) {
      Add("up" + std::to_string(i), {i, num_devices_}, 2.5);
    }
  }

  void AddBus() {
    std::vector<sim::NodeIndex> all;
    for (sim::NodeIndex i = 0; i < num_devices_; ++i) {
      all.push_back(i);
    }
    Add("bus", all, 3.0, sim::Duplex::kHalf);
  }

  // All pairs directly, as fast as `name`; the channel kind says what a transfer occupies.
  void AddMesh(const std::string& name) {
    for (sim::NodeIndex i = 0; i < num_devices_; ++i) {
      for (sim::NodeIndex j = i + 1; j < num_devices_; ++j) {
        Add(name, {i, j}, 5.0);
      }
    }
  }

  // Two nodes of four devices: nv joins 2k and 2k + 1, pu leads to the node's switch, no from there
  // to the net.
  void AddTree() {
    machine_.switches = {"node0", "node1", "net"};
    for (sim::NodeIndex i = 0; i < num_devices_; ++i) {
      if (i % 2 == 0) {
        Add("nv" + std::to_string(i), {i, i + 1}, 2.0);
      }
      Add("pu" + std::to_string(i), {i, num_devices_ + i / 4}, 3.5);
    }
    Add("no0", {num_devices_, num_devices_ + 2}, 9.0);
    Add("no1", {num_devices_ + 1, num_devices_ + 2}, 9.0);
  }

  const Json& problem_;
  sim::NodeIndex num_devices_;
  sim::HardwareProfile machine_;
};

// Every route of the machine has the latency and the least bandwidth that the case lists.
void ExpectRoutesOf(const Json& problem, const sim::HardwareProfile& machine) {
  const sim::RouteTable routes(machine);
  for (const Json& listed : problem["routes"]) {
    const sim::Route* route =
        routes.Find(DeviceId(listed[0].get<std::size_t>()), DeviceId(listed[1].get<std::size_t>()));
    ASSERT_NE(route, nullptr);
    double bandwidth = HUGE_VAL;
    for (const Json& link : listed[2]) {
      bandwidth =
          std::min(bandwidth, problem["links"][link.get<std::size_t>()]["bw"].get<double>());
    }
    EXPECT_EQ(route->latency, SimTime::FromSeconds(listed[3].get<double>()));
    EXPECT_EQ(route->bandwidth_bytes_per_s, bandwidth);
  }
}

void ExpectTimesOf(const Json& problem, const sim::SimReport& report) {
  const Json& expected = problem["expect"];
  const double margin = kTolerance * expected["makespan"].get<double>();
  EXPECT_EQ(report.result.outcome, sim::Outcome::kCompleted);
  EXPECT_NEAR(report.result.makespan.seconds(), expected["makespan"].get<double>(), margin);
  for (std::size_t i = 0; i < report.ops.size(); ++i) {
    ASSERT_TRUE(report.ops[i].has_value()) << "op " << i;
    EXPECT_NEAR(report.ops[i]->start.seconds(), expected["start"][i].get<double>(), margin)
        << "start of op " << i;
    EXPECT_NEAR(report.ops[i]->finish.seconds(), expected["finish"][i].get<double>(), margin)
        << "finish of op " << i;
  }
}

class SimGridTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kCases)) {
      GTEST_SKIP() << "no SimGrid cases in " << kCases;
    }
    std::ifstream file(std::string(kCases) + "/" + GetParam() + ".json");
    ASSERT_TRUE(file.good()) << "no case " << GetParam();
    problem_ = Json::parse(file);
    graph_ = GraphOf(problem_);
    machine_ = MachineMaker(problem_).Make();
    plan_ = PlanOf(problem_, *graph_);
    ExpectRoutesOf(problem_, machine_);
  }

  Json problem_;
  std::shared_ptr<const sim::OpGraph> graph_;
  sim::HardwareProfile machine_;
  sim::Plan plan_;
};

TEST_P(SimGridTest, ReferenceGivesItsTimes) {
  const auto costs = CostsOf(*graph_, machine_);
  ExpectTimesOf(problem_, SimulateSlowly(*graph_, machine_, *costs, plan_).report);
}

TEST_P(SimGridTest, EngineGivesItsTimes) {
  sim::Workspace workspace;
  ExpectTimesOf(problem_, EngineAndReference(graph_, machine_).RunEngine(plan_, workspace));
}

INSTANTIATE_TEST_SUITE_P(Cases,
                         SimGridTest,
                         ::testing::Values("both_ways_full_duplex",
                                           "chain_1dev",
                                           "chain_2dev",
                                           "diamond_2dev",
                                           "fanin_fair",
                                           "fanout_fair",
                                           "forkjoin_1dev",
                                           "forkjoin_symmetric",
                                           "half_duplex_bus",
                                           "serial_diamond_2dev",
                                           "serial_sender_random300_fifo",
                                           "star_random200_2dev_fifo",
                                           "star_random200_2dev_priority",
                                           "tree_pingpong",
                                           "two_outputs_same_pair"),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace opyard::testing
