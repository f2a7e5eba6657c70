// `opyard plan show`, `diff` and `edit`.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;
using testing::Workplace;
using Words = std::vector<std::string>;

// a 0–2 ms and c 2–7 on gpu0, a's copy 2–3, b 3–6 on gpu1.
constexpr const char* kSplit = R"({"format": "opyard-plan/1", "graph": "toy",
 "placement": ["gpu0", "gpu1", "gpu0"]})";
// a 0–2, b 2–5, c 5–10 on gpu0.
constexpr const char* kOrder = R"({"format": "opyard-plan/1", "graph": "toy",
 "placement": ["gpu0", "gpu0", "gpu0"], "order": {"gpu0": [[0, 1, 2]]}})";

class PlanChangesTest : public ::testing::Test {
 protected:
  PlanChangesTest()
      : split_(place_.Write("split.plan.json", kSplit)),
        order_(place_.Write("order.plan.json", kOrder)) {}

  [[nodiscard]] Ended Run(Words words, const Words& more = {}) const {
    words.insert(words.begin(), "plan");
    words.insert(
        words.end(),
        {"--graph", place_.Path("toy.graph.json"), "--hardware", place_.Path("machines/two.yaml")});
    words.insert(words.end(), more.begin(), more.end());
    return RunCommand(words);
  }

  Workplace place_;
  std::string split_;
  std::string order_;
};

TEST_F(PlanChangesTest, ShowSaysWhatDevicesRun) {
  const Ended ended = Run({"show", split_, "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const nlohmann::json json = ended.Json();
  EXPECT_EQ(json.at("queue"), "fifo");
  EXPECT_EQ(json.at("kernels"), 3);
  EXPECT_EQ(json.at("makespan_s"), 0.007);
  EXPECT_EQ(json.at("devices")[0],
            nlohmann::json::parse(R"({"device": "gpu0", "ops": 2, "time_s": 0.007,
                "param_bytes": 11, "output_bytes": 1000017, "streams": []})"));
  EXPECT_THAT(json.at("hints").dump(), HasSubstr("no op_priority"));
}

TEST_F(PlanChangesTest, ShowCountsStreams) {
  const Ended ended = Run({"show", order_});
  EXPECT_THAT(ended.out, HasSubstr("queue order, 3 ops in 3 kernels; completed: 10.000 ms\n"));
  EXPECT_THAT(ended.out, HasSubstr("1 (longest 3 ops)"));
  EXPECT_THAT(ended.out, HasSubstr("no op is on gpu1\n"));
  EXPECT_EQ(Run({"show", order_, "--json"}).Json().at("devices")[0].at("streams"),
            nlohmann::json({3}));
}

TEST_F(PlanChangesTest, DiffListsDecisionsAndBothMakespans) {
  const Ended ended = Run({"diff", split_, order_});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.out,
            "~ the plan: queue fifo -> order\n"
            "~ b: placement gpu1 -> gpu0\n"
            "before: completed: 7.000 ms\n"
            "after: completed: 10.000 ms (+3.000 ms)\n");
  const nlohmann::json json = Run({"diff", split_, order_, "--json"}).Json();
  EXPECT_EQ(json.at("equal"), false);
  EXPECT_EQ(json.at("placement"),
            nlohmann::json::parse(R"([{"op": "b", "before": "gpu1", "after": "gpu0"}])"));
  EXPECT_EQ(json.at("after").at("makespan_s"), 0.010);
  EXPECT_EQ(Run({"diff", split_, split_}).status, 0);
}

TEST_F(PlanChangesTest, DiffListsOpsThatMovedInTheOrder) {
  std::string text = kOrder;
  text.replace(text.find("0, 1, 2"), 7, "0, 2, 1");
  const Ended ended = Run({"diff", order_, place_.Write("other.plan.json", text)});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.out,
            "~ c: order gpu0 stream 0 position 2 -> gpu0 stream 0 position 1\n"
            "before: completed: 10.000 ms\nafter: completed: 10.000 ms (+0.000 ms)\n");
}

// Whatever the number of a suggestion, the new plan takes what `simulate --explain` says.
TEST_F(PlanChangesTest, EditAppliesEachSuggestionOfExplain) {
  for (const std::string& plan : {split_, order_}) {
    const Ended explained = RunCommand({"simulate",
                                        "--plan",
                                        plan,
                                        "--explain",
                                        "--json",
                                        "--graph",
                                        place_.Path("toy.graph.json"),
                                        "--hardware",
                                        place_.Path("machines/two.yaml")});
    const nlohmann::json decisions = explained.Json().at("explanation").at("decisions");
    nlohmann::json listed = decisions.at("savings");
    listed.insert(listed.end(), decisions.at("costs").begin(), decisions.at("costs").end());
    ASSERT_FALSE(listed.empty());
    for (std::size_t i = 0; i < listed.size(); ++i) {
      const Ended ended = Run({"edit", plan, "--apply", std::to_string(i + 1), "--json"},
                              {"--out", place_.Path("new.plan.json")});
      ASSERT_EQ(ended.status, 0) << ended.err;
      EXPECT_EQ(ended.Json().at("after").at("makespan_s"), listed[i].at("makespan_s"));
      EXPECT_EQ(Run({"show", place_.Path("new.plan.json"), "--json"}).Json().at("makespan_s"),
                listed[i].at("makespan_s"));
    }
    const Ended beyond = Run({"edit", plan, "--apply", std::to_string(listed.size() + 1)},
                             {"--out", place_.Path("new.plan.json")});
    EXPECT_EQ(beyond.status, 2);
    EXPECT_THAT(beyond.err, HasSubstr("expected at most " + std::to_string(listed.size())));
  }
}

// Both copies go at 2–3 ms as one; on gpu1 c, of the higher priority, runs 3–8 and b 8–11.
TEST_F(PlanChangesTest, EditPlacesOpsAndGivesPriorities) {
  const Ended ended = Run({"edit", split_, "--place", "c=gpu1", "--priority", "c=3", "--json"},
                          {"--out", place_.Path("new.plan.json")});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.Json().at("changes"),
            nlohmann::json({"c on gpu1 instead of gpu0", "c with priority 3"}));
  EXPECT_EQ(ended.Json().at("before").at("makespan_s"), 0.007);
  EXPECT_EQ(ended.Json().at("after").at("makespan_s"), 0.011);
}

TEST_F(PlanChangesTest, EditRefusesWhatIsNoChange) {
  const Words out = {"--out", place_.Path("new.plan.json")};
  EXPECT_THAT(Run({"edit", split_}, out).err, HasSubstr("found no change, expected --apply"));
  EXPECT_THAT(Run({"edit", split_, "--place", "c=gpu7"}, out).err,
              HasSubstr("--place: device \"gpu7\" does not exist"));
  EXPECT_THAT(Run({"edit", order_, "--priority", "c=1"}, out).err,
              HasSubstr("--priority: found a plan of queue order"));
  EXPECT_EQ(Run({"edit", split_, "--apply", "0"}, out).status, 2);
}

// A plan that runs out of memory is one to edit.
TEST_F(PlanChangesTest, EditMovesOpsOfAPlanThatDoesNotComplete) {
  std::string device = testing::kTinyDevice;
  device.replace(device.find("1 GiB"), 5, "1 MB");
  place_.Write("devices/tiny.yaml", device);
  const Ended ended =
      Run({"edit", order_, "--place", "c=gpu1", "--json"}, {"--out", place_.Path("new.plan.json")});
  EXPECT_EQ(ended.status, 1);  // a and its parameters alone are too large
  EXPECT_EQ(ended.Json().at("before").at("outcome"), "out_of_memory");
  EXPECT_THAT(Run({"diff", order_, place_.Path("new.plan.json")}).out,
              HasSubstr("~ c: order gpu0 stream 0 position 2 -> gpu1 stream 0 position 0\n"));
  EXPECT_THAT(Run({"edit", order_, "--apply", "1"}, {"--out", "-"}).err,
              HasSubstr("--apply: found a plan that does not complete"));
}

}  // namespace
}  // namespace opyard::experiments
