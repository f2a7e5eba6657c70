#include "experiments/external/agent_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPlan =
    R"({"placement":[1,0],"queue":"priority","op_priority":[-5,9007199254740992],)"
    R"("transfer_priority":[[0,1,-3]],"fusion_priority":[0,1000000]})";

constexpr const char* kDescription =
    R"({"description":{"tasks":["placement"],"paper":"A, 2020","summary":"Does it.",)"
    R"("deviations":["None."],"options":[)"
    R"({"name":"rounds","default":3,"range":[1,9],"meaning":"how many"},)"
    R"({"name":"rate","default":0.5},)"
    R"({"name":"rule","default":"a","allowed":["a","b"]},{"name":"loud","default":true}]}})";

// The message with which `text` is refused; "" if it is an answer.
std::string RefusalOf(const std::string& text) {
  try {
    static_cast<void>(ReadAgentAnswer(text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string Evaluate(const std::string& plan) {
  return R"({"evaluate":[)" + plan + "]}";
}

TEST(AgentAnswerTest, PlansAreReadWithEveryDecision) {
  const AgentAnswer answer = ReadAgentAnswer(Evaluate(kPlan));
  ASSERT_TRUE(std::holds_alternative<PlansToEvaluate>(answer));
  const std::vector<sim::Plan>& plans = std::get<PlansToEvaluate>(answer).plans;
  ASSERT_EQ(plans.size(), 1U);
  const sim::Plan expected{
      .placement = {DeviceId(1), DeviceId(0)},
      .queue = sim::QueueDiscipline::kPriority,
      .op_priority = {-5, sim::kLargestPriority},
      .transfer_priority = {{.tensor = TensorId(0), .destination = DeviceId(1), .priority = -3}},
      .fusion_priority = {0, 1'000'000}};
  EXPECT_EQ(plans[0], expected);
}

TEST(AgentAnswerTest, ADescriptionIsWhatAnAgentSaysOfItself) {
  const AgentAnswer answer = ReadAgentAnswer(kDescription);
  ASSERT_TRUE(std::holds_alternative<agents::AgentInfo>(answer));
  const auto& info = std::get<agents::AgentInfo>(answer);
  EXPECT_EQ(info.kind, agents::AgentKind::kPython);
  EXPECT_EQ(info.tasks, std::vector<std::string>{"placement"});
  EXPECT_EQ(info.summary, "Does it.");
  ASSERT_EQ(info.options.size(), 4U);
  EXPECT_EQ(info.options[0].default_value, OptionValue(std::int64_t{3}));
  EXPECT_EQ(info.options[0].range->high, OptionValue(std::int64_t{9}));
  EXPECT_EQ(info.options[1].default_value, OptionValue(0.5));
  EXPECT_FALSE(info.options[1].range.has_value());
  EXPECT_EQ(info.options[2].allowed.size(), 2U);
  EXPECT_EQ(info.options[3].default_value, OptionValue(true));
}

TEST(AgentAnswerTest, TheEndIsKnownInTwoWays) {
  EXPECT_TRUE(std::holds_alternative<SearchIsOver>(ReadAgentAnswer(R"({"done":true})")));
  const AgentAnswer ended = ReadAgentAnswer(R"({"done":{"account":"proved","bound":2.5}})");
  EXPECT_EQ(std::get<SearchIsOver>(ended).account, "proved");
  EXPECT_EQ(std::get<SearchIsOver>(ended).bound, 2.5);
  const AgentAnswer boundless = ReadAgentAnswer(R"({"done":{"bound":null}})");
  EXPECT_EQ(std::get<SearchIsOver>(boundless).bound, std::nullopt);
  const AgentAnswer failed = ReadAgentAnswer(R"({"failed":"ValueError: x"})");
  EXPECT_EQ(std::get<AgentGaveUp>(failed).why, "ValueError: x");
}

TEST(AgentAnswerTest, WhatIsNoAnswerIsRefusedWhereItStands) {
  EXPECT_THAT(RefusalOf(""), HasSubstr("message"));
  EXPECT_THAT(RefusalOf("\xff"), HasSubstr("UTF-8"));
  EXPECT_THAT(RefusalOf("[1]"), HasSubstr("expected an object"));
  EXPECT_THAT(RefusalOf("{}"), HasSubstr("expected one of description, evaluate"));
  EXPECT_THAT(RefusalOf(R"({"done":false})"), HasSubstr("done, which is true"));
  EXPECT_THAT(RefusalOf(R"({"done":true,"failed":"x"})"), HasSubstr("expected one of"));
  EXPECT_THAT(RefusalOf(R"({"evaluate":[{}]})"), HasSubstr("found no key \"placement\""));
  EXPECT_THAT(RefusalOf(std::string(100, '[')), HasSubstr("message"));
}

TEST(AgentAnswerTest, NumbersThatNoPlanHoldsAreRefused) {
  const auto plan = [](const std::string& placement, const std::string& transfers) {
    return Evaluate(R"({"placement":[)" + placement +
                    R"(],"queue":"fifo","op_priority":[],"fusion_priority":[],)" +
                    R"("transfer_priority":[)" + transfers + "]}");
  };
  EXPECT_EQ(RefusalOf(plan("0", "[0,0,1]")), "");
  EXPECT_THAT(RefusalOf(plan("-1", "")), HasSubstr("/evaluate/0/placement/0"));
  EXPECT_THAT(RefusalOf(plan("2147483648", "")), HasSubstr("/placement/0"));
  EXPECT_THAT(RefusalOf(plan("0.5", "")), HasSubstr("/placement/0"));
  EXPECT_THAT(RefusalOf(plan("", "[0,0]")), HasSubstr("a tensor, a device and a priority"));
  EXPECT_THAT(RefusalOf(plan("", "[-1,0,1]")), HasSubstr("a tensor, a device and a priority"));
  EXPECT_THAT(RefusalOf(plan("", "[4294967296,0,1]")), HasSubstr("/transfer_priority/0"));
}

TEST(AgentAnswerTest, ParametersThatContradictThemselvesAreRefused) {
  const auto with = [](const std::string& option) {
    return RefusalOf(R"({"description":{"tasks":["placement"],"summary":"x","options":[)" + option +
                     "]}}");
  };
  EXPECT_EQ(with(R"({"name":"a","default":1})"), "");
  EXPECT_THAT(with(R"({"name":"a","default":1,"range":[0.5,2]})"), HasSubstr("another type"));
  EXPECT_THAT(with(R"({"name":"a","default":"x","range":[0,2]})"), HasSubstr("another type"));
  EXPECT_THAT(with(R"({"name":"a","default":"x","allowed":[1]})"), HasSubstr("another type"));
  EXPECT_THAT(with(R"({"name":"a","default":null})"), HasSubstr("true, false, a number"));
  EXPECT_THAT(with(R"({"name":"a","default":1},{"name":"a","default":2})"), HasSubstr("second"));
  EXPECT_THAT(with(R"({"name":"a","default":1,"range":[1]})"), HasSubstr("the least"));
}

// An answer with some bytes changed, dropped or doubled is an answer or refused, and nothing else.
RC_GTEST_PROP(AgentAnswerTest, DamagedAnswersAreReadOrRefused, ()) {
  std::string text = *rc::gen::element(std::string(kDescription), Evaluate(kPlan));
  const int num_changes = *rc::gen::inRange(1, 6);
  for (int change = 0; change < num_changes && !text.empty(); ++change) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        text[at] = *rc::gen::arbitrary<char>();
        break;
      case 1:
        text.erase(at, *rc::gen::inRange<std::size_t>(1, 20));
        break;
      default:
        text.insert(at, text.substr(at, *rc::gen::inRange<std::size_t>(1, 20)));
    }
  }
  try {
    static_cast<void>(ReadAgentAnswer(text));
  } catch (const InputError& error) {
    RC_ASSERT(std::string(error.what()).starts_with("message"));
  }
}

}  // namespace
}  // namespace opyard::experiments
