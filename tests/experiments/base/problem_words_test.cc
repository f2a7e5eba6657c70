// Experiment files and the command line take the same words of a problem (problem_words.txt, which
// Python's tests read, too).
#include "env/problem_words.h"

#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/registry.h"
#include "env/problem_fields.h"
#include "experiments/cli/problem_arguments.h"
#include "experiments/config/config.h"
#include "tests/experiments/workplace.h"
#include "tests/support/problem_word_cases.h"

namespace opyard::experiments {
namespace {

using opyard::testing::ProblemWordCase;
using opyard::testing::ProblemWordCases;
using ::testing::HasSubstr;
using testing::RunCommand;
using testing::Workplace;

// The setting of `problem` that the case is about, in words.
std::string WordsOf(const env::ProblemSettings& problem, const std::string& what) {
  return env::SettingText(env::FieldOf(what).print(problem));
}

// `text` as an override of an experiment has it: "problem.tasks=[\"placement\"]".
std::string OverrideOf(const ProblemWordCase& word) {
  const env::ProblemField& field = env::FieldOf(word.what);
  std::string text = field.form == env::SettingForm::kCount ? word.text : "\"" + word.text + "\"";
  if (field.form == env::SettingForm::kNames) {
    std::string list;
    for (const std::string& name : env::SplitNames(word.text)) {
      list += (list.empty() ? "\"" : ", \"") + name + "\"";
    }
    text = "[" + list + "]";
  }
  return std::string(env::NameAt(env::Door::kExperiment, word.what).name) + "=" + text;
}

std::string OptionOf(const ProblemWordCase& word) {
  return std::string(env::NameAt(env::Door::kCommandLine, word.what).name);
}

class ProblemWordsTest : public ::testing::TestWithParam<ProblemWordCase> {};

TEST_P(ProblemWordsTest, AreReadFromExperiments) {
  const Workplace place;
  const std::string text = OverrideOf(GetParam());
  Diagnostics diagnostics;
  const ExperimentConfig config =
      ReadExperiment(place.Path("experiment.yaml"), {text}, agents::ClassicalAgents(), diagnostics);
  if (GetParam().is_legal) {
    EXPECT_EQ(diagnostics.Text(), "");
    EXPECT_EQ(WordsOf(config.problem, GetParam().what), GetParam().answer);
  } else {
    EXPECT_THAT(diagnostics.Text(), HasSubstr("--set " + text + ":1:"));
    EXPECT_THAT(diagnostics.Text(), HasSubstr(GetParam().answer));
  }
}

TEST_P(ProblemWordsTest, AreReadFromTheCommandLine) {
  const std::string option = OptionOf(GetParam());
  if (GetParam().is_legal) {
    CLI::App subcommand;
    ProblemArguments arguments;
    AddProblem(subcommand, arguments);
    subcommand.parse(std::vector<std::string>{GetParam().text, option});  // from the back
    EXPECT_EQ(WordsOf(ToProblem(arguments), GetParam().what), GetParam().answer);
    return;
  }
  const testing::Ended ended = RunCommand(
      {"place", "--graph", "g", "--hardware", "m", "--agent", "heft", option, GetParam().text});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr(option + ": "));
  EXPECT_THAT(ended.err, HasSubstr(GetParam().answer));
}

INSTANTIATE_TEST_SUITE_P(All, ProblemWordsTest, ::testing::ValuesIn(ProblemWordCases()));

TEST(ProblemArgumentsTest, WhatIsNotGivenIsAsInAnExperiment) {
  EXPECT_EQ(SettingsJson({.problem = ToProblem({})}, {}, Rewards::kNone),
            SettingsJson({}, {}, Rewards::kNone));
}

TEST(ProblemArgumentsTest, AllThatIsWrongIsReportedAtOnce) {
  const testing::Ended ended = RunCommand({"place",
                                           "--graph",
                                           "g",
                                           "--hardware",
                                           "m",
                                           "--agent",
                                           "heft",
                                           "--tasks",
                                           "fusion,fussion",
                                           "--queue",
                                           "lifo",
                                           "--fusion",
                                           "all",
                                           "--decide-per",
                                           "layer",
                                           "--objective",
                                           "speed"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(
      ended.err,
      "--tasks: found the task \"fussion\", expected placement, scheduling or fusion; did you "
      "mean \"fusion\"?\n"
      "--objective: found \"speed\", expected makespan, peak_memory or weighted:A:B with a "
      "weight above 0, for A x makespan / lower bound + B x peak memory / largest device\n"
      "--queue: found \"lifo\", expected one of fifo, priority, program, order; did you mean "
      "\"fifo\"?\n"
      "--fusion: found \"all\", expected one of framework, none, module\n"
      "--decide-per: found \"layer\", expected one of group, op, module, colocation, none\n");
}

TEST(GraphSampleTest, TakesTheObjectivesOfPlace) {
  EXPECT_EQ(RunCommand({"graph",
                        "sample",
                        "random:regal?n=20",
                        "--hardware",
                        "regal",
                        "--count",
                        "1",
                        "--out",
                        "unused",
                        "--objective",
                        "weighted:0:0"})
                .err,
            "--objective: weighted: found no weight above 0, expected at least one\n");
}

}  // namespace
}  // namespace opyard::experiments
