#include "sim/engine/rules.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "sim/base/error.h"

namespace opyard::sim {
namespace {

// One cell of the table. It has no default, so a row without all of its cells does not compile.
class Answer {
 public:
  constexpr Answer(bool is_yes, const char* objection) : is_yes_(is_yes), objection_(objection) {}

  [[nodiscard]] constexpr bool is_yes() const { return is_yes_; }
  [[nodiscard]] constexpr const char* objection() const { return objection_; }

 private:
  bool is_yes_;
  const char* objection_;
};

// One row: the answers in the order of Question.
struct Row {
  Answer fair_sharing;
  Answer releases;
  Answer fusion;
  Answer lean_build;
  Answer heads_of_pairs;
  Answer starting_at_once;
  Answer remembered_state;
};

constexpr Answer kYes(true, "");
constexpr Answer kNo(false, "");
// Where a user can run into the answer, it says what is simulated instead, or why.
constexpr Answer kNotPlaceto(
    false, "transfers.sharing: this version simulates serial or none under rules placeto only");
constexpr Answer kNotOutput(
    false, "transfers.one_per: this version simulates output under serial or no sharing only");
constexpr Answer kUnreleased(false, "rules placeto");
constexpr Answer kUnfused(false, "rules placeto");

// The table. There is no default: a feature without a row does not compile.
constexpr Row RowOf(Feature feature) {
  // clang-format off
  using enum Feature;
  switch (feature) {
    //                               beside       beside        may       lean  heads start keep
    //                               fair         releases      fuse      build of    at    states
    //                               sharing                                    pairs once
    case kOpyardRules:        return {kYes,        kYes,         kYes,     kYes, kYes, kYes, kYes};
    case kPlacetoRules:       return {kNotPlaceto, kUnreleased,  kUnfused, kNo,  kNo,  kNo,  kNo};
    case kRegalRules:         return {kYes,        kYes,         kYes,     kYes, kYes, kYes, kYes};
    case kSerialSharing:      return {kYes,        kYes,         kYes,     kYes, kYes, kYes, kYes};
    case kFairSharing:        return {kYes,        kYes,         kYes,     kYes, kYes, kNo,  kNo};
    case kNoSharing:          return {kYes,        kYes,         kYes,     kYes, kYes, kYes, kYes};
    case kOnePerDestination:  return {kYes,        kYes,         kYes,     kYes, kYes, kYes, kYes};
    case kOnePerOutput:       return {kNotOutput,  kYes,         kYes,     kNo,  kNo,  kNo,  kYes};
    case kOnePerEdge:         return {kYes,        kYes,         kYes,     kNo,  kYes, kNo,  kYes};
    case kFailsOnExceed:      return {kYes,        kYes,         kYes,     kYes, kYes, kYes, kYes};
    case kWaitsOnExceed:      return {kYes,        kYes,         kYes,     kNo,  kNo,  kNo,  kNo};
    case kIgnoresExceed:      return {kYes,        kYes,         kYes,     kYes, kYes, kYes, kYes};
    case kTrailingGaps:       return {kYes,        kYes,         kYes,     kYes, kYes, kYes, kYes};
    case kDispatch:           return {kYes,        kYes,         kYes,     kNo,  kYes, kNo,  kYes};
    case kGapAfterOp:         return {kYes,        kYes,         kYes,     kNo,  kYes, kNo,  kYes};
    case kGapAfterTransfer:   return {kYes,        kYes,         kYes,     kNo,  kYes, kNo,  kYes};
    case kSerialStreams:      return {kYes,        kYes,         kYes,     kYes, kYes, kYes, kYes};
    case kParallelStreams:    return {kYes,        kYes,         kYes,     kYes, kYes, kYes, kYes};
    // Between two devices it does not pay: every other transfer finds its channel taken.
    case kAtMostTwoDevices:   return {kYes,        kYes,         kYes,     kYes, kYes, kNo,  kYes};
    case kManyDevices:        return {kYes,        kYes,         kYes,     kNo,  kYes, kNo,  kYes};
    case kSharedChannels:     return {kYes,        kYes,         kYes,     kYes, kYes, kNo,  kYes};
    case kMissingRoutes:      return {kYes,        kYes,         kYes,     kYes, kYes, kYes, kNo};
    case kLateEnds:           return {kYes,        kYes,         kYes,     kNo,  kYes, kNo,  kYes};
    // Releases wait among the events.
    case kReleases:           return {kYes,        kYes,         kYes,     kNo,  kYes, kNo,  kYes};
    // A move changes the times of the ops beside it.
    case kCopyOverheads:      return {kYes,        kYes,         kYes,     kYes, kYes, kYes, kNo};
    // The end of a kernel that runs moves as others begin and end.
    case kMemoryPools:        return {kYes,        kYes,         kYes,     kNo,  kYes, kNo,  kNo};
    case kTransferPriorities: return {kYes,        kYes,         kYes,     kNo,  kYes, kNo,  kNo};
    case kFusionPriorities:   return {kYes,        kYes,         kYes,     kYes, kYes, kYes, kNo};
    case kStreams:            return {kYes,        kYes,         kYes,     kNo,  kYes, kNo,  kYes};
    case kTransferOrders:     return {kYes,        kYes,         kYes,     kNo,  kNo,  kNo,  kNo};
    case kRecording:          return {kYes,        kYes,         kYes,     kNo,  kYes, kNo,  kYes};
  }
  // clang-format on
  std::abort();
}

constexpr Answer AnswerOf(const Row& row, Question question) {
  switch (question) {
    case Question::kFairSharing:
      return row.fair_sharing;
    case Question::kReleases:
      return row.releases;
    case Question::kFusion:
      return row.fusion;
    case Question::kLeanBuild:
      return row.lean_build;
    case Question::kHeadsOfPairs:
      return row.heads_of_pairs;
    case Question::kStartingAtOnce:
      return row.starting_at_once;
    case Question::kRememberedState:
      return row.remembered_state;
  }
  std::abort();
}

template <class Visit>
void ForEachNo(std::uint64_t features, Question question, Visit&& visit) {
  for (; features != 0; features &= features - 1) {
    const auto feature = static_cast<Feature>(std::countr_zero(features));
    if (const Answer answer = AnswerOf(RowOf(feature), question); !answer.is_yes()) {
      visit(answer);
    }
  }
}

Feature FeatureOf(Rules rules) {
  switch (rules) {
    case Rules::kOpyard:
      return Feature::kOpyardRules;
    case Rules::kPlaceto:
      return Feature::kPlacetoRules;
    case Rules::kRegal:
      return Feature::kRegalRules;
  }
  std::abort();
}

Feature FeatureOf(Sharing sharing) {
  switch (sharing) {
    case Sharing::kSerial:
      return Feature::kSerialSharing;
    case Sharing::kFair:
      return Feature::kFairSharing;
    case Sharing::kNone:
      return Feature::kNoSharing;
  }
  std::abort();
}

Feature FeatureOf(OnePer one_per) {
  switch (one_per) {
    case OnePer::kDestination:
      return Feature::kOnePerDestination;
    case OnePer::kOutput:
      return Feature::kOnePerOutput;
    case OnePer::kEdge:
      return Feature::kOnePerEdge;
  }
  std::abort();
}

Feature FeatureOf(OnExceed on_exceed) {
  switch (on_exceed) {
    case OnExceed::kFail:
      return Feature::kFailsOnExceed;
    case OnExceed::kWait:
      return Feature::kWaitsOnExceed;
    case OnExceed::kIgnore:
      return Feature::kIgnoresExceed;
  }
  std::abort();
}

Feature FeatureOf(StreamRule streams) {
  switch (streams) {
    case StreamRule::kSerial:
      return Feature::kSerialStreams;
    case StreamRule::kParallel:
      return Feature::kParallelStreams;
  }
  std::abort();
}

// Sets what `rules.sharing` means for transfers.
void SetSharing(Sharing sharing, SimTime gap_after, EngineRules& rules) {
  rules.sharing = sharing;
  switch (sharing) {
    case Sharing::kSerial:
      rules.occupies_channels = true;
      rules.flows = false;
      rules.gap_after_transfer_ps = gap_after.picoseconds;
      return;
    case Sharing::kFair:
      rules.occupies_channels = false;
      rules.flows = true;
      rules.gap_after_transfer_ps = 0;
      return;
    case Sharing::kNone:
      rules.occupies_channels = false;
      rules.flows = false;
      rules.gap_after_transfer_ps = 0;
      return;
  }
}

// As the file gives them. Every field is named, so that a new one does not compile before it is
// thought of here.
EngineRules WrittenRules(const HardwareProfile& hardware) {
  const auto& [dispatch, gap_after_op, trailing_gaps_count, streams] = hardware.execution;
  // The kinds of channels are a matter of routes (sim/hardware/channel_map.h).
  const auto& [sharing, channels, one_per, gap_after] = hardware.transfers;
  // The reserve is a matter of capacities (HardwareProfile::capacity).
  const auto& [on_exceed, reserve] = hardware.memory;
  EngineRules rules{.rules = hardware.rules,
                    .one_per = one_per,
                    .on_exceed = on_exceed,
                    .trailing_gaps_count = trailing_gaps_count,
                    .dispatch_ps = dispatch.picoseconds,
                    .gap_after_op_ps = gap_after_op.picoseconds,
                    .streams = streams,
                    .is_placeto = hardware.rules == Rules::kPlaceto,
                    .waits_for_memory = on_exceed == OnExceed::kWait,
                    .has_parallel_streams = streams == StreamRule::kParallel};
  SetSharing(sharing, gap_after, rules);
  return rules;
}

}  // namespace

EngineRules RulesOf(const HardwareProfile& hardware) {
  EngineRules rules = WrittenRules(hardware);
  if (rules.rules == Rules::kRegal) {
    SetSharing(Sharing::kNone, {}, rules);
  }
  return rules;
}

void EnsureRulesAreSimulated(const HardwareProfile& hardware) {
  if (hardware.rules == Rules::kPlaceto && std::ranges::any_of(hardware.devices, HasCopyOverhead)) {
    throw UnsupportedError("machine " + hardware.name +
                           ": copy_overhead and copy_bandwidth of devices: under rules placeto "
                           "copies take no time from ops; expected neither");
  }
  if (hardware.rules != Rules::kOpyard && !hardware.memory_pools.empty()) {
    throw UnsupportedError("machine " + hardware.name +
                           ": memory_pools: under rules placeto and regal each device has a "
                           "memory of its own; expected none");
  }
  const FeatureSet features = FeaturesOf(WrittenRules(hardware));
  if (!features.Has(Feature::kFairSharing) || features.Allows(Question::kFairSharing)) {
    return;
  }
  std::string text;
  for (const std::string& objection : features.Objections(Question::kFairSharing)) {
    text += (text.empty() ? "" : "\n") + ("machine " + hardware.name + ": " + objection);
  }
  throw UnsupportedError(text);
}

bool FeatureSet::Allows(Question question) const {
  bool is_allowed = true;
  ForEachNo(bits_, question, [&](const Answer&) { is_allowed = false; });
  return is_allowed;
}

std::vector<std::string> FeatureSet::Objections(Question question) const {
  std::vector<std::string> objections;
  ForEachNo(bits_, question, [&](const Answer& no) { objections.emplace_back(no.objection()); });
  return objections;
}

// Every field is named here, too.
FeatureSet FeaturesOf(const EngineRules& rules) {
  const auto& [kind,
               sharing,
               one_per,
               on_exceed,
               trailing_gaps_count,
               dispatch_ps,
               gap_after_op_ps,
               gap_after_transfer_ps,
               streams,
               is_placeto,  // these follow from those above
               waits_for_memory,
               occupies_channels,
               flows,
               has_parallel_streams] = rules;
  FeatureSet features;
  features.Add(FeatureOf(kind));
  features.Add(FeatureOf(sharing));
  features.Add(FeatureOf(one_per));
  features.Add(FeatureOf(on_exceed));
  features.AddIf(trailing_gaps_count, Feature::kTrailingGaps);
  features.AddIf(dispatch_ps > 0, Feature::kDispatch);
  features.AddIf(gap_after_op_ps > 0, Feature::kGapAfterOp);
  features.AddIf(gap_after_transfer_ps > 0, Feature::kGapAfterTransfer);
  features.Add(FeatureOf(streams));
  return features;
}

FeatureSet FeaturesOf(const Plan& plan) {
  FeatureSet features;
  features.AddIf(!plan.transfer_priority.empty(), Feature::kTransferPriorities);
  features.AddIf(!plan.fusion_priority.empty(), Feature::kFusionPriorities);
  features.AddIf(HasStreams(plan.queue), Feature::kStreams);
  features.AddIf(!plan.transfer_order.empty(), Feature::kTransferOrders);
  return features;
}

}  // namespace opyard::sim
