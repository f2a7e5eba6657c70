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
  const Rule rules[] = {
      {hardware.rules == Rules::kOpyard, "rules", "opyard"},
      {hardware.transfers.sharing != Sharing::kFair, "transfers.sharing", "serial, none"},
      {hardware.transfers.one_per == OnePer::kDestination, "transfers.one_per", "destination"},
      {hardware.transfers.gap_after == SimTime{}, "transfers.gap_after", "0 us"},
      {hardware.execution.dispatch == SimTime{}, "execution.dispatch", "0 us"},
      {hardware.execution.gap_after_op == SimTime{}, "execution.gap_after_op", "0 us"},
      {hardware.memory.on_exceed != OnExceed::kWait, "memory.on_exceed", "fail, ignore"},
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
