#include "sim/engine/machine_rules.h"

#include <string>

#include "sim/base/error.h"

namespace opyard::sim {
namespace {

struct Rule {
  bool is_simulated;
  const char* key;
  const char* simulated;
};

}  // namespace

void EnsureRulesAreSimulated(const HardwareProfile& hardware) {
  const bool is_fair = hardware.transfers.sharing == Sharing::kFair;
  const Rule rules[] = {
      {!is_fair || hardware.rules != Rules::kPlaceto,
       "transfers.sharing",
       "serial or none under rules placeto"},
      {!is_fair || hardware.transfers.one_per != OnePer::kOutput,
       "transfers.one_per",
       "output under serial or no sharing"},
  };
  std::string text;
  for (const Rule& rule : rules) {
    if (!rule.is_simulated) {
      text += (text.empty() ? "" : "\n") + ("machine " + hardware.name + ": " + rule.key) +
              ": this version simulates " + rule.simulated + " only";
    }
  }
  if (!text.empty()) {
    throw UnsupportedError(text);
  }
}

}  // namespace opyard::sim
