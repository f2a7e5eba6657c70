#include "experiments/console/out_file.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/io/graph/graph_json.h"
#include "sim/io/text/text_file.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;
using testing::Workplace;

constexpr const char* kPlan =
    R"({"format": "opyard-plan/1", "graph": "toy", "placement": ["gpu0", "gpu0", "gpu1"]})";

using Args = std::vector<std::string>;

// Runs the subcommand on the toy graph, with the arguments `more`.
Ended RunSubcommand(const Workplace& place, Args subcommand, const Args& more) {
  subcommand.insert(subcommand.end(), more.begin(), more.end());
  if (subcommand[0] == "graph") {
    subcommand.insert(subcommand.begin() + 2, place.Path("toy.graph.json"));
    return RunCommand(subcommand);
  }
  for (const std::string& word : {std::string("--graph"),
                                  place.Path("toy.graph.json"),
                                  std::string("--hardware"),
                                  place.Path("machines/two.yaml")}) {
    subcommand.push_back(word);
  }
  return RunCommand(subcommand);
}

struct WritingSubcommand {
  Args words;
  std::string option;
};

std::vector<WritingSubcommand> WritingSubcommands(const Workplace& place) {
  return {{{"place", "--agent", "random", "--evaluations", "5"}, "--out"},
          {{"simulate", "--plan", place.Write("p.plan.json", kPlan)}, "--trace"},
          {{"graph", "convert"}, "--out"},
          {{"graph", "coarsen", "--max-groups", "2"}, "--out"},
          {{"graph",
            "annotate",
            "--times",
            place.Write("times.csv", "op,us\na,3\n"),
            "--device",
            "gpu"},
           "--out"}};
}

TEST(OutFileTest, StandardOutputHoldsTheFileAloneAndStandardErrorTheText) {
  const Workplace place;
  for (const auto& [words, option] : WritingSubcommands(place)) {
    const std::string file = place.Path("written.json");
    const Ended to_file = RunSubcommand(place, words, {option, file});
    ASSERT_EQ(to_file.status, 0) << words[0] << to_file.err;
    for (const char* name : {"-", "/dev/stdout"}) {
      const Ended to_output = RunSubcommand(place, words, {option, name});
      EXPECT_EQ(to_output.status, 0) << to_output.err;
      EXPECT_EQ(to_output.out, sim::ReadTextFile(file)) << words[0] << name;
      EXPECT_NE(to_output.err, "") << words[0];
    }
    EXPECT_EQ(to_file.err, "") << words[0];
    EXPECT_NE(to_file.out, "") << words[0];
  }
}

TEST(OutFileTest, JsonAndAFileOnStandardOutputAreRefusedTogether) {
  const Workplace place;
  for (const auto& [words, option] : WritingSubcommands(place)) {
    const Ended ended = RunSubcommand(place, words, {option, "-", "--json"});
    EXPECT_EQ(ended.status, 2) << words[0];
    EXPECT_THAT(ended.err, HasSubstr(option + " -: --json prints to standard output, too"));
    EXPECT_EQ(ended.out, "");
  }
}

TEST(OutFileTest, ADrawingFollowsTheTextToStandardError) {
  const Workplace place;
  const std::string plan = place.Write("p.plan.json", kPlan);
  const Ended ended = RunSubcommand(
      place, {"simulate", "--plan", plan}, {"--trace", "-", "--gantt", "--width", "31"});
  EXPECT_THAT(ended.err, HasSubstr("\ngpu0         |"));
  EXPECT_EQ(ended.Json().at("otherData").at("makespan_ps"), 8'000'000'000);
}

TEST(OutFileTest, AFullDeviceIsAnErrorAndStaysADevice) {
  const Workplace place;
  // Through a link: were the device itself replaced, the machine would be without it.
  std::filesystem::create_symlink("/dev/full", place.Path("full.json"));
  for (const auto& [words, option] : WritingSubcommands(place)) {
    const Ended ended = RunSubcommand(place, words, {option, place.Path("full.json")});
    EXPECT_EQ(ended.status, 2) << words[0];
    EXPECT_THAT(ended.err, HasSubstr("full.json: cannot be written: No space left on device"));
    EXPECT_TRUE(std::filesystem::is_character_file(place.Path("full.json")));
  }
}

TEST(PlaceTest, WithoutOutItPrintsItsResultAndWritesNothing) {
  const Workplace place;
  const auto num_files = [&place] {
    return std::distance(std::filesystem::recursive_directory_iterator(place.Path("")), {});
  };
  const auto before = num_files();
  const Args words = {"place", "--agent", "random", "--evaluations", "5"};
  const Ended text = RunSubcommand(place, words, {});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("random: step time"));
  EXPECT_EQ(text.out.find("; plan in"), std::string::npos);
  EXPECT_GT(RunSubcommand(place, words, {"--json"}).Json().at("makespan_s"), 0.0);
  EXPECT_EQ(num_files(), before);
}

TEST(PlaceTest, AnEmptyOutIsRefusedBeforeTheSearch) {
  const Ended ended = RunSubcommand(Workplace(), {"place", "--agent", "random"}, {"--out", ""});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("expected the name of a file to write"));
}

TEST(GraphConvertTest, ADeviceWithoutASuffixTakesJson) {
  const Workplace place;
  EXPECT_EQ(RunSubcommand(place, {"graph", "convert"}, {"--out", "/dev/null"}).status, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(MistakenFileTest, IsNamedWhereverItIsGiven) {
  const Workplace place;
  const std::string graph = place.Path("toy.graph.json");
  const std::string machine = place.Path("machines/two.yaml");
  const std::string plan = place.Write("p.plan.json", kPlan);
  const std::string foreign = place.Write("package.json", R"({"name": "x", "version": "1"})");
  const std::vector<std::pair<Args, std::string>> cases = {
      {{"graph", "info", foreign}, "found JSON of another program, expected a graph"},
      {{"graph", "info", foreign}, "opyard graph convert --help"},
      {{"graph", "info", plan}, "found a plan of opyard (it goes to --plan), expected a graph"},
      {{"simulate", "--graph", graph, "--hardware", machine, "--plan", graph},
       "found a graph of opyard (it goes where a graph is named), expected a plan"},
      {{"simulate", "--graph", graph, "--hardware", machine, "--plan", foreign},
       "found JSON of another program, expected a plan (opyard-plan/1); opyard place --out"},
      {{"simulate", "--graph", graph, "--hardware", plan, "--plan", plan},
       "found a file of the format opyard-plan/1, expected YAML"},
      {{"run", graph}, "found a file of the format opyard-graph/1, expected YAML"},
      {{"graph", "annotate", graph, "--times", plan, "--device", "gpu", "--out", "-"},
       "found a plan of opyard (it goes to --plan), expected a profiler's trace, or a table"}};
  for (const auto& [args, message] : cases) {
    const Ended ended = RunCommand(args);
    EXPECT_EQ(ended.status, 2) << message;
    EXPECT_THAT(ended.err, HasSubstr(message));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
}

}  // namespace
}  // namespace opyard::experiments
