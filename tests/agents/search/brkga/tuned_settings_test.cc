#include "agents/search/brkga/tuned_settings.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/agents/problems.h"

namespace opyard::agents {
namespace {

using ::testing::HasSubstr;

// A file with `text`, which goes with the test.
class TunedSettingsTest : public ::testing::Test {
 protected:
  std::filesystem::path Write(const std::string& text) {
    std::ofstream(path_) << text;
    return path_;
  }
  std::string ErrorOf(const std::string& text) {
    try {
      static_cast<void>(ReadTunedSettings(Write(text)));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  ~TunedSettingsTest() override { std::filesystem::remove(path_); }

  std::filesystem::path path_ =
      std::filesystem::path(::testing::TempDir()) /
      ("tuned_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) +
       ".json");
};

TEST_F(TunedSettingsTest, AreTheDefaultsOfBrkgaWithTheParametersOfTheFile) {
  const BrkgaSettings settings =
      ReadTunedSettings(Write(R"({"schema_version": 1, "agent": "brkga", "record": {},
                "params": {"population": 60, "elite_bias": 0.625, "start": "random",
                           "transfer_genes": true, "host_alpha": 3}})"));
  EXPECT_EQ(settings.search.population, 60);
  EXPECT_EQ(settings.search.elite_bias, 0.625);
  EXPECT_EQ(settings.search.elite_share, 0.2);
  EXPECT_EQ(settings.search.start, Start::kRandom);
  EXPECT_TRUE(settings.search.genes.transfer_genes);
  EXPECT_EQ(settings.betas.host_alpha, 3.0);
}

TEST_F(TunedSettingsTest, SayWhatIsWrongWithAFile) {
  EXPECT_THAT(ErrorOf("population: 3"), HasSubstr("no file of opyard tune"));
  EXPECT_THAT(ErrorOf(R"({"schema_version": 1, "agent": "brkga"})"), HasSubstr("params"));
  EXPECT_THAT(ErrorOf(R"({"schema_version": 2, "agent": "brkga", "params": {}})"),
              HasSubstr("schema_version: found 2, expected 1"));
  EXPECT_THAT(ErrorOf(R"({"schema_version": 1, "agent": "heft", "params": {}})"),
              HasSubstr("agent: found \"heft\", expected \"brkga\""));
  EXPECT_THAT(ErrorOf(R"({"schema_version": 1, "agent": "brkga", "params": {"populace": 5}})"),
              HasSubstr("populace"));
  EXPECT_THAT(ErrorOf(R"({"schema_version": 1, "agent": "brkga", "params": {"elite_bias": 1}})"),
              HasSubstr("option elite_bias: found 1"));
  EXPECT_THROW(static_cast<void>(ReadTunedSettings("no such file")), InputError);
}

TEST_F(TunedSettingsTest, ShippedFilesCanBeRead) {
  for (const TunedFor objective : {TunedFor::kMakespan, TunedFor::kPeakMemory}) {
    EXPECT_GE(ReadTunedSettings(TunedFile({}, objective)).search.population, 2);
  }
}

TEST_F(TunedSettingsTest, AGivenFileIsSearchedWith) {
  const auto problem = testing::ConformanceProblems(testing::kBoth).back().problem;
  Options tuned;
  tuned.Set("settings",
            Write(R"({"schema_version": 1, "agent": "brkga",
                      "params": {"population": 20, "start": "random"}})")
                .string());
  Options plain({{"population", std::int64_t{20}}, {"start", std::string("random")}});
  const testing::Outcome one =
      testing::RunAgent("brkga_tuned", problem, {.evaluations = 90, .options = tuned});
  const testing::Outcome two =
      testing::RunAgent("brkga", problem, {.evaluations = 90, .options = plain});
  EXPECT_EQ(one.best->plan, two.best->plan);
  EXPECT_EQ(one.history.back().evaluations, two.history.back().evaluations);
}

}  // namespace
}  // namespace opyard::agents
