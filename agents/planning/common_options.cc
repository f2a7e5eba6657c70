#include "agents/planning/common_options.h"

namespace opyard::agents {
namespace {

std::string RuleStartMeaning() {
  return "list schedules, METIS partitions and the following (rules); " + SimpleStartMeaning();
}

}  // namespace

std::string SimpleStartMeaning() {
  return "all on one device, and contiguous splits (simple); the first of these alone "
         "(single_device)";
}

std::string StartMeaning() {
  return "what is judged first: " + RuleStartMeaning() + "; or random plans (random)";
}

std::string NetworkStartMeaning() {
  return "what is judged beside the plans that the network draws, which does not learn from it: "
         "nothing (network); " +
         RuleStartMeaning();
}

}  // namespace opyard::agents
