#include "env/problem.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"
#include "tests/env/small_problems.h"
#include "tests/support/golden_graphs.h"

namespace opyard::env {
namespace {

using ::opyard::testing::MakeGraph;
using ::opyard::testing::MeshMachine;
using ::opyard::testing::Microseconds;
using ::opyard::testing::TimedOp;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

sim::DeviceKindSet Only(sim::DeviceKind kind) {
  auto kinds = sim::DeviceKindSet::None();
  kinds.Insert(kind);
  return kinds;
}

// cpu0, then two GPUs.
sim::HardwareProfile MachineWithCpuFirst() {
  sim::HardwareProfile machine = MeshMachine(3);
  machine.devices[0].name = "cpu0";
  machine.devices[0].kind = sim::DeviceKind::kCpu;
  return machine;
}

sim::OpSpec OpOn(const std::string& name, sim::DeviceKind kind, const std::string& label = "") {
  sim::OpSpec op = TimedOp(name, 2);
  op.device_kinds = Only(kind);
  op.colocation = label;
  return op;
}

sim::OpSpec Labelled(const std::string& name, const std::string& label) {
  sim::OpSpec op = TimedOp(name, 2);
  op.colocation = label;
  return op;
}

TEST(ProblemTest, TheFirstAcceleratorIsTheFirstDeviceThatIsNoCpu) {
  EXPECT_EQ(MakeProblem(ChainGraph(), MachineWithCpuFirst())->first_accelerator(), DeviceId(1));
}

TEST(ProblemTest, WithoutAcceleratorTheFirstDeviceStandsIn) {
  sim::HardwareProfile machine = MeshMachine(1);
  machine.devices[0].kind = sim::DeviceKind::kCpu;

  EXPECT_EQ(MakeProblem(ChainGraph(), machine)->first_accelerator(), DeviceId(0));
}

TEST(ProblemTest, AllowedDevicesFollowTheKinds) {
  const auto problem = MakeProblem(
      MakeGraph({OpOn("host", sim::DeviceKind::kCpu), OpOn("kernel", sim::DeviceKind::kGpu)}),
      MachineWithCpuFirst());

  EXPECT_THAT(problem->AllowedDevices(GroupId(0)), ElementsAre(DeviceId(0)));
  EXPECT_THAT(problem->AllowedDevices(GroupId(1)), ElementsAre(DeviceId(1), DeviceId(2)));
}

TEST(ProblemTest, CoLocatedOpsMayRunOnlyWhereAllOfThemMay) {
  const auto problem =
      MakeProblem(MakeGraph({Labelled("free", "g"), OpOn("host", sim::DeviceKind::kCpu, "g")}),
                  MachineWithCpuFirst());

  ASSERT_EQ(problem->grouping().num_groups, 1);
  EXPECT_THAT(problem->AllowedDevices(GroupId(0)), ElementsAre(DeviceId(0)));
}

TEST(ProblemTest, DefaultPlacementIsTheAcceleratorWhereAllowedAndKeepsGroupsTogether) {
  const auto problem = MakeProblem(MakeGraph({TimedOp("plain", 2),
                                              OpOn("host", sim::DeviceKind::kCpu),
                                              Labelled("free", "g"),
                                              OpOn("bound", sim::DeviceKind::kCpu, "g")}),
                                   MachineWithCpuFirst());

  EXPECT_THAT(problem->default_placement(),
              ElementsAre(DeviceId(1), DeviceId(0), DeviceId(0), DeviceId(0)));
}

TEST(ProblemTest, OpsTakeWhatItsCostModelSays) {
  sim::OpSpec op{.name = "op", .type = "Relu"};
  op.outputs = {{.bytes = Bytes{4}}};
  op.bytes_accessed = Bytes{1'000'000};
  sim::HardwareProfile machine = MeshMachine(1);
  machine.devices[0].memory_bandwidth_bytes_per_s = 500e9;
  machine.devices[0].launch_overhead_s = 0.0;
  machine.devices[0].cost = {.memory_efficiency = 0.5};
  const auto seconds = [&](const std::string& model) {
    const auto problem = MakeProblem(MakeGraph({op}), machine, {.cost_model = model});
    return problem->costs().time(OpId(0), DeviceId(0));
  };
  // 1 MB at 500 GB/s, of which `roofline` has half
  EXPECT_EQ(seconds("peak_roofline"), Microseconds(2));
  EXPECT_EQ(seconds("roofline"), Microseconds(4));
  EXPECT_THROW((void)seconds("rooflin"), InputError);
}

TEST(ProblemTest, AnOpWithoutADeviceIsNamed) {
  try {
    (void)MakeProblem(MakeGraph({OpOn("matrix", sim::DeviceKind::kTpu)}), MeshMachine(2));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("op \"matrix\" may run on no device"));
    EXPECT_THAT(error.what(), HasSubstr("kinds allowed: tpu; devices: d0, d1"));
  }
}

// cpu0, gpu-like d1 and d2, of which d2 runs no "Conv2D".
sim::HardwareProfile MachineWithoutConvolutions() {
  sim::HardwareProfile machine = MachineWithCpuFirst();
  machine.devices[2].unsupported = {"Conv2D"};
  return machine;
}

sim::OpSpec OpOfType(const std::string& name, const std::string& type) {
  sim::OpSpec op = TimedOp(name, 2);
  op.type = type;
  return op;
}

std::string FaultOf(std::shared_ptr<const sim::OpGraph> graph,
                    sim::HardwareProfile machine,
                    ProblemSettings settings = {}) {
  try {
    (void)MakeProblem(std::move(graph), std::move(machine), std::move(settings));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ProblemTest, OpsAreNotAllowedOnDevicesThatDoNotSupportTheirType) {
  const auto problem = MakeProblem(MakeGraph({OpOfType("c", "Conv2D"), OpOfType("d", "Conv2d")}),
                                   MachineWithoutConvolutions());

  EXPECT_THAT(problem->AllowedDevices(GroupId(0)), ElementsAre(DeviceId(0), DeviceId(1)));
  EXPECT_THAT(problem->AllowedDevices(GroupId(1)),
              ElementsAre(DeviceId(0), DeviceId(1), DeviceId(2)));
}

TEST(ProblemTest, OnlyTheNamedDevicesAreAllowed) {
  const auto problem =
      MakeProblem(ChainGraph(), MachineWithCpuFirst(), {.devices = {"d2", "cpu0"}});

  EXPECT_THAT(problem->devices(), ElementsAre(DeviceId(0), DeviceId(2)));
  EXPECT_THAT(problem->AllowedDevices(GroupId(1)), ElementsAre(DeviceId(0), DeviceId(2)));
  EXPECT_EQ(problem->first_accelerator(), DeviceId(2));
  EXPECT_THAT(problem->default_placement(), ElementsAre(DeviceId(2), DeviceId(2), DeviceId(2)));
  EXPECT_THAT(problem->settings().devices, ElementsAre("cpu0", "d2"));  // as the machine has them
}

TEST(ProblemTest, AllDevicesByNameAreAllDevices) {
  const auto problem =
      MakeProblem(ChainGraph(), MachineWithCpuFirst(), {.devices = {"d2", "cpu0", "d1"}});

  EXPECT_THAT(problem->settings().devices, ::testing::IsEmpty());
}

TEST(ProblemTest, TheMachineOfAProblemKeepsTheDevicesThatAreLeftOut) {
  const auto problem = MakeProblem(ChainGraph(), MeshMachine(3), {.devices = {"d0", "d2"}});

  EXPECT_EQ(problem->hardware().num_devices(), 3U);
  EXPECT_FALSE(problem->hardware().devices[1].runs_ops);
  EXPECT_TRUE(problem->shared_hardware()->devices[1].runs_ops);
  EXPECT_NE(problem->routes().Find(DeviceId(0), DeviceId(1)), nullptr);
}

TEST(ProblemTest, DevicesThatAreLeftOutBoundTheWork) {
  // Three ops of 2, 3 and 5 us without edges: 10 us on one device, 10/3 us on three.
  const auto graph = MakeGraph({TimedOp("a", 2), TimedOp("b", 3), TimedOp("c", 5)});
  const DefaultFusion none = DefaultFusion::kNone;

  EXPECT_EQ(MakeProblem(graph, MeshMachine(3), {.default_fusion = none})->problem_bound(),
            opyard::testing::Microseconds(5));
  EXPECT_EQ(MakeProblem(graph, MeshMachine(3), {.default_fusion = none, .devices = {"d1"}})
                ->problem_bound(),
            opyard::testing::Microseconds(10));
}

TEST(ProblemTest, APlanOnADeviceThatIsLeftOutIsIllegal) {
  const auto problem = MakeProblem(ChainGraph(), MeshMachine(2), {.devices = {"d0"}});
  sim::Workspace workspace;

  EXPECT_THROW((void)problem->simulator().Run(opyard::testing::PlacedOn({0, 1, 0}), workspace),
               PlanError);
  EXPECT_NO_THROW((void)problem->simulator().Run(opyard::testing::PlacedOn({0, 0, 0}), workspace));
}

TEST(ProblemTest, AnOpThatNoDeviceIsLeftForIsNamedWithTheReasons) {
  const std::string fault = FaultOf(
      MakeGraph({OpOfType("conv", "Conv2D")}), MachineWithoutConvolutions(), {.devices = {"d2"}});

  EXPECT_THAT(fault, HasSubstr("op \"conv\" may run on no device"));
  EXPECT_THAT(fault, HasSubstr("\"cpu0\" is left out by the problem's devices"));
  EXPECT_THAT(fault, HasSubstr("\"d2\" runs no \"Conv2D\" (unsupported)"));
}

TEST(ProblemTest, ThePartnerThatKeepsAnOpFromADeviceIsNamed) {
  sim::OpSpec conv = OpOfType("conv", "Conv2D");
  conv.colocation = "g";
  const std::string fault = FaultOf(MakeGraph({Labelled("free", "g"), std::move(conv)}),
                                    MachineWithoutConvolutions(),
                                    {.devices = {"d2"}});

  EXPECT_THAT(fault, HasSubstr("op \"free\", with those it is co-located with, may run on no"));
  EXPECT_THAT(fault, HasSubstr("\"d2\" runs no \"Conv2D\" (unsupported) for op \"conv\""));
}

TEST(ProblemTest, ADeviceThatTheMachineLacksIsNamed) {
  EXPECT_EQ(
      FaultOf(ChainGraph(), MeshMachine(2), {.devices = {"d0", "d3"}}),
      "devices: found \"d3\"; did you mean \"d0\"?, expected a device of machine \"test\": d0, "
      "d1");
}

TEST(ProblemTest, CoarseningKeepsOpsApartThatRunInDifferentPlaces) {
  // All four ops allow all kinds; the convolutions may not run on d2.
  const auto problem = MakeProblem(MakeGraph({OpOfType("a", "Conv2D"),
                                              TimedOp("b", 3, {{0, 0}}),
                                              OpOfType("c", "Conv2D"),
                                              TimedOp("d", 3, {{2, 0}})}),
                                   MachineWithoutConvolutions(),
                                   {.max_groups = 1});

  EXPECT_THAT(problem->grouping().group_of, ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(problem->AllowedDevices(GroupId(0)), ElementsAre(DeviceId(0), DeviceId(1)));
  EXPECT_THAT(problem->AllowedDevices(GroupId(1)),
              ElementsAre(DeviceId(0), DeviceId(1), DeviceId(2)));
}

TEST(ProblemTest, RulesThatAreNotSimulatedAreRefused) {
  sim::HardwareProfile machine = MeshMachine(2);
  machine.rules = sim::Rules::kPlaceto;
  machine.transfers.sharing = sim::Sharing::kFair;

  EXPECT_THROW((void)MakeProblem(ChainGraph(), machine), UnsupportedError);
}

TEST(ProblemTest, GroupsAreCoarsenedToTheLimit) {
  EXPECT_EQ(ChainProblem({.max_groups = 2})->grouping().num_groups, 2);
}

TEST(ProblemTest, DecidingPerOpKeepsEveryOpButNotCoLocatedOnesApart) {
  const auto problem =
      MakeProblem(MakeGraph({Labelled("a", "g"), TimedOp("b", 3), Labelled("c", "g")}),
                  MeshMachine(2),
                  {.decide_per = DecidePer::kOp, .max_groups = 1});

  EXPECT_THAT(problem->grouping().group_of, ElementsAre(0, 1, 0));
}

// Two modules, of which the second holds another: m.x, m.y, n.
std::shared_ptr<const sim::OpGraph> ModulesGraph() {
  std::vector<sim::OpSpec> ops = {TimedOp("a", 2),
                                  TimedOp("b", 3, {{0, 0}}),
                                  TimedOp("c", 5, {{1, 0}}),
                                  TimedOp("d", 7, {{2, 0}})};
  const char* const modules[] = {"m.x", "m.y", "n", "n"};
  for (std::size_t i = 0; i < ops.size(); ++i) {
    ops[i].module = modules[i];
    ops[i].type = "Relu";
    ops[i].phase = i == 3 ? sim::Phase::kBackward : sim::Phase::kForward;
  }
  return MakeGraph(std::move(ops));
}

TEST(ProblemTest, DecidingPerModuleKeepsModulesWhole) {
  const auto fine = MakeProblem(ModulesGraph(), MeshMachine(2), {.decide_per = DecidePer::kModule});
  EXPECT_THAT(fine->grouping().group_of, ElementsAre(0, 1, 2, 2));
  EXPECT_EQ(fine->finest_grouping(), fine->grouping());
  const auto deep = MakeProblem(
      ModulesGraph(), MeshMachine(2), {.decide_per = DecidePer::kModule, .module_depth = 1});
  EXPECT_THAT(deep->grouping().group_of, ElementsAre(0, 0, 1, 1));
  const auto coarse = MakeProblem(
      ModulesGraph(), MeshMachine(2), {.decide_per = DecidePer::kModule, .max_groups = 1});
  EXPECT_EQ(coarse->finest_grouping().num_groups, 1);
}

TEST(ProblemTest, OpsOfAModuleThatMayRunElsewhereAreDecidedApart) {
  std::vector<sim::OpSpec> ops = {TimedOp("a", 2), TimedOp("b", 3, {{0, 0}})};
  for (sim::OpSpec& op : ops) {
    op.module = "m";
  }
  ops[1].device_kinds = sim::DeviceKindSet::None();
  ops[1].device_kinds.Insert(sim::DeviceKind::kGpu);
  sim::HardwareProfile machine = MeshMachine(2);
  machine.devices[1].kind = sim::DeviceKind::kCpu;
  const auto problem =
      MakeProblem(MakeGraph(std::move(ops)), machine, {.decide_per = DecidePer::kModule});
  EXPECT_THAT(problem->grouping().group_of, ElementsAre(0, 1));
}

TEST(ProblemTest, KernelsMayStayInsideOfModulesAndPhases) {
  const auto problem =
      MakeProblem(ModulesGraph(), MeshMachine(2), {.default_fusion = DefaultFusion::kModule});
  const std::vector<std::int32_t>& region = problem->fusion_region();
  EXPECT_EQ(problem->default_fusion_priority(), (std::vector<std::int32_t>{1, 1, 1, 1}));
  EXPECT_EQ(std::set<std::int32_t>(region.begin(), region.end()).size(), 4U);
  const auto deep = MakeProblem(ModulesGraph(),
                                MeshMachine(2),
                                {.default_fusion = DefaultFusion::kModule, .module_depth = 1});
  EXPECT_EQ(deep->fusion_region()[0], deep->fusion_region()[1]);
  EXPECT_NE(deep->fusion_region()[1], deep->fusion_region()[2]);
  EXPECT_TRUE(ChainProblem()->fusion_region().empty());
}

TEST(ProblemTest, WithoutALimitTheUsualGroupsAreCoarserThanTheFinestOnes) {
  const auto problem = MakeProblem(opyard::testing::LayeredGraph(1, 600), MeshMachine(2), {});

  EXPECT_EQ(problem->grouping().num_groups, kUsualGroups);
  EXPECT_EQ(problem->finest_grouping(), sim::ColocationGroups(problem->graph()));
}

TEST(ProblemTest, ALimitHoldsForTheFinestGroupsAsWell) {
  const auto problem = ChainProblem({.max_groups = 2});

  EXPECT_EQ(problem->finest_grouping(), problem->grouping());
}

// A view decides by other groups, and its plans are those of the problem.
TEST(ProblemTest, AViewSharesAllButItsGroups) {
  const auto problem = MakeProblem(MakeGraph({OpOfType("a", "Conv2D"),
                                              TimedOp("b", 3, {{0, 0}}),
                                              OpOfType("c", "Conv2D"),
                                              TimedOp("d", 3, {{2, 0}})}),
                                   MachineWithoutConvolutions());
  const Problem view(*problem, {.group_of = {0, 1, 0, 1}, .num_groups = 2});

  EXPECT_EQ(view.shared_simulator(), problem->shared_simulator());
  EXPECT_EQ(&view.finest_grouping(), &problem->finest_grouping());
  EXPECT_THAT(view.grouping().group_of, ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(view.AllowedDevices(GroupId(0)), ElementsAre(DeviceId(0), DeviceId(1)));
  EXPECT_THAT(view.AllowedDevices(GroupId(1)), ElementsAre(DeviceId(0), DeviceId(1), DeviceId(2)));
}

TEST(ProblemTest, ANegativeLimitOfGroupsIsRefused) {
  EXPECT_THROW((void)ChainProblem({.max_groups = -1}), InputError);
}

TEST(ProblemTest, WithoutFusionTheBoundOfAChainIsItsLength) {
  EXPECT_EQ(ChainProblem({.default_fusion = DefaultFusion::kNone})->problem_bound(),
            opyard::testing::Microseconds(2 + 3 + 5));
}

// They are matrix products, which share no kernel with what they read.
TEST(ProblemTest, WithFusionOpsThatCannotFuseBoundByTheirTime) {
  EXPECT_EQ(ChainProblem({.default_fusion = DefaultFusion::kFramework})->problem_bound(),
            opyard::testing::Microseconds(2 + 3 + 5));
  EXPECT_EQ(ChainProblem({.tasks = {.fusion = true}, .default_fusion = DefaultFusion::kNone})
                ->problem_bound(),
            opyard::testing::Microseconds(2 + 3 + 5));
}

TEST(ProblemTest, ByDefaultEveryOpFusesAsInAFramework) {
  EXPECT_THAT(ChainProblem()->default_fusion_priority(), ElementsAre(1, 1, 1));
  EXPECT_THAT(ChainProblem({.default_fusion = DefaultFusion::kNone})->default_fusion_priority(),
              ElementsAre());
}

TEST(ProblemTest, NothingFusesUnderRulesPlaceto) {
  sim::HardwareProfile machine = MeshMachine(2);
  machine.rules = sim::Rules::kPlaceto;

  EXPECT_THAT(MakeProblem(ChainGraph(), machine)->default_fusion_priority(), ElementsAre());
  EXPECT_THROW((void)MakeProblem(ChainGraph(), machine, {.tasks = {.fusion = true}}),
               UnsupportedError);
}

TEST(ProblemTest, TheScaleIsTheBoundWithoutFusionAndTheLargestCapacity) {
  sim::HardwareProfile machine = MeshMachine(2);
  machine.devices[1].memory = Bytes{3'000'000};
  machine.memory.reserve = 0.5;
  const ObjectiveScale scale = MakeProblem(ChainGraph(), machine)->objective_scale();

  EXPECT_EQ(scale.reference_makespan, opyard::testing::Microseconds(10));
  EXPECT_EQ(scale.largest_capacity, Bytes{1'500'000});
}

TEST(ProblemTest, TheScaleOfAGraphWithoutTimeCanBeDividedBy) {
  const auto problem = MakeProblem(MakeGraph({TimedOp("view", 0)}), MeshMachine(1));

  EXPECT_EQ(problem->objective_scale().reference_makespan, SimTime{1});
}

}  // namespace
}  // namespace opyard::env
