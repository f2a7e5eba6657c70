#include "agents/base/agent_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/classical/metis/metis_agent.h"
#include "agents/classical/random/random.h"
#include "agents/search/brkga/brkga.h"
#include "sim/base/check.h"
#include "sim/base/error.h"

namespace opyard::agents {
namespace {

TEST(AgentRegistryTest, AnAgentThatDecidesNoOpenTaskHasAProblem) {
  const AgentInfo metis = MetisEntry().info;
  EXPECT_EQ(FindTaskProblem(metis, {.placement = false, .fusion = true}),
            "agent metis decides placement, scheduling; the open tasks are fusion");
  EXPECT_EQ(FindTaskProblem(metis, {.placement = true, .fusion = true}), std::nullopt);
}

TEST(AgentRegistryTest, ChecksAddUpAsAgentsDo) {
  const AgentCheck check{.name = "LibTorch", .run = [] { return std::string("there"); }};
  const AgentRegistry both = AgentRegistry({MetisEntry()}) + AgentRegistry({}, {check});
  ASSERT_EQ(both.checks().size(), 1U);
  EXPECT_EQ(both.checks().front().run(), "there");
}

TEST(AgentRegistryTest, TwoAgentsOfOneNameAreOurMistake) {
  EXPECT_THROW(AgentRegistry({RandomEntry(), RandomEntry()}), InternalError);
}

// Lists `metis` and `plugin`; takes every name that begins with "plug", but has no "plugged".
class Plugins final : public AgentSource {
 public:
  [[nodiscard]] const std::vector<std::string>& names() const override { return names_; }
  [[nodiscard]] bool Takes(const std::string& name) const override {
    return name.starts_with("plug");
  }
  [[nodiscard]] const AgentEntry& Get(const std::string& name) const override {
    if (name == "plugged") {
      throw InputError("agent plugged: there is none");
    }
    return entry_;
  }

 private:
  std::vector<std::string> names_ = {"metis", "plugged", "plugin"};
  AgentEntry entry_{.info = {.name = "plugin", .kind = AgentKind::kPython, .tasks = {"fusion"}}};
};

AgentRegistry WithPlugins() {
  return AgentRegistry({MetisEntry(), RandomEntry()}) +
         AgentRegistry({}, {}, {std::make_shared<Plugins>()});
}

TEST(AgentRegistryTest, SourcesAreAskedForWhatNoEntryIsCalled) {
  const AgentRegistry registry = WithPlugins();
  EXPECT_EQ(registry.Names(), (std::vector<std::string>{"metis", "plugged", "plugin", "random"}));
  EXPECT_TRUE(registry.Knows("plug:anything"));
  EXPECT_EQ(registry.Get("plug:anything").info.kind, AgentKind::kPython);
  EXPECT_EQ(registry.Get("metis").info.kind, AgentKind::kClassical);
  EXPECT_FALSE(registry.Knows("other"));
  EXPECT_THROW(static_cast<void>(registry.Get("other")), InputError);
}

TEST(AgentRegistryTest, WhatItsSourceCannotLoadIsListedWithTheReason) {
  const std::vector<AgentInfo> infos = InfosOf(WithPlugins());
  ASSERT_EQ(infos.size(), 4U);
  EXPECT_EQ(infos[0].kind, AgentKind::kClassical);
  EXPECT_EQ(infos[1].name, "plugged");
  EXPECT_EQ(infos[1].summary, "Not available: agent plugged: there is none");
  EXPECT_THAT(infos[1].tasks, ::testing::IsEmpty());
  EXPECT_THAT(infos[2].tasks, ::testing::ElementsAre("fusion"));
}

TEST(AgentRegistryTest, CheckFindsUnknownAndFormerOptionsBesideWrongValues) {
  const AgentRegistry registry({BrkgaEntry()});
  const Options options({{"populaton", std::int64_t{3}},
                         {"start", std::string("nowhere")},
                         {"elite_share", 7.0},
                         {"elite_bias", 0.7}});
  EXPECT_THAT(registry.Check("brkga", options),
              ::testing::UnorderedElementsAre(::testing::Field(&OptionFault::name, "populaton"),
                                              ::testing::Field(&OptionFault::name, "start"),
                                              ::testing::Field(&OptionFault::name, "elite_share")));
}

TEST(AgentRegistryTest, CheckMakesNothingWhereTheEntryHasACheck) {
  AgentEntry entry = MetisEntry();
  entry.make = [](Options&) -> std::unique_ptr<Agent> { throw InputError("made"); };
  EXPECT_THAT(AgentRegistry({entry}).Check("metis", {}), ::testing::IsEmpty());
  entry.check = {};
  EXPECT_THAT(AgentRegistry({entry}).Check("metis", {}),
              ::testing::ElementsAre(OptionFault{"", "made"}));
}

}  // namespace
}  // namespace opyard::agents
