#include "env/problem_words.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/plan/queue_name.h"

namespace opyard::env {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Queue = sim::QueueDiscipline;

// The message of `read` about `word` at the place "here"; "(accepted)" if it takes it.
template <class Read, class Word>
std::string RefusalOf(Read read, const Word& word) {
  Diagnostics diagnostics;
  const auto value = read(word, "here", diagnostics);
  EXPECT_EQ(value.has_value(), diagnostics.empty());
  return value.has_value() ? "(accepted)" : diagnostics.Text();
}

template <class Read, class Word>
auto ValueOf(Read read, const Word& word) {
  Diagnostics diagnostics;
  const auto value = read(word, "here", diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << diagnostics.Text();
  return value;
}

TEST(ProblemWordsTest, EverySetOfTasksReadsAsItIsPrinted) {
  for (unsigned bits = 1; bits < 8; ++bits) {
    const TaskSet tasks{
        .placement = (bits & 1U) != 0, .scheduling = (bits & 2U) != 0, .fusion = (bits & 4U) != 0};
    EXPECT_EQ(ValueOf(ReadTasks, NamesOf(tasks)), tasks);
    EXPECT_EQ(ValueOf(ReadTasks, SplitNames(TasksText(tasks))), tasks);
  }
  EXPECT_EQ(TasksText({.placement = true, .fusion = true}), "placement,fusion");
}

TEST(ProblemWordsTest, EveryNameStandsForTheValueThatIsPrintedSo) {
  for (const Queue queue : {Queue::kFifo, Queue::kPriority}) {
    EXPECT_EQ(ValueOf(ReadQueue, std::string(NameOf(queue))), queue);
  }
  for (const DefaultFusion fusion :
       {DefaultFusion::kNone, DefaultFusion::kFramework, DefaultFusion::kModule}) {
    EXPECT_EQ(ValueOf(ReadFusion, std::string(NameOf(fusion))), fusion);
  }
  for (const DecidePer unit : {DecidePer::kGroup, DecidePer::kOp, DecidePer::kModule}) {
    EXPECT_EQ(ValueOf(ReadDecisionUnit, std::string(NameOf(unit))),
              DecisionUnit{.decide_per = unit});
  }
  for (const ObjectiveKind kind : {ObjectiveKind::kMakespan, ObjectiveKind::kPeakMemory}) {
    EXPECT_EQ(ValueOf(ReadObjective, std::string(NameOf(kind)))->kind, kind);
  }
}

TEST(ProblemWordsTest, ListsOfNamesHoldThemAll) {
  EXPECT_THAT(TaskNames(), ElementsAre("placement", "scheduling", "fusion"));
  EXPECT_THAT(ObjectiveNames(), ElementsAre("makespan", "peak_memory", "weighted"));
  EXPECT_THAT(sim::QueueNames(), ElementsAre("fifo", "priority", "program", "order"));
  EXPECT_THAT(FusionNames(), ElementsAre("framework", "none", "module"));
  EXPECT_THAT(DecidePerNames(), ElementsAre("group", "op", "module", "colocation", "none"));
}

TEST(ProblemWordsTest, TheWordsOfBothUnitsMeanTheSame) {
  EXPECT_EQ(ValueOf(ReadDecisionUnit, std::string("colocation")),
            DecisionUnit{.decide_per = DecidePer::kGroup});
  EXPECT_EQ(ValueOf(ReadDecisionUnit, std::string("none")),
            DecisionUnit{.decide_per = DecidePer::kOp});
}

TEST(ProblemWordsTest, ModulesMayHaveADepth) {
  const DecisionUnit deep{.decide_per = DecidePer::kModule, .module_depth = 2};
  EXPECT_EQ(ValueOf(ReadDecisionUnit, std::string("module:2")), deep);
  EXPECT_EQ(UnitText(deep), "module:2");
  EXPECT_EQ(ValueOf(ReadUnits, UnitsWord("module:2"))->module_depth, 2);
  EXPECT_EQ(WordOf({.decide_per = DecidePer::kModule, .module_depth = 3}), UnitsWord("module:3"));
  for (const char* name : {"module:0", "module:65", "module:", "module:1.5", "module:-1"}) {
    EXPECT_THAT(RefusalOf(ReadDecisionUnit, std::string(name)),
                ::testing::AllOf(::testing::StartsWith(
                                     "here: found \"" + std::string(name) +
                                     "\", expected one of group, op, module, colocation, none"),
                                 ::testing::EndsWith("; of a depth module:1 to module:64")));
  }
}

// Weights of 15 digits, of which text loses some unless it is written for reading.
rc::Gen<double> AnyWeight() {
  return rc::gen::map(
      rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000'000),
      [](std::int64_t millionths) { return static_cast<double>(millionths) / 1e6; });
}

RC_GTEST_PROP(ProblemWordsProperty, WeightedObjectivesReadAsTheyArePrinted, ()) {
  const Objective objective{.kind = ObjectiveKind::kWeighted,
                            .makespan_weight = *AnyWeight(),
                            .peak_memory_weight = *AnyWeight() + 1e-9};
  const auto again = ValueOf(ReadObjective, ObjectiveText(objective));
  RC_ASSERT(again.has_value());
  RC_ASSERT(again->kind == ObjectiveKind::kWeighted);
  RC_ASSERT(again->makespan_weight == objective.makespan_weight);
  RC_ASSERT(again->peak_memory_weight == objective.peak_memory_weight);
}

RC_GTEST_PROP(ProblemWordsProperty, WeightsReadAsTheyArePrinted, ()) {
  const Objective objective{.kind = ObjectiveKind::kWeighted,
                            .makespan_weight = *AnyWeight() + 1e-9,
                            .peak_memory_weight = *AnyWeight()};
  std::vector<WrittenWeight> written;
  for (const auto& [name, weight] : WeightsOf(objective)) {
    written.push_back({.name = name, .value = weight, .place = "here"});
  }
  const auto again = ValueOf(ReadWeights, written);
  RC_ASSERT(again.has_value());
  RC_ASSERT(ObjectiveText(*again) == ObjectiveText(objective));
}

RC_GTEST_PROP(ProblemWordsProperty, UnitsReadAsTheyArePrinted, ()) {
  const DecisionUnits units{.max_groups = *rc::gen::inRange<std::int32_t>(0, kMostGroups)};
  const auto again = ValueOf(ReadUnits, WordOf(units));
  RC_ASSERT(again.has_value());
  RC_ASSERT(again->decide_per == units.decide_per);
  RC_ASSERT(again->max_groups == units.max_groups);
}

TEST(ProblemWordsTest, UnitsAreANameOrANumberOfGroups) {
  EXPECT_EQ(ValueOf(ReadUnits, UnitsWord("op"))->decide_per, DecidePer::kOp);
  EXPECT_EQ(ValueOf(ReadUnits, UnitsWord("colocation"))->max_groups, 0);
  EXPECT_EQ(ValueOf(ReadUnits, UnitsWord(kMostGroups))->max_groups, kMostGroups);
  EXPECT_EQ(WordOf({.decide_per = DecidePer::kOp, .max_groups = 3}), UnitsWord("op"));
  EXPECT_EQ(RefusalOf(ReadUnits, UnitsWord(std::int64_t{-1})),
            "here: found -1, expected a whole number from 0 to 2147483647");
  EXPECT_EQ(RefusalOf(ReadUnits, UnitsWord(kMostGroups + 1)),
            "here: found 2147483648, expected a whole number from 0 to 2147483647");
  EXPECT_EQ(RefusalOf(ReadUnits, UnitsWord("colocaton")),
            "here: found \"colocaton\", expected a number of groups or one of group, op, "
            "module, colocation, none; did you mean \"colocation\"?");
}

TEST(ProblemWordsTest, AllThatIsWrongWithTasksIsReportedAtOnce) {
  EXPECT_EQ(RefusalOf(ReadTasks, std::vector<std::string>{"fusoin", "placement", "placement", "x"}),
            "here: found the task \"fusoin\", expected placement, scheduling or fusion; did you "
            "mean \"fusion\"?\n"
            "here: found the task \"placement\" twice, expected it once\n"
            "here: found the task \"x\", expected placement, scheduling or fusion");
  EXPECT_EQ(RefusalOf(ReadTasks, std::vector<std::string>{}),
            "here: found no task, expected some of placement, scheduling, fusion");
}

TEST(ProblemWordsTest, AllThatIsWrongWithWeightsIsReportedWhereEachStands) {
  const std::vector<WrittenWeight> weights = {
      {.name = "makespn", .value = 1.0, .place = "a"},
      {.name = "peak_memory", .value = std::nan(""), .place = "b"},
      {.name = "makespan", .value = "heavy", .place = "c"}};
  EXPECT_EQ(RefusalOf(ReadWeights, weights),
            "a: found the weight \"makespn\", expected one of makespan, peak_memory; did you mean "
            "\"makespan\"?\n"
            "b: found nan as the weight of peak_memory, expected a number from 0 to 1e+09\n"
            "c: found \"heavy\" as the weight of makespan, expected a number from 0 to 1e+09");
}

TEST(ProblemWordsTest, WeightsLieBetween0AndTheHeaviestAndOneIsAbove0) {
  const auto refusal_of = [](OptionValue value) {
    return RefusalOf(
        ReadWeights,
        std::vector<WrittenWeight>{{.name = "makespan", .value = std::move(value), .place = "a"}});
  };
  EXPECT_EQ(refusal_of(kHeaviestWeight), "(accepted)");
  EXPECT_EQ(refusal_of(std::int64_t{3}), "(accepted)");
  EXPECT_EQ(refusal_of(std::numeric_limits<double>::denorm_min()), "(accepted)");
  EXPECT_THAT(refusal_of(std::nextafter(kHeaviestWeight, 2e9)), HasSubstr("from 0 to 1e+09"));
  EXPECT_THAT(refusal_of(-0.5), HasSubstr("found -0.5"));
  EXPECT_THAT(refusal_of(std::numeric_limits<double>::infinity()), HasSubstr("found inf"));
  EXPECT_EQ(refusal_of(0.0), "here: weighted: found no weight above 0, expected at least one");
  EXPECT_EQ(RefusalOf(ReadWeights, std::vector<WrittenWeight>{}),
            "here: weighted: found no weight above 0, expected at least one");
}

TEST(ProblemWordsTest, WhatIsLeftOutOfTheWeightsWeighsNothing) {
  const std::vector<WrittenWeight> weights = {
      {.name = "peak_memory", .value = 2.0, .place = "here"}};
  EXPECT_EQ(ObjectiveText(*ValueOf(ReadWeights, weights)), "weighted:0:2");
}

}  // namespace
}  // namespace opyard::env
