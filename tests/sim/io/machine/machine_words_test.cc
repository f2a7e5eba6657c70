// The schema of machine files, by which editors complete, has the words that the reader takes.
#include "sim/io/machine/machine_words.h"

#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/io/machine/link_topologies.h"

namespace opyard::sim {
namespace {

using ::testing::ElementsAreArray;

// The words of `key`, wherever in `schema` it is described.
std::vector<std::string> WordsOf(const nlohmann::json& schema, const std::string& key) {
  if (schema.is_object() && schema.contains(key) && schema.at(key).contains("enum")) {
    return schema.at(key).at("enum");
  }
  for (const nlohmann::json& part : schema) {
    if (part.is_structured()) {
      if (std::vector<std::string> words = WordsOf(part, key); !words.empty()) {
        return words;
      }
    }
  }
  return {};
}

TEST(MachineWordsTest, AreThoseOfTheSchema) {
  std::ifstream file("hardware_profiles/schema/machine.v1.json");
  const nlohmann::json schema = nlohmann::json::parse(file);
  EXPECT_THAT(WordsOf(schema, "rules"), ElementsAreArray(kRulesWords));
  EXPECT_THAT(WordsOf(schema, "sharing"), ElementsAreArray(kSharingWords));
  EXPECT_THAT(WordsOf(schema, "one_per"), ElementsAreArray(kOnePerWords));
  EXPECT_THAT(WordsOf(schema, "topology"), ElementsAreArray(kTopologyWords));
  EXPECT_THAT(WordsOf(schema, "on_exceed"), ElementsAreArray(kOnExceedWords));
}

}  // namespace
}  // namespace opyard::sim
