// The table of what runs may do under each rule, as a whole, and the features that it is asked for.
#include "sim/engine/rules.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"

namespace opyard::testing {
namespace {

using sim::Feature;
using sim::FeatureSet;
using sim::Question;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<Feature> AllFeatures() {
  std::vector<Feature> features;
  for (unsigned i = 0; i <= static_cast<unsigned>(Feature::kRecording); ++i) {
    features.push_back(static_cast<Feature>(i));
  }
  return features;
}

FeatureSet Only(Feature feature) {
  FeatureSet features;
  features.Add(feature);
  return features;
}

// The features that may not do what `question` asks.
std::vector<Feature> ThoseAgainst(Question question) {
  std::vector<Feature> features = AllFeatures();
  std::erase_if(features, [&](Feature feature) { return Only(feature).Allows(question); });
  return features;
}

sim::HardwareProfile MachineWithRules(sim::Rules rules, sim::Sharing sharing) {
  sim::HardwareProfile machine;
  machine.name = "odd";
  machine.rules = rules;
  machine.transfers.sharing = sharing;
  return machine;
}

TEST(RulesTest, ARunMayDoWhatAllRowsOfItsFeaturesAllow) {
  FeatureSet features = Only(Feature::kOpyardRules) | Only(Feature::kGapAfterOp);
  EXPECT_FALSE(features.Allows(Question::kLeanBuild));
  EXPECT_TRUE(features.Allows(Question::kRememberedState));
  features.Add(Feature::kFairSharing);
  EXPECT_FALSE(features.Allows(Question::kRememberedState));
}

// Rows that contradict each other would run, and give wrong times.
TEST(RulesTest, WhatTheLeanBuildDoesNotServeNeverStartsAtOnce) {
  for (const Feature feature : ThoseAgainst(Question::kLeanBuild)) {
    EXPECT_FALSE(Only(feature).Allows(Question::kStartingAtOnce)) << static_cast<int>(feature);
  }
}

TEST(RulesTest, WhatIsScannedNeedsTheFullBuild) {
  for (const Feature feature : ThoseAgainst(Question::kHeadsOfPairs)) {
    EXPECT_FALSE(Only(feature).Allows(Question::kLeanBuild)) << static_cast<int>(feature);
  }
}

TEST(RulesTest, WhatAUserCanRunIntoSaysWhy) {
  for (const Question question : {Question::kFairSharing, Question::kReleases, Question::kFusion}) {
    for (const Feature feature : ThoseAgainst(question)) {
      EXPECT_THAT(Only(feature).Objections(question), ElementsAre(Not(IsEmpty())));
    }
  }
}

TEST(RulesTest, WhatIsNotSimulatedTogetherIsRefusedWithAllReasons) {
  sim::HardwareProfile machine = MachineWithRules(sim::Rules::kPlaceto, sim::Sharing::kFair);
  machine.transfers.one_per = sim::OnePer::kOutput;
  std::string text;
  try {
    sim::EnsureRulesAreSimulated(machine);
  } catch (const UnsupportedError& error) {
    text = error.what();
  }
  EXPECT_EQ(text,
            "machine odd: transfers.sharing: this version simulates serial or none under rules "
            "placeto only\n"
            "machine odd: transfers.one_per: this version simulates output under serial or no "
            "sharing only");
}

TEST(RulesTest, WhatRefusesFairSharingIsSimulatedWithoutIt) {
  sim::HardwareProfile machine = MachineWithRules(sim::Rules::kPlaceto, sim::Sharing::kSerial);
  machine.transfers.one_per = sim::OnePer::kOutput;
  EXPECT_NO_THROW(sim::EnsureRulesAreSimulated(machine));
}

TEST(RulesTest, RegalSharesNothingWhateverTheFileSays) {
  sim::HardwareProfile machine = MachineWithRules(sim::Rules::kRegal, sim::Sharing::kSerial);
  machine.transfers.gap_after = SimTime{5};
  const sim::EngineRules rules = sim::RulesOf(machine);
  EXPECT_EQ(rules.sharing, sim::Sharing::kNone);
  EXPECT_FALSE(rules.occupies_channels);
  EXPECT_EQ(rules.gap_after_transfer_ps, 0);
}

TEST(RulesTest, OnlySerialTransfersRest) {
  for (const sim::Sharing sharing :
       {sim::Sharing::kSerial, sim::Sharing::kFair, sim::Sharing::kNone}) {
    sim::HardwareProfile machine = MachineWithRules(sim::Rules::kOpyard, sharing);
    machine.transfers.gap_after = SimTime{5};
    EXPECT_EQ(sim::RulesOf(machine).gap_after_transfer_ps,
              sharing == sim::Sharing::kSerial ? 5 : 0);
  }
}

TEST(RulesTest, EachEnumeratorOfAFileIsAFeatureOfItsOwn) {
  const auto features_of = [](sim::Sharing sharing) {
    return FeaturesOf(sim::RulesOf(MachineWithRules(sim::Rules::kOpyard, sharing)));
  };
  EXPECT_TRUE(features_of(sim::Sharing::kSerial).Has(Feature::kSerialSharing));
  EXPECT_TRUE(features_of(sim::Sharing::kFair).Has(Feature::kFairSharing));
  EXPECT_TRUE(features_of(sim::Sharing::kNone).Has(Feature::kNoSharing));
  EXPECT_FALSE(features_of(sim::Sharing::kNone).Has(Feature::kSerialSharing));
}

}  // namespace
}  // namespace opyard::testing
