// Aids to writing command lines: help, examples, hints, completion.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/cli/command_line/parser.h"
#include "sim/base/error.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::Ended;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::RunCommand;
using testing::Workplace;

using Words = std::vector<std::string>;

Words LinesOf(const std::string& text) {
  Words lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

Words operator+(Words words, const std::string& last) {
  words.push_back(last);
  return words;
}

Words Complete(Words words) {
  words.insert(words.begin(), "complete");
  const Ended ended = RunCommand(words);
  EXPECT_EQ(ended.status, 0) << ended.err;
  return LinesOf(ended.out);
}

// A subcommand and all subcommands below it, as completion lists them.
std::vector<Words> SubcommandsBelow(const Words& subcommand) {
  std::vector<Words> all = {subcommand};
  // Below a subcommand without subcommands completion lists values of its argument, which have no
  // help.
  if (RunCommand(subcommand + "--help").out.find("SUBCOMMAND") != std::string::npos) {
    for (const std::string& name : Complete(subcommand + "")) {
      std::ranges::copy(SubcommandsBelow(subcommand + name), std::back_inserter(all));
    }
  }
  return all;
}

// The words of an example without what is a shell's or a reader's.
Words WordsOf(std::string example) {
  example = example.substr(0, std::min(example.find(" > "), example.find("   (")));
  std::erase(example, '\'');
  Words words;
  std::istringstream in(example);
  for (std::string word; in >> word;) {
    words.push_back(word);
  }
  return words;
}

TEST(HelpTest, NamesEverySubcommand) {
  const std::string help = RunCommand({"--help"}).out;
  for (const char* subcommand : {"run, sweep",
                                 "validate",
                                 "results",
                                 "place",
                                 "simulate",
                                 "plan",
                                 "graph",
                                 "profile",
                                 "agents",
                                 "export",
                                 "duel",
                                 "task",
                                 "doctor",
                                 "bench",
                                 "completion"}) {
    EXPECT_THAT(help, HasSubstr(std::string("\n  ") + subcommand + " "));
  }
  EXPECT_THAT(help, HasSubstr("graphs: info, list, coarsen, microbatch, show, diff, annotate"));
  EXPECT_THAT(help, HasSubstr("(Python package): torch, jax, tensorflow\n"));
}

TEST(HelpTest, EverySubcommandHasExamplesThatCanBeParsed) {
  const std::vector<Words> subcommands = SubcommandsBelow({});
  EXPECT_GT(subcommands.size(), 25U);
  for (const Words& subcommand : subcommands) {
    const Words lines = LinesOf(RunCommand(subcommand + "--help").out);
    const auto title = std::ranges::find(lines, "Examples:");
    ASSERT_NE(title, lines.end()) << ::testing::PrintToString(subcommand);
    const Words examples(title + 1, lines.end());
    EXPECT_THAT(examples, Contains(HasSubstr("  opyard ")));
    for (const std::string& example : examples) {
      const Words words = WordsOf(example);
      if (!words.empty()) {
        EXPECT_EQ(words.front(), "opyard");
        EXPECT_NO_THROW((void)ParseCommandLine({words.begin() + 1, words.end()})) << example;
      }
    }
  }
}

TEST(HelpTest, ExportSaysWhereItIsToBeHad) {
  const Ended ended = RunCommand({"export", "torch", "m:f", "--out", "g.json"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("Python package"));
}

TEST(HelpTest, AuthoringOfProfilesSaysWhereItIsToBeHad) {
  for (const Words& words : {Words{"profile", "new", "--out", "m.yaml"},
                             Words{"profile", "import", "topo.txt", "--out", "m.yaml"}}) {
    const Ended ended = RunCommand(words);
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.err, HasSubstr("Python package"));
  }
}

TEST(HintTest, MisspelledOptionsAreAnsweredWithTheNearest) {
  EXPECT_EQ(RunCommand({"place", "--evaluatons", "3"}).err,
            "opyard place: --evaluatons is not an option; did you mean \"--evaluations\"?; "
            "see opyard place --help\n");
  EXPECT_THAT(RunCommand({"graph", "info", "g", "--hardwar=m"}).err,
              HasSubstr("--hardwar is not an option; did you mean \"--hardware\"?"));
  EXPECT_THAT(RunCommand({"--versoin"}).err, HasSubstr("did you mean \"--version\"?"));
  EXPECT_THAT(RunCommand({"export", "torch", "m:f", "--optimzer", "sgd"}).err,
              HasSubstr("did you mean \"--optimizer\"?"));
}

TEST(CompletionTest, SubcommandsAndTheirSubcommandsAreOffered) {
  EXPECT_THAT(Complete({"p"}), ElementsAre("place", "plan", "profile"));
  EXPECT_THAT(Complete({"graph", "co"}), ElementsAre("coarsen", "convert"));
  EXPECT_THAT(Complete({"export", ""}), ElementsAre("jax", "tensorflow", "torch"));
}

TEST(CompletionTest, OptionsAndTheirChoicesAreOffered) {
  EXPECT_THAT(Complete({"simulate", "--g"}), ElementsAre("--gantt", "--graph"));
  EXPECT_THAT(Complete({"place", "--queue", ""}),
              ElementsAre("fifo", "order", "priority", "program"));
  EXPECT_THAT(Complete({"place", "--queue=f"}), ElementsAre("--queue=fifo"));
  EXPECT_THAT(Complete({"export", "torch", "m:f", "--optimizer", "a"}),
              ElementsAre("adagrad", "adam", "adamw"));
  EXPECT_THAT(Complete({"place", "--json", "--tasks", "fu"}), ElementsAre("fusion"));
}

TEST(CompletionTest, NamesOfAgentsGraphsAndMachinesAreOffered) {
  EXPECT_THAT(Complete({"place", "--agent", "he"}), ElementsAre("heft", "heft_aware"));
  EXPECT_THAT(Complete({"agents", "show", "met"}), ElementsAre("metis", "metis_memory"));
  EXPECT_THAT(Complete({"graph", "info", "incep"}), ElementsAre("inception_v3"));
  EXPECT_THAT(Complete({"place", "--graph", "random:lay"}), ElementsAre("random:layered"));
  EXPECT_THAT(Complete({"simulate", "--hardware", "p100x2"}), ElementsAre("p100x2-pcie"));
  EXPECT_THAT(Complete({"profile", "show", "v100-"}), Contains("v100-sxm2-16gb"));
  EXPECT_THAT(Complete({"run", "quick"}), ElementsAre("quickstart"));
}

TEST(CompletionTest, WhereAFileIsExpectedNothingIsOffered) {
  EXPECT_THAT(Complete({"simulate", "--plan", ""}), IsEmpty());
  EXPECT_THAT(Complete({"run", "quickstart", ""}), IsEmpty());
  EXPECT_THAT(Complete({"nonsense", "--", "x"}), IsEmpty());
}

TEST(CompletionTest, EveryShellHasAScript) {
  for (const char* shell : {"bash", "fish", "zsh"}) {
    EXPECT_THAT(RunCommand({"completion", shell}).out, HasSubstr(" complete "));
  }
  EXPECT_EQ(RunCommand({"completion", "cmd"}).status, 2);
}

}  // namespace
}  // namespace opyard::experiments
