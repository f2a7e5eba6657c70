#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/problem_fields.h"
#include "tests/env/small_problems.h"

namespace opyard::env {
namespace {

constexpr Door kDoors[] = {Door::kExperiment, Door::kCommandLine, Door::kCaller};

// Every field differs from its default.
ProblemSettings OtherSettings() {
  return {.tasks = {.placement = false, .scheduling = false, .fusion = true},
          .objective = {.kind = ObjectiveKind::kWeighted,
                        .makespan_weight = 0.5,
                        .peak_memory_weight = 3.0},
          .default_queue = sim::QueueDiscipline::kPriority,
          .default_fusion = DefaultFusion::kNone,
          .decide_per = DecidePer::kOp,
          .max_groups = 7,
          .contiguous = true,
          .memory = sim::OnExceed::kWait,
          .devices = {"d0", "d2"},
          .cost_model = "peak_roofline",
          .baseline = "heft"};
}

// The settings with the field `name` as `value` says.
ProblemSettings With(const std::string& name, const SettingValue& value) {
  ProblemSettings settings = DefaultsAt(Door::kExperiment);
  Diagnostics diagnostics;
  FieldOf(name).read(value, name, settings, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << diagnostics.Text();
  return settings;
}

std::string RefusalOf(std::string_view name, const SettingValue& value) {
  ProblemSettings settings;
  Diagnostics diagnostics;
  FieldOf(name).read(value, "here", settings, diagnostics);
  return diagnostics.Text();
}

class ProblemFieldTest : public ::testing::TestWithParam<std::string> {
 protected:
  const ProblemField& field() const { return FieldOf(GetParam()); }
};

TEST_P(ProblemFieldTest, AValueReadsAsItIsPrinted) {
  for (const ProblemSettings& settings : {ProblemSettings(), OtherSettings()}) {
    const SettingValue value = field().print(settings);
    EXPECT_EQ(field().print(With(GetParam(), value)), value);
  }
}

TEST_P(ProblemFieldTest, ALineOfTextReadsAsItIsPrinted) {
  const SettingValue value = field().print(OtherSettings());
  const SettingValue parsed = ParseSetting(field(), SettingText(value));
  EXPECT_EQ(field().print(With(GetParam(), parsed)), value);
}

TEST_P(ProblemFieldTest, NothingIsAValueOnlyWhereItMeansSomething) {
  const std::string refusal = RefusalOf(GetParam(), SettingValue());
  if (field().nothing.empty()) {
    EXPECT_THAT(refusal, ::testing::StartsWith("here: found nothing, expected "));
  } else {
    EXPECT_EQ(refusal, "");
    EXPECT_EQ(field().print(With(GetParam(), SettingValue())), SettingValue());
  }
}

TEST_P(ProblemFieldTest, HasAMeaningAndADoor) {
  EXPECT_FALSE(field().meaning.empty());
  EXPECT_TRUE(std::ranges::any_of(kDoors, [this](Door door) {
    const auto fields = FieldsAt(door);
    return std::ranges::find(fields, field().name, &DoorField::field) != fields.end();
  }));
}

std::vector<std::string> FieldNames() {
  std::vector<std::string> names;
  for (const ProblemField& field : ProblemFields()) {
    names.emplace_back(field.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(All,
                         ProblemFieldTest,
                         ::testing::ValuesIn(FieldNames()),
                         [](const auto& each) { return each.param; });

TEST(ProblemSettingsTest, FieldsAndTheirNamesAtADoorDiffer) {
  const std::vector<std::string> fields = FieldNames();
  EXPECT_EQ(std::set<std::string>(fields.begin(), fields.end()).size(), fields.size());
  for (const Door door : kDoors) {
    std::set<std::string_view> names;
    for (const DoorField& at : FieldsAt(door)) {
      EXPECT_TRUE(names.insert(at.name).second) << at.name;
    }
  }
}

TEST(ProblemSettingsTest, AllSettingsOfADoorReadAsTheyArePrinted) {
  for (const Door door : kDoors) {
    WrittenSettings written;
    const std::vector<PrintedSetting> printed = PrintSettings(door, OtherSettings());
    for (const auto& [at, value] : printed) {
      written.emplace(at.name, value);
    }
    Diagnostics diagnostics;
    const ProblemSettings again = ReadSettings(door, written, diagnostics);
    EXPECT_EQ(diagnostics.Text(), "");
    for (const auto& [at, value] : printed) {
      EXPECT_EQ(FieldOf(at.field).print(again), value) << at.name;
    }
  }
}

// But for the tasks, which experiments and the command line do not leave to the placement alone.
TEST(ProblemSettingsTest, DefaultsAreTheSameAtEveryDoor) {
  for (const Door door : kDoors) {
    Diagnostics diagnostics;
    const ProblemSettings settings = ReadSettings(door, {}, diagnostics);
    for (const ProblemField& field : ProblemFields()) {
      if (field.name != "tasks") {
        EXPECT_EQ(field.print(settings), field.print(ProblemSettings())) << field.name;
      }
    }
  }
  const std::vector<std::string> both = {"placement", "scheduling"};
  EXPECT_EQ(FieldOf("tasks").print(DefaultsAt(Door::kExperiment)), SettingValue(both));
  EXPECT_EQ(FieldOf("tasks").print(DefaultsAt(Door::kCommandLine)), SettingValue(both));
  EXPECT_EQ(FieldOf("tasks").print(DefaultsAt(Door::kCaller)),
            SettingValue(std::vector<std::string>{"placement"}));
}

TEST(ProblemSettingsTest, AnUnknownSettingIsRefusedWithThoseThatExist) {
  Diagnostics diagnostics;
  static_cast<void>(
      ReadSettings(Door::kCaller, {{"quue", "fifo"}, {"fusion", "none"}}, diagnostics));
  EXPECT_EQ(diagnostics.Text(),
            "quue: found an unknown setting, expected one of tasks, objective, group, fusion, "
            "queue, devices, cost_model, contiguous; did you mean \"queue\"?");
}

TEST(ProblemSettingsTest, AllThatIsWrongIsReportedByItsNameAtTheDoor) {
  Diagnostics diagnostics;
  static_cast<void>(ReadSettings(
      Door::kCommandLine,
      {{"--queue", "lifo"}, {"--memory", "spill"}, {"--devices", 3}, {"--cost-model", "roofln"}},
      diagnostics));
  EXPECT_EQ(diagnostics.Text(),
            "--queue: found \"lifo\", expected one of fifo, priority, program, order; did you mean "
            "\"fifo\"?\n"
            "--memory: found \"spill\", expected one of fail, wait, ignore\n"
            "--devices: found 3, expected a list of names\n"
            "--cost-model: found \"roofln\", expected one of roofline, peak_roofline; did you mean "
            "\"roofline\"?");
}

TEST(ProblemSettingsTest, TheDefaultCostModelIsPrintedAsNothing) {
  EXPECT_EQ(FieldOf("cost_model").print(With("cost_model", "roofline")), SettingValue());
  EXPECT_EQ(FieldOf("cost_model").print(With("cost_model", "peak_roofline")),
            SettingValue("peak_roofline"));
}

TEST(ProblemSettingsTest, AGroupIsAUnitOrANumberOfGroups) {
  EXPECT_EQ(With("group", std::int64_t{7}).max_groups, 7);
  EXPECT_EQ(With("group", "none").decide_per, DecidePer::kOp);
  EXPECT_EQ(With("group", "module:3").decide_per, DecidePer::kModule);
  EXPECT_EQ(With("group", "module:3").module_depth, 3);
  EXPECT_EQ(RefusalOf("max_groups", std::int64_t{-1}),
            "here: found -1, expected a whole number from 0 to 2147483647");
}

TEST(WithMemoryTest, AProblemPutsItsRuleInThePlaceOfTheMachines) {
  EXPECT_EQ(ChainProblem({.memory = sim::OnExceed::kWait})->hardware().memory.on_exceed,
            sim::OnExceed::kWait);
  EXPECT_EQ(ChainProblem()->hardware().memory.on_exceed,
            opyard::testing::MeshMachine(2).memory.on_exceed);
}

TEST(WithMemoryTest, AMachineThatHasTheRuleIsKept) {
  const auto machine =
      std::make_shared<const sim::HardwareProfile>(opyard::testing::MeshMachine(2));
  EXPECT_EQ(WithMemory(machine, std::nullopt), machine);
  EXPECT_EQ(WithMemory(machine, machine->memory.on_exceed), machine);
}

}  // namespace
}  // namespace opyard::env
