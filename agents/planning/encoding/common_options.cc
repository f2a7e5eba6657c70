#include "agents/planning/encoding/common_options.h"

namespace opyard::agents {
namespace {

std::string HeuristicStartMeaning() {
  return "list schedules, METIS partitions and the following (rules); " + SimpleStartMeaning();
}

}  // namespace

std::string SimpleStartMeaning() {
  return "all on one device, and contiguous splits (simple); the first of these alone "
         "(single_device)";
}

std::string StartMeaning() {
  return "what is evaluated first: " + HeuristicStartMeaning() + "; or random plans (random)";
}

std::string NetworkStartMeaning() {
  return "what is evaluated beside the plans that the network samples, which does not learn from "
         "it: "
         "nothing (network); " +
         HeuristicStartMeaning();
}

}  // namespace opyard::agents
