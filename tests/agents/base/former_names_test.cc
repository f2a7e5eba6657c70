#include "agents/base/former_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"

namespace opyard::agents {
namespace {

using ::testing::HasSubstr;

Options Params(const std::map<std::string, OptionValue>& values) {
  return Options(values);
}

std::string RefusalOf(const std::string& agent, const Options& params) {
  try {
    RefuseFormerNames(agent, params);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(FormerNamesTest, OptionsOfLearnedAgentsHaveTheNamesOfTheField) {
  const NamedAgent renamed = WithNewNames({.name = "go",
                                           .params = Params({{"samples", std::int64_t{8}},
                                                             {"shares", std::int64_t{2}},
                                                             {"kl_stop", 0.01},
                                                             {"hidden", std::int64_t{64}}})});
  EXPECT_EQ(renamed.name, "go");
  EXPECT_EQ(renamed.params.values(),
            (std::map<std::string, OptionValue>{{"batch_size", std::int64_t{8}},
                                                {"num_minibatches", std::int64_t{2}},
                                                {"target_kl", 0.01},
                                                {"hidden", std::int64_t{64}}}));
}

// `look` was another thing in a portfolio than in a search.
TEST(FormerNamesTest, ANameOfTwoOptionsBecomesTwoNames) {
  const auto name_of = [](const std::string& agent) {
    return WithNewNames({.name = agent, .params = Params({{"look", std::int64_t{9}}})})
        .params.values()
        .begin()
        ->first;
  };
  EXPECT_EQ(name_of("auto"), "probe_fraction");
  EXPECT_EQ(name_of("local_search"), "critical_path_interval");
  EXPECT_EQ(name_of("agent_of_a_user"), "look");
}

TEST(FormerNamesTest, AHeuristicWasTheAwareOneUnlessFaithful) {
  EXPECT_EQ(WithNewNames({.name = "heft", .params = {}}).name, "heft_aware");
  const NamedAgent published =
      WithNewNames({.name = "heft",
                    .params = Params({{"faithful", true}, {"means", std::string("all_devices")}})});
  EXPECT_EQ(published.name, "heft");
  EXPECT_EQ(published.params.values(),
            (std::map<std::string, OptionValue>{{"means", std::string("all_devices")}}));
  EXPECT_EQ(WithNewNames({.name = "metis", .params = {}}).name, "metis");
}

TEST(FormerNamesTest, FormerNamesAreRefusedWithTheNewOnes) {
  const std::string refusal =
      RefusalOf("hdp", Params({{"samples", std::int64_t{8}}, {"clip", 1.0}}));
  EXPECT_THAT(refusal, HasSubstr("agent hdp: option \"samples\" is called \"batch_size\" now"));
  EXPECT_THAT(refusal, HasSubstr("option \"clip\" is called \"max_grad_norm\" now"));
  EXPECT_THAT(RefusalOf("spt", Params({{"faithful", false}})), HasSubstr("\"spt_aware\""));
  EXPECT_EQ(RefusalOf("hdp", Params({{"batch_size", std::int64_t{8}}})), "");
  EXPECT_EQ(RefusalOf("placeto", Params({{"faithful", true}})), "");
}

}  // namespace
}  // namespace opyard::agents
