#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/missing_learned.h"
#include "experiments/base/version.h"
#include "experiments/cli/bench/sim.h"
#include "sim/base/interrupt.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;
using testing::Workplace;

std::vector<std::string> KeysOf(const std::string& text) {
  std::vector<std::string> keys;
  const auto json = nlohmann::ordered_json::parse(text);
  for (const auto& [key, value] : json.items()) {
    keys.push_back(key);
  }
  return keys;
}

std::vector<std::string> PlaceArgs(const Workplace& place, const std::string& agent) {
  return {"place",
          "--graph",
          place.Path("toy.graph.json"),
          "--hardware",
          place.Path("machines/two.yaml"),
          "--agent",
          agent,
          "--evaluations",
          "20",
          "--out",
          place.Path("best.plan.json")};
}

std::vector<std::string> operator+(std::vector<std::string> args,
                                   const std::vector<std::string>& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

Ended SimulatePlan(const Workplace& place,
                   const std::string& plan,
                   const std::vector<std::string>& more) {
  return RunCommand(std::vector<std::string>{"simulate",
                                             "--graph",
                                             place.Path("toy.graph.json"),
                                             "--hardware",
                                             place.Path("machines/two.yaml"),
                                             "--plan",
                                             place.Write("p.plan.json", plan)} +
                    more);
}

constexpr const char* kSplitPlan =
    R"({"format": "opyard-plan/1", "graph": "toy", "placement": ["gpu0", "gpu0", "gpu1"]})";

std::string TextOf(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(PlaceTest, WritesAPlanThatSimulateConfirms) {
  const Workplace place;
  const Ended placed = RunCommand(PlaceArgs(place, "random") + std::vector<std::string>{"--json"});
  ASSERT_EQ(placed.status, 0) << placed.err;
  const Ended simulated = SimulatePlan(place, TextOf(place.Path("best.plan.json")), {"--json"});
  ASSERT_EQ(simulated.status, 0) << simulated.err;
  EXPECT_EQ(simulated.Json().at("makespan_s"), placed.Json().at("makespan_s"));
  EXPECT_EQ(placed.Json().at("evaluations"), 20);
}

TEST(PlaceTest, WarnsOfWhatIsNotMeasured) {
  const Workplace place;
  std::string graph = testing::kTinyGraph;
  EXPECT_EQ(RunCommand(PlaceArgs(place, "random")).err, "");
  graph.replace(graph.find("\"*\": 0.003"), 3, "\"gpu1\"");
  place.Write("toy.graph.json", graph);
  const std::string warning = "1 ops are left to the cost model: b\n";
  EXPECT_THAT(RunCommand(PlaceArgs(place, "random")).err, HasSubstr(warning));
  EXPECT_THAT(SimulatePlan(place, kSplitPlan, {}).err, HasSubstr(warning));
}

TEST(PlaceTest, PlansDoNotDependOnThreads) {
  const Workplace place;
  ASSERT_EQ(
      RunCommand(PlaceArgs(place, "brkga") + std::vector<std::string>{"--threads", "1"}).status, 0);
  const std::string one = TextOf(place.Path("best.plan.json"));
  ASSERT_EQ(
      RunCommand(PlaceArgs(place, "brkga") + std::vector<std::string>{"--threads", "3"}).status, 0);
  EXPECT_EQ(TextOf(place.Path("best.plan.json")), one);
}

TEST(PlaceTest, AnInfeasibleBestPlanIsWrittenAndEndsWithStatus1) {
  const Workplace place;
  std::string graph = testing::kTinyGraph;
  graph.replace(graph.find("1000000"), 7, "2000000000");  // beyond 1 GiB
  place.Write("toy.graph.json", graph);
  const Ended ended = RunCommand(PlaceArgs(place, "random"));
  EXPECT_EQ(ended.status, 1) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("out_of_memory"));
  EXPECT_TRUE(std::filesystem::exists(place.Path("best.plan.json")));
}

TEST(PlaceTest, AWeightedScoreIsPrintedWithoutUnit) {
  const Workplace place;
  const Ended ended =
      RunCommand(PlaceArgs(place, "single_device") +
                 std::vector<std::string>{"--objective", "weighted:1:0", "--tasks", "placement"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  // 2 + 3 + 5 ms of at least 2 + 5 ms.
  EXPECT_THAT(ended.out, HasSubstr("weighted score 1.4286 (no unit)"));
}

TEST(PlaceTest, BadArgumentsAreRefusedOnOneLine) {
  const Workplace place;
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--seed", "-1"}, "--seed"},
      {{"--seed", "1.5"}, "--seed"},
      {{"--seconds", "nan"}, "--seconds"},
      {{"--seconds", "1e300"}, "--seconds"},
      {{"--threads", "0"}, "--threads"},
      {{"--tasks", "placement,fussion"}, "did you mean \"fusion\""},
      {{"--fusion", "all"}, "--fusion"},
      {{"--tasks", ""}, "--tasks: found no task"},
      {{"--objective", "speed"}, "--objective"},
      {{"--param", "levels"}, "NAME=VALUE"},
      {{"--param", "lvels=3"}, "did you mean \"levels\""},
      {{"--frobnicate"}, "--frobnicate"},
  };
  for (const auto& [more, message] : cases) {
    const Ended ended = RunCommand(PlaceArgs(place, "random") + more);
    EXPECT_EQ(ended.status, 2) << more[0];
    EXPECT_THAT(ended.err, HasSubstr(message));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
}

TEST(PlaceTest, AnUnknownAgentAndAMissingOutFolderAreRefusedBeforeTheSearch) {
  const Workplace place;
  EXPECT_EQ(RunCommand(PlaceArgs(place, "brgka")).status, 2);
  std::vector<std::string> args = PlaceArgs(place, "random");
  args.back() = place.Path("absent/best.plan.json");
  const Ended ended = RunCommand(args);
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("does not exist"));
}

TEST(SimulateTest, JsonHasExactlyItsFieldsAndExactTimes) {
  const Workplace place;
  const Ended ended = SimulatePlan(place, kSplitPlan, {"--json", "--ops"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(KeysOf(ended.out),
              ElementsAre("outcome",
                          "makespan_s",
                          "lower_bound_s",
                          "problem_bound_s",
                          "timed_ops",
                          "measured_ops",
                          "devices",
                          "channels",
                          "transfers",
                          "ops",
                          "failure"));
  const nlohmann::json json = ended.Json();
  EXPECT_EQ(json.at("makespan_s"), 0.008);     // a 2 ms, copy 1 ms, c 5 ms
  EXPECT_EQ(json.at("lower_bound_s"), 0.007);  // a 2 ms, c 5 ms, without the copy
  EXPECT_EQ(json.at("transfers"), 1);
  EXPECT_EQ(json.at("failure"), nullptr);
  EXPECT_THAT(KeysOf(json.at("ops")[2].dump()),
              ::testing::UnorderedElementsAre("name", "device", "start_s", "finish_s", "group"));
  EXPECT_EQ(json.at("ops")[2].at("start_s"), 0.003);
  EXPECT_EQ(json.at("ops")[2].at("device"), "gpu1");
  EXPECT_THAT(KeysOf(json.at("devices")[0].dump()),
              ::testing::UnorderedElementsAre("name", "busy_s", "peak_memory_bytes"));
  EXPECT_THAT(KeysOf(json.at("channels")[0].dump()),
              ::testing::UnorderedElementsAre("name", "busy_s", "bytes"));
}

TEST(SimulateTest, WithoutOpsThereAreNone) {
  const Workplace place;
  const Ended ended = SimulatePlan(place, kSplitPlan, {"--json"});
  EXPECT_FALSE(ended.Json().contains("ops"));
  EXPECT_THAT(SimulatePlan(place, kSplitPlan, {}).out, HasSubstr("completed: 8.000 ms"));
}

TEST(SimulateTest, OutOfMemoryIsAnAnswerWithStatus1) {
  const Workplace place;
  std::string graph = testing::kTinyGraph;
  graph.replace(graph.find("1000000"), 7, "2000000000");
  place.Write("toy.graph.json", graph);
  const Ended ended = SimulatePlan(place, kSplitPlan, {"--json", "--ops"});
  EXPECT_EQ(ended.status, 1);
  const nlohmann::json json = ended.Json();
  EXPECT_EQ(json.at("outcome"), "out_of_memory");
  EXPECT_EQ(json.at("failure").at("requested_bytes"), 2'000'000'000);
  EXPECT_EQ(json.at("ops")[1].at("start_s"), nullptr);
  EXPECT_EQ(SimulatePlan(place, kSplitPlan, {}).status, 1);
}

TEST(SimulateTest, ABadPlanIsBadInput) {
  const Workplace place;
  const Ended ended = SimulatePlan(
      place,
      R"({"format": "opyard-plan/1", "graph": "toy", "placement": ["gpu0", "gpu9", "gpu1"]})",
      {});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("/placement/1"));
}

TEST(GraphTest, InfoHasExactlyItsFields) {
  const Workplace place;
  const Ended ended = RunCommand({"graph", "info", place.Path("toy.graph.json"), "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(KeysOf(ended.out),
              ElementsAre("name",
                          "ops",
                          "edges",
                          "control_edges",
                          "tensors",
                          "flops",
                          "bytes",
                          "param_bytes",
                          "depth",
                          "acyclic",
                          "width",
                          "activation_bytes",
                          "memory_bound_bytes",
                          "one_device_peak_bytes",
                          "measured",
                          "measured_ops",
                          "phases",
                          "types",
                          "modules"));
  const nlohmann::json json = ended.Json();
  EXPECT_EQ(json.at("edges"), 2);        // a → b, a → c
  EXPECT_EQ(json.at("bytes"), 1000030);  // 1000000 + 13 + 17
  EXPECT_EQ(json.at("flops"), 7);
  EXPECT_EQ(json.at("param_bytes"), 11);
  EXPECT_EQ(json.at("depth"), 2);
}

TEST(GraphTest, ListNamesTheGeneratedFamily) {
  EXPECT_THAT(RunCommand({"graph", "list", "--json"}).out, HasSubstr("random:layered"));
  EXPECT_EQ(RunCommand({"graph", "list"}).status, 0);
}

TEST(ProfileTest, ListHasExactlyItsFields) {
  const Ended ended = RunCommand({"profile", "list", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  std::set<std::string> names;
  for (const auto& profile : ended.Json()) {
    names.insert(profile.at("name"));
    EXPECT_EQ(profile.size(), 3U);
    EXPECT_THAT(profile.at("what"), ::testing::AnyOf("device", "machine"));
    EXPECT_THAT(profile.at("kind"), ::testing::AnyOf("gpu", "cpu", "tpu", "other"));
  }
  EXPECT_TRUE(names.contains("p100x2-pcie"));
}

TEST(ProfileTest, ValidateDistinguishesDevicesFromMachinesAndRefusesWrongOnes) {
  const Workplace place;
  EXPECT_THAT(RunCommand({"profile", "validate", place.Path("devices/tiny.yaml")}).out,
              HasSubstr("a valid device"));
  EXPECT_THAT(RunCommand({"profile", "validate", place.Path("machines/two.yaml"), "--json"}).out,
              HasSubstr("\"what\":\"machine\""));
  place.Write("devices/tiny.yaml", "schema_version: 1\nname: tiny\nkind: gpu\nmemory: 16\n");
  const Ended ended = RunCommand({"profile", "validate", place.Path("devices/tiny.yaml")});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("tiny.yaml:4:9: "));
  EXPECT_EQ(RunCommand({"profile", "validate", "p100x2"}).status, 2);
}

TEST(ProfileTest, ShowPrintsRoutes) {
  const Workplace place;
  const Ended text = RunCommand({"profile", "show", place.Path("machines/two.yaml")});
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("bandwidth [GB/s]  gpu0  gpu1\ngpu0                 —  1.00\n"));
  const nlohmann::json json =
      RunCommand({"profile", "show", place.Path("machines/two.yaml"), "--json"}).Json();
  EXPECT_EQ(json.at("routes").size(), 2U);
  EXPECT_EQ(json.at("routes")[0].at("via")[0], "cable");
}

TEST(DoctorTest, FindsThisInstallationHealthy) {
  const Ended ended = RunCommand({"doctor", "--json"});
  EXPECT_EQ(ended.status, 0) << ended.out;
  for (const auto& check : ended.Json()) {
    EXPECT_TRUE(check.at("ok")) << check.dump();
  }
}

TEST(DoctorTest, SaysWhyThereIsNoLibTorchAndFailsOnlyIfItShouldBeThere) {
  const std::vector<std::string> args = {"doctor", "--json"};
  const Ended built_without = RunCommand(
      args, agents::ClassicalAgents() + agents::MissingLearnedAgents(agents::kBuiltWithoutTorch));
  EXPECT_EQ(built_without.status, 0);
  EXPECT_EQ(built_without.Json().back().at("check"), "LibTorch");
  EXPECT_THAT(built_without.Json().back().at("detail"), HasSubstr("built without PyTorch"));
  const Ended broken =
      RunCommand(args, agents::ClassicalAgents() + agents::MissingLearnedAgents("it is too old"));
  EXPECT_EQ(broken.status, 1);
  EXPECT_EQ(
      broken.Json().back(),
      nlohmann::json::parse(R"({"check": "LibTorch", "ok": false, "detail": "it is too old"})"));
}

TEST(BenchSimTest, PrintsEveryCaseWithExactlyItsFields) {
  std::ostringstream out;
  std::ostringstream err;
  const InterruptFlag interrupt;
  const agents::AgentRegistry no_agents({});
  const Console console{.out = out, .err = err, .interrupt = interrupt, .agents = no_agents};
  ASSERT_EQ(BenchSim({.json = true, .quick = true, .op_counts = {60}}, console), kSuccess);
  const nlohmann::json json = nlohmann::json::parse(out.str());
  // 2 kinds of graph × 3 device counts × (2 channel sets + fair) × 2 thread counts
  ASSERT_EQ(json.size(), 36U);
  EXPECT_THAT(KeysOf(json[0].dump()),
              ::testing::UnorderedElementsAre(
                  "case", "ops", "devices", "sharing", "channels", "threads", "ops_per_second"));
  EXPECT_GT(json[35].at("ops_per_second"), 0.0);
}

TEST(BenchSimTest, AnInterruptEndsIt) {
  std::ostringstream out;
  std::ostringstream err;
  InterruptFlag interrupt;
  interrupt.Raise();
  const agents::AgentRegistry no_agents({});
  const Console console{.out = out, .err = err, .interrupt = interrupt, .agents = no_agents};
  EXPECT_EQ(BenchSim({.op_counts = {60}}, console), kInterrupted);
  EXPECT_EQ(out.str(), "");
}

TEST(CommandLineTest, HelpAndVersionPrintAndSucceed) {
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"--help"},
                                             {"run", "--help"},
                                             {"sweep", "-h"},
                                             {"place", "--help"},
                                             {"graph", "info", "--help"},
                                             {"bench", "sim", "--help"},
                                             {"profile", "--help"}}) {
    const Ended ended = RunCommand(args);
    EXPECT_EQ(ended.status, 0) << args[0];
    EXPECT_THAT(ended.out, HasSubstr("--help"));
    EXPECT_EQ(ended.err, "");
  }
  EXPECT_EQ(RunCommand({"--version"}).out, std::string("opyard ") + Version() + "\n");
}

TEST(CommandLineTest, WrongSubcommandsAreRefusedWithAHint) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "see opyard --help"},
      {{"rnu"}, "did you mean \"run\"?"},
      {{"graph"}, "see opyard graph --help"},
      {{"graph", "inof"}, "did you mean \"info\"?"},
      {{"run"}, "see opyard run --help"},
      {{"validate", "a", "b"}, "opyard validate"},
      {{"doctor", "--jsn"}, "--jsn"},
      {{""}, "found \"\""}};
  for (const auto& [args, message] : cases) {
    const Ended ended = RunCommand(args);
    EXPECT_EQ(ended.status, 2) << message;
    EXPECT_THAT(ended.err, HasSubstr(message));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_EQ(ended.out, "");
  }
}

}  // namespace
}  // namespace opyard::experiments
