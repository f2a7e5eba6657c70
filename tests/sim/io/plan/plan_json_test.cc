#include "sim/io/plan/plan_json.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"

namespace opyard::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Ops x (two outputs), mm, act; mm and act are co-located and run on GPUs only.
std::shared_ptr<const OpGraph> Toy() {
  OpGraphBuilder builder("toy");
  for (const char* name : {"x", "mm", "act"}) {
    OpSpec spec;
    spec.name = name;
    spec.type = "Relu";
    spec.outputs = {OutputSpec{.bytes = Bytes{8}}};
    if (builder.num_ops() == 0) {
      spec.outputs.push_back(OutputSpec{.bytes = Bytes{2}});
    } else {
      spec.colocation = "g";
      spec.device_kinds = DeviceKindSet::None();
      spec.device_kinds.Insert(DeviceKind::kGpu);
    }
    builder.AddOp(spec);
  }
  return builder.Build();
}

// gpu0, gpu1, cpu0.
HardwareProfile Machine() {
  HardwareProfile machine;
  machine.devices.resize(3);
  machine.devices[0].name = "gpu0";
  machine.devices[1].name = "gpu1";
  machine.devices[2].name = "cpu0";
  machine.devices[2].kind = DeviceKind::kCpu;
  return machine;
}

Plan Read(const std::string& text) {
  return ReadPlanText(text, "p.json", *Toy(), Machine());
}

// A legal placement with `rest` added.
std::string With(const std::string& rest) {
  return R"({"format": "opyard-plan/1", "placement": ["cpu0", "gpu1", "gpu1"], )" + rest + "}";
}

std::string Refusal(const std::string& text) {
  try {
    (void)Read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ReadPlanTest, ReadsEverything) {
  const Plan plan = Read(With(R"("graph": "toy", "queue": "priority", "op_priority": [0, 5, -3],
    "transfer_priority": [{"op": 0, "output": 1, "device": "gpu1", "priority": 2}],
    "fusion_priority": [0, 1, 1000000], "fusion_region": [0, 0, 7])"));
  EXPECT_EQ(plan.placement, (std::vector{DeviceId(2), DeviceId(1), DeviceId(1)}));
  EXPECT_EQ(plan.queue, QueueDiscipline::kPriority);
  EXPECT_EQ(plan.op_priority, (std::vector<std::int64_t>{0, 5, -3}));
  EXPECT_EQ(plan.transfer_priority, (std::vector<TransferPriority>{{TensorId(1), DeviceId(1), 2}}));
  EXPECT_EQ(plan.fusion_priority, (std::vector<std::int32_t>{0, 1, 1000000}));
  EXPECT_EQ(plan.fusion_region, (std::vector<std::int32_t>{0, 0, 7}));
}

TEST(ReadPlanTest, QueueFollowsOpPrioritiesUnlessItIsSaid) {
  EXPECT_EQ(Read(With(R"("graph": "toy")")).queue, QueueDiscipline::kFifo);
  EXPECT_EQ(Read(With(R"("op_priority": [1, 2, 3])")).queue, QueueDiscipline::kPriority);
  EXPECT_EQ(Read(With(R"("queue": "fifo", "op_priority": [1, 2, 3])")).queue,
            QueueDiscipline::kFifo);
}

TEST(WritePlanTest, WhatIsWrittenReadsBackEqual) {
  Plan plan;
  plan.placement = {DeviceId(2), DeviceId(0), DeviceId(0)};
  EXPECT_EQ(Read(WritePlanText(plan, *Toy(), Machine())), plan);
  plan.queue = QueueDiscipline::kFifo;
  plan.op_priority = {1, std::int64_t{1} << 53, -(std::int64_t{1} << 53)};
  plan.transfer_priority = {{TensorId(1), DeviceId(1), -7}, {TensorId(0), DeviceId(1), 7}};
  plan.fusion_priority = {19, 0, 3};
  plan.fusion_region = {2, 0, 2147483647};
  EXPECT_EQ(Read(WritePlanText(plan, *Toy(), Machine())), plan);
}

TEST(WritePlanTest, FilesReadBackEqual) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "opyard_plan_test.plan.json";
  Plan plan;
  plan.placement = {DeviceId(0), DeviceId(1), DeviceId(1)};
  WritePlanFile(plan, *Toy(), Machine(), path);
  EXPECT_EQ(ReadPlanFile(path, *Toy(), Machine()), plan);
  std::filesystem::remove(path);
}

TEST(ReadPlanTest, FilesSayForWhichGraphTheyWereWritten) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "opyard_named.plan.json";
  for (const std::string name : {R"("graph": "another",)", ""}) {
    std::ofstream(path) << R"({"format": "opyard-plan/1", )" << name
                        << R"("placement": ["gpu0", "gpu0", "gpu0"]})";
    EXPECT_EQ(ReadNamedPlanFile(path, *Toy(), Machine()).graph, name.empty() ? "" : "another");
  }
  std::filesystem::remove(path);
}

TEST(WritePlanTest, RefusesAPlanThatDoesNotFit) {
  EXPECT_THROW((void)WritePlanText(Plan(), *Toy(), Machine()), PlanError);
}

struct Malformed {
  const char* label;
  std::string text;
  const char* message;  // a part of it
};

class MalformedPlanTest : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedPlanTest, IsRefusedWithPlaceAndExpectation) {
  EXPECT_THAT(Refusal(GetParam().text), HasSubstr(GetParam().message));
}

std::vector<Malformed> Cases() {
  return {
      {"Empty", "", "p.json:1:1: syntax error"},
      {"NotAnObject", "[]", "p.json#: found an array, expected an object"},
      {"WrongFormat",
       R"({"format": "opyard-graph/1", "placement": ["cpu0", "gpu0", "gpu0"]})",
       "p.json#/format: found \"opyard-graph/1\", expected \"opyard-plan/1\""},
      {"NoPlacement", R"({"format": "opyard-plan/1"})", "p.json#: found no key \"placement\""},
      {"UnknownKey", With(R"("fusion": [1, 1, 1])"), "p.json#: found the unknown key \"fusion\""},
      {"DuplicateKey", With(R"("queue": "fifo", "queue": "fifo")"), "the key \"queue\" twice"},
      {"GraphByIndex", With(R"("graph": 3)"), "p.json#/graph: found 3, expected a text"},
      {"UnknownQueue",
       With(R"("queue": "lifo")"),
       "p.json#/queue: found \"lifo\", expected one of fifo, priority"},
      {"UnknownDevice",
       R"({"format": "opyard-plan/1", "placement": ["cpu0", "gpu9", "gpu1"]})",
       "p.json#/placement/1: device \"gpu9\" does not exist; this machine has gpu0, gpu1, cpu0"},
      {"DeviceByIndex",
       R"({"format": "opyard-plan/1", "placement": [0, "gpu1", "gpu1"]})",
       "p.json#/placement/0: found 0, expected a text"},
      {"PlacementAnObject",
       R"({"format": "opyard-plan/1", "placement": {"x": "gpu0"}})",
       "p.json#/placement: found an object, expected an array"},
      {"TooFew",
       R"({"format": "opyard-plan/1", "placement": ["gpu0"]})",
       "p.json#/placement: found 1 entries, expected one per op of graph \"toy\" (3)"},
      {"WrongKind",
       R"({"format": "opyard-plan/1", "placement": ["cpu0", "cpu0", "cpu0"]})",
       "p.json#/placement/1: found \"cpu0\", a cpu; expected a device of a kind that op \"mm\""},
      {"SplitGroup",
       R"({"format": "opyard-plan/1", "placement": ["cpu0", "gpu0", "gpu1"]})",
       "p.json#/placement/2: found \"gpu1\", expected \"gpu0\" as for op \"mm\""},
      {"PriorityTooLarge",
       With(R"("op_priority": [0, 0, 9007199254740993])"),
       "p.json#/op_priority/2: found 9007199254740993, expected an integer from -9007199254740992"},
      {"PriorityAFraction",
       With(R"("op_priority": [0, 0.5, 0])"),
       "p.json#/op_priority/1: found 0.5, expected an integer"},
      {"PriorityBeyondInt64",
       With(R"("op_priority": [0, 18446744073709551616, 0])"),
       "p.json#/op_priority/1: found an integer beyond int64"},
      {"PrioritiesTooFew",
       With(R"("op_priority": [0])"),
       "p.json#/op_priority: found 1 entries, expected one per op"},
      {"PrioritiesNone",
       With(R"("op_priority": [])"),
       "p.json#/op_priority: found 0 entries, expected one per op"},
      {"NegativeRegion",
       With(R"("fusion_region": [0, -1, 0])"),
       "p.json#/fusion_region/1: found -1, expected an integer from 0 to"},
      {"FusionNegative",
       With(R"("fusion_priority": [0, -1, 0])"),
       "p.json#/fusion_priority/1: found -1, expected an integer from 0 to"},
      {"FusionTooLarge",
       With(R"("fusion_priority": [0, 1000001, 0])"),
       "p.json#/fusion_priority/1: found 1000001, expected an integer from 0 to 1000000"},
      {"FusionNull",
       With(R"("fusion_priority": null)"),
       "p.json#/fusion_priority: found null, expected an array"},
      {"TransferOfNoOp",
       With(R"("transfer_priority": [{"op": 3, "output": 0, "device": "gpu0", "priority": 1}])"),
       "p.json#/transfer_priority/0/op: found 3, expected an integer from 0 to 2"},
      {"TransferOfNoOutput",
       With(R"("transfer_priority": [{"op": 1, "output": 1, "device": "gpu0", "priority": 1}])"),
       "p.json#/transfer_priority/0/output: found 1, expected an output of op \"mm\" (it has 1)"},
      {"TransferToNoDevice",
       With(R"("transfer_priority": [{"op": 1, "output": 0, "device": "gpu7", "priority": 1}])"),
       "p.json#/transfer_priority/0/device: device \"gpu7\" does not exist"},
      {"TransferWithoutPriority",
       With(R"("transfer_priority": [{"op": 1, "output": 0, "device": "gpu0"}])"),
       "p.json#/transfer_priority/0: found no key \"priority\", expected it"},
      {"TransferTwice",
       With(R"("transfer_priority": [{"op": 1, "output": 0, "device": "gpu0", "priority": 1},
                                     {"op": 1, "output": 0, "device": "gpu0", "priority": 2}])"),
       "p.json#/transfer_priority/1: found the tensor and device of /transfer_priority/0 again"},
  };
}

std::string LabelOf(const ::testing::TestParamInfo<Malformed>& info) {
  return info.param.label;
}

INSTANTIATE_TEST_SUITE_P(All, MalformedPlanTest, ::testing::ValuesIn(Cases()), LabelOf);

TEST(PlanProblemsTest, AllProblemsOfAFileComeAtOnce) {
  const std::string text = Refusal(
      R"({"format": "x", "placement": ["gpu9", "cpu0", "gpu0"], "fusion_priority": [1, 2, -5]})");
  EXPECT_THAT(text, HasSubstr("p.json#/format"));
  EXPECT_THAT(text, HasSubstr("p.json#/placement/0: device \"gpu9\""));
  EXPECT_THAT(text, HasSubstr("p.json#/placement/1: found \"cpu0\", a cpu"));
  EXPECT_THAT(text, HasSubstr("p.json#/fusion_priority/2: found -5"));
}

TEST(PlanProblemsTest, AnUnknownDeviceCausesNoFurtherMessages) {
  // The stand-in for gpu9 is on the device of the co-located op, and of an allowed kind.
  EXPECT_THAT(Refusal(R"({"format": "opyard-plan/1", "placement": ["cpu0", "gpu9", "gpu1"]})"),
              Not(HasSubstr("\n")));
}

constexpr const char* kOrdered =
    R"({"format": "opyard-plan/1", "queue": "order", "placement": ["gpu0", "gpu1", "gpu1"],
        "order": {"gpu0": [[0]], "gpu1": [[2], [], [1]]}})";

TEST(PlanOrderTest, ReadsStreamsByTheNamesOfDevices) {
  const Plan plan = Read(kOrdered);
  EXPECT_EQ(plan.queue, QueueDiscipline::kOrder);
  EXPECT_EQ(plan.order,
            (std::vector<std::vector<Stream>>{{{OpId(0)}}, {{OpId(2)}, {}, {OpId(1)}}, {}}));
}

TEST(PlanOrderTest, IsTheQueueOfAPlanThatNamesNone) {
  std::string text = kOrdered;
  text.erase(text.find("\"queue\""), std::string_view("\"queue\": \"order\", ").size());
  EXPECT_EQ(Read(text), Read(kOrdered));
}

TEST(PlanOrderTest, IsReadAsItIsWritten) {
  const Plan plan = Read(kOrdered);
  EXPECT_EQ(Read(WritePlanText(plan, *Toy(), Machine())), plan);
}

std::string ErrorOf(const std::string& order) {
  try {
    (void)Read(
        R"({"format": "opyard-plan/1", "queue": "order", "placement": ["gpu0", "gpu1", "gpu1"],
                   "order": )" +
        order + "}");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(PlanOrderTest, ReportsWrongFormsAlone) {
  EXPECT_THAT(ErrorOf(R"({"gpu7": [[0]]})"), HasSubstr("device \"gpu7\" does not exist"));
  EXPECT_THAT(ErrorOf(R"({"gpu0": [[0, "x"]]})"), HasSubstr("p.json#/order/gpu0/0/1: found"));
  EXPECT_THAT(ErrorOf(R"({"gpu0": [0]})"), HasSubstr("p.json#/order/gpu0/0: found"));
  EXPECT_THAT(ErrorOf(R"({"gpu0": [[3]]})"), HasSubstr("p.json#/order/gpu0/0/0: found 3"));
  EXPECT_THAT(ErrorOf(R"({"gpu0": [[0, "x"]]})"), Not(HasSubstr("stands in no stream")));
}

TEST(PlanOrderTest, ReportsWhatTheStreamsLack) {
  EXPECT_THAT(ErrorOf(R"({"gpu0": [[0]], "gpu1": [[1]]})"),
              HasSubstr("p.json#/order: op 2 \"act\" stands in no stream"));
}

TEST(PlanOrderTest, RefusesAnOrderThatCanNeverGoOn) {
  OpGraphBuilder builder("chain");
  OpSpec first;
  first.name = "first";
  first.type = "Relu";
  first.outputs = {OutputSpec{.bytes = Bytes{8}}};
  OpSpec second = first;
  second.name = "second";
  second.inputs = {{0, 0}};
  builder.AddOp(first);
  builder.AddOp(second);
  try {
    (void)ReadPlanText(R"({"format": "opyard-plan/1", "placement": ["gpu0", "gpu0"],
                           "order": {"gpu0": [[1, 0]]}})",
                       "p.json",
                       *builder.Build(),
                       Machine());
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("p.json#/order: deadlock, this order can never go on"));
    EXPECT_THAT(error.what(),
                HasSubstr("stands behind op 1 \"second\", which waits for op 0 \"first\""));
  }
}

}  // namespace
}  // namespace opyard::sim
