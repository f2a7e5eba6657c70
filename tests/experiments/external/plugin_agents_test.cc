// Plugins, good and bad: every bad one is one clear line, and nothing of it is called.
#include "experiments/external/plugin_agents.h"

#include <filesystem>
#include <fstream>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "agents/base/agent_failure.h"
#include "experiments/store/sha256.h"
#include "sim/base/error.h"
#include "sim/io/text/text_file.h"
#include "tests/experiments/workplace.h"
#include "tests/support/scoped_variable.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using testing::Ended;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::RunCommand;
using testing::Workplace;

const fs::path kBuilt = OPYARD_PLUGIN_FOLDER;

class PluginAgentsTest : public ::testing::Test {
 protected:
  // The test plugin as `fault`.so, which is what is the matter with it.
  std::string Plugin(const std::string& fault) { return Copy("test_plugin.so", fault + ".so"); }

  std::string Copy(const std::string& built, const std::string& name) {
    fs::copy_file(kBuilt / built, folder_ / name, fs::copy_options::overwrite_existing);
    return (folder_ / name).string();
  }

  std::string Write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }

  // The message with which the plugin is refused; "" if it is taken.
  static std::string Refusal(const std::string& file) {
    try {
      static_cast<void>(WithPlugins(agents::ClassicalAgents(), {file}));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  [[nodiscard]] std::vector<std::string> Place(const std::string& plugin) const {
    return {"place",
            "--graph",
            (folder_ / "toy.graph.json").string(),
            "--hardware",
            (folder_ / "machines/two.yaml").string(),
            "--plugin",
            plugin};
  }

  Workplace workplace_;
  fs::path folder_ = workplace_.Path("");
};

TEST_F(PluginAgentsTest, ItsAgentsJoinTheOthersAndSayWhereTheyComeFrom) {
  const std::string file = Plugin("good");

  const agents::AgentRegistry registry = WithPlugins(agents::ClassicalAgents(), {file});

  EXPECT_EQ(registry.entries().size(), agents::ClassicalAgents().entries().size() + 1);
  const agents::AgentInfo& info = registry.Get("thrower").info;
  EXPECT_EQ(info.plugin->path, file);
  EXPECT_EQ(info.plugin->sha256, Sha256(sim::ReadBinaryFile(file)));
  EXPECT_FALSE(registry.Get("heft").info.plugin.has_value());
}

TEST_F(PluginAgentsTest, OneThatIsNamedTwiceIsLoadedOnce) {
  const std::string file = Plugin("good");
  const std::string again = (folder_ / "." / "good.so").string();
  EXPECT_EQ(WithPlugins(agents::AgentRegistry({}), {file, again, file}).entries().size(), 1);
}

TEST_F(PluginAgentsTest, WhatIsNoWholeSharedLibraryIsNotLoaded) {
  const std::string whole = sim::ReadBinaryFile(kBuilt / "test_plugin.so");
  EXPECT_THAT(Refusal((folder_ / "none.so").string()), HasSubstr("none.so: there is no such file"));
  EXPECT_THAT(Refusal(folder_.string()), HasSubstr("found a folder"));
  EXPECT_THAT(Refusal(Write("text.so", "int main() {}\n")), HasSubstr("is no shared library"));
  EXPECT_THAT(Refusal(Write("empty.so", "")), HasSubstr("is no shared library"));
  EXPECT_THAT(Refusal("/proc/self/exe"), Not(IsEmpty()));  // a program
  // The loader would map what is not there, and the process end.
  for (const std::size_t size : {std::size_t{4},
                                 std::size_t{63},
                                 std::size_t{64},
                                 std::size_t{2000},
                                 whole.size() / 2,
                                 whole.size() - 1}) {
    EXPECT_THAT(Refusal(Write("cut.so", whole.substr(0, size))), HasSubstr("cut short")) << size;
  }
  ASSERT_EQ(mkfifo((folder_ / "fifo.so").c_str(), 0600), 0);
  EXPECT_THAT(Refusal((folder_ / "fifo.so").string()), HasSubstr("found a pipe"));
}

TEST_F(PluginAgentsTest, ALibraryOfAnotherKindIsRefusedInOneLine) {
  EXPECT_THAT(Refusal(Copy("no_plugin.so", "no_plugin.so")),
              AllOf(HasSubstr("exports no opyard_plugin()"), Not(HasSubstr("\n"))));
  // 32-bit, and another machine's: bytes 4 and 18 of the header.
  std::string bytes = sim::ReadBinaryFile(kBuilt / "no_plugin.so");
  bytes[4] = 1;
  EXPECT_THAT(Refusal(Write("small.so", bytes)), HasSubstr("for this machine"));
  bytes[4] = 2;
  bytes[18] = 40;
  EXPECT_THAT(Refusal(Write("arm.so", bytes)), HasSubstr("for this machine"));
}

TEST_F(PluginAgentsTest, OneForAnotherOpyardIsRefusedBeforeItsAgentsAreAskedFor) {
  EXPECT_THAT(Refusal(Plugin("other_abi")), HasSubstr("found a plugin of ABI 999, expected ABI 3"));
  EXPECT_THAT(Refusal(Plugin("other_version")),
              ContainsRegex("found a plugin for opyard \"0.0.9\", expected one for \"[0-9.]+\""));
  EXPECT_THAT(Refusal(Plugin("other_layout")), HasSubstr("another standard library"));
}

TEST_F(PluginAgentsTest, ADeclarationWithoutAgentsIsRefused) {
  EXPECT_THAT(Refusal(Plugin("declares_nothing")), HasSubstr("opyard_plugin() returned nothing"));
  EXPECT_THAT(Refusal(Plugin("throws_at_once")), HasSubstr("opyard_plugin() threw"));
  EXPECT_THAT(Refusal(Plugin("empty")), HasSubstr("the field `agents` is empty"));
  EXPECT_THAT(Refusal(Plugin("no_agents")), HasSubstr("it has no agents"));
  EXPECT_THAT(Refusal(Plugin("throws")), HasSubstr("cannot say which agents it has: not today"));
}

TEST_F(PluginAgentsTest, AgentsThatCannotBeListedAreRefused) {
  EXPECT_THAT(Refusal(Plugin("taken")), HasSubstr("an agent called \"heft\""));
  EXPECT_THAT(Refusal(Plugin("twins")), HasSubstr("twins.so has it"));
  EXPECT_THAT(Refusal(Plugin("odd_name")), HasSubstr("an agent called \"odd name\""));
  EXPECT_THAT(Refusal(Plugin("odd_task")), HasSubstr("cooking"));
  EXPECT_THAT(Refusal(Plugin("odd_text")), HasSubstr("invalid UTF-8"));
  EXPECT_THAT(Refusal(Plugin("no_make")), HasSubstr("no function that makes it"));
}

TEST_F(PluginAgentsTest, TwoPluginsWithOneNameAreDistinguished) {
  const std::string first = Plugin("good");
  const std::string second = Plugin("other");
  try {
    static_cast<void>(WithPlugins(agents::AgentRegistry({}), {first, second}));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("plugin " + second), HasSubstr("plugin " + first + " has it")));
  }
}

TEST_F(PluginAgentsTest, AllThatAreWrongAreNamedAtOnce) {
  try {
    static_cast<void>(WithPlugins(agents::AgentRegistry({}),
                                  {(folder_ / "none.so").string(), Plugin("other_abi")}));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("none.so"), HasSubstr("\nplugin ")));
  }
}

// The loader goes by the path, and would answer with what it has.
TEST_F(PluginAgentsTest, AFileThatWasReplacedIsNotTakenForTheOneThatRuns) {
  const std::string file = Plugin("replaced");
  EXPECT_EQ(Refusal(file), "");
  fs::remove(file);
  Copy("no_plugin.so", "replaced.so");
  EXPECT_THAT(Refusal(file), HasSubstr("start a new process"));
}

TEST_F(PluginAgentsTest, ABareNameIsAFileOfTheCurrentFolder) {
  const fs::path before = fs::current_path();
  static_cast<void>(Plugin("bare"));
  fs::current_path(folder_);
  const std::string refusal = Refusal("bare.so");
  fs::current_path(before);
  EXPECT_EQ(refusal, "");
}

TEST_F(PluginAgentsTest, TheEnvironmentNamesSeveral) {
  const opyard::testing::ScopedVariable none("OPYARD_PLUGINS", "");
  EXPECT_THAT(PluginsOfEnvironment(), IsEmpty());
  const opyard::testing::ScopedVariable two("OPYARD_PLUGINS", ":a.so::/b/c.so:");
  EXPECT_THAT(PluginsOfEnvironment(), ElementsAre("a.so", "/b/c.so"));
}

// --- Through the command line ---

TEST_F(PluginAgentsTest, TheCommandTakesThemByOptionAndByEnvironment) {
  const std::string file = Plugin("good");
  EXPECT_THAT(RunCommand({"agents", "list", "--plugin", file}).out, HasSubstr("thrower"));
  const Ended shown = RunCommand({"agents", "show", "thrower", "--plugin=" + file, "--json"});
  EXPECT_EQ(shown.Json()["plugin"]["file"], file);
  EXPECT_THAT(RunCommand({"complete", "agents", "show", "--plugin", file, "thr"}).out,
              HasSubstr("thrower"));
  EXPECT_EQ(RunCommand({"agents", "show", "thrower"}).status, 2);

  const opyard::testing::ScopedVariable variable("OPYARD_PLUGINS", file);
  EXPECT_EQ(RunCommand({"agents", "show", "thrower"}).status, 0);
  EXPECT_THAT(RunCommand({"complete", "agents", "show", "thr"}).out, HasSubstr("thrower"));
}

TEST_F(PluginAgentsTest, ABadOneEndsTheCommandAndLeavesOthersAlone) {
  const std::string file = (folder_ / "none.so").string();
  const Ended ended = RunCommand({"agents", "list", "--plugin", file});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.err, "plugin " + file + ": there is no such file\n");
  const opyard::testing::ScopedVariable variable("OPYARD_PLUGINS", file);
  EXPECT_EQ(RunCommand({"agents", "list"}).status, 2);
  EXPECT_EQ(RunCommand({"graph", "list"}).status, 0);  // names no agents
  EXPECT_THAT(RunCommand({"complete", "agents", "show", "hef"}).out, HasSubstr("heft"));
}

// An InputError keeps its type also here, where it is caught by type across libraries.
TEST_F(PluginAgentsTest, WhatAnAgentThrowsEndsItsSearch) {
  const std::string file = Plugin("good");
  const auto place = [&](const std::string& param) {
    std::vector<std::string> words = Place(file);
    words.insert(words.end(), {"--agent", "thrower", "--param", param});
    return RunCommand(words);
  };
  EXPECT_EQ(place("when_searching=nothing").status, 0);
  const Ended refuses = place("when_searching=input_error");
  EXPECT_EQ(refuses.status, 2);
  EXPECT_EQ(refuses.err, "the plugin refuses its input\n");
  const Ended breaks = place("when_searching=runtime_error");
  EXPECT_EQ(breaks.status, 1);
  EXPECT_EQ(breaks.err, "agent thrower failed: the plugin?broke\n");
  EXPECT_EQ(place("when_searching=plan_error").err,
            "agent thrower failed: the plugin's plan is odd\n");
  EXPECT_EQ(place("when_searching=number").err,
            "agent thrower failed: it threw what is no std::exception\n");
  EXPECT_EQ(place("when_searching=bad_alloc").err, "opyard: out of memory\n");
  EXPECT_EQ(place("when_made=input_error").status, 2);
  EXPECT_EQ(place("when_made=runtime_error").status, 2);
  EXPECT_EQ(place("when_made=soon").status, 2);
}

TEST_F(PluginAgentsTest, AnAgentThatIsNotMadeOrTrainedFailsByName) {
  const agents::AgentRegistry none =
      WithPlugins(agents::AgentRegistry({}), {Plugin("makes_nothing")});
  EXPECT_THROW(static_cast<void>(none.Make("thrower", {})), agents::AgentFailure);

  const agents::AgentRegistry good = WithPlugins(agents::AgentRegistry({}), {Plugin("good")});
  const auto trainer = good.MakeTrainer("thrower", {}, {});
  EXPECT_EQ(trainer->num_updates(), 3);
  env::ProblemPool unused({{.name = "none", .sample = [](Rng&) { return env::PooledProblem{}; }}},
                          {});
  Rng rng(1);
  EXPECT_THROW(static_cast<void>(trainer->Update(unused, rng)), agents::AgentFailure);
}

TEST_F(PluginAgentsTest, AnAgentSaysWhereItBegins) {
  const agents::AgentRegistry registry = WithPlugins(agents::AgentRegistry({}), {Plugin("good")});
  const agents::AgentEntry& entry = registry.Get("thrower");
  Options none;
  EXPECT_EQ(entry.start_of(none), "the default plan");
  Options number({{"when_made", std::string("number")}});
  EXPECT_THROW(static_cast<void>(entry.start_of(number)), agents::AgentFailure);
}

}  // namespace
}  // namespace opyard::experiments
