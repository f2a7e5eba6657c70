// The rules of a machine as the engine uses them, and what a run under each of them may do.
//
// A run has features: rules of its machine, shapes of the machine, parts of its plan. Each feature
// has one row in the table of rules.cc, which answers every question that the engine asks about
// what is allowed; a run may do what all rows of its features allow. A new rule compiles only once
// it is a feature and has a row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// A machine's rules (docs/modelling.md, sections 3, 4 and 6).
struct EngineRules {
  Rules rules = Rules::kOpyard;
  Sharing sharing = Sharing::kSerial;
  OnePer one_per = OnePer::kDestination;
  OnExceed on_exceed = OnExceed::kFail;
  bool trailing_gaps_count = false;
  std::int64_t dispatch_ps = 0;
  std::int64_t gap_after_op_ps = 0;
  std::int64_t gap_after_transfer_ps = 0;  // 0 unless channels rest
  StreamRule streams = StreamRule::kSerial;
  // The consequences of these rules.
  bool is_placeto = false;
  bool waits_for_memory = false;
  bool occupies_channels = true;  // one transfer at a time on each channel of its route
  bool flows = false;             // how long a transfer takes depends on those beside it
  bool has_parallel_streams = false;
};

[[nodiscard]] EngineRules RulesOf(const HardwareProfile& hardware);

// Throws UnsupportedError naming every rule of `hardware` that the engine does not simulate, with
// what it does instead.
void EnsureRulesAreSimulated(const HardwareProfile& hardware);

enum class Feature : std::uint8_t {
  // From the machine's rules.
  kOpyardRules,
  kPlacetoRules,
  kRegalRules,
  kSerialSharing,
  kFairSharing,
  kNoSharing,
  kOnePerDestination,
  kOnePerOutput,
  kOnePerEdge,
  kFailsOnExceed,
  kWaitsOnExceed,
  kIgnoresExceed,
  kTrailingGaps,
  kDispatch,
  kGapAfterOp,
  kGapAfterTransfer,
  kSerialStreams,
  kParallelStreams,
  // From the problem.
  kAtMostTwoDevices,
  kManyDevices,     // more than KernelEnds has place for
  kSharedChannels,  // two pairs of devices take one
  kMissingRoutes,   // between two devices
  kLateEnds,        // beyond those that KernelEnds can count
  kReleases,        // of ops, after time 0
  kCopyOverheads,   // copies take time from ops
  kMemoryPools,     // devices share memories
  // From the plan and the call.
  kTransferPriorities,
  kFusionPriorities,
  kStreams,
  kTransferOrders,
  kRecording,
};

// The questions about a run: the columns of the table.
enum class Question : std::uint8_t {
  kFairSharing,     // Is it simulated beside fair sharing?
  kReleases,        // Is it simulated beside ops with a release?
  kFusion,          // May ops fuse?
  kLeanBuild,       // Does the build without options serve (run/run_state.h)?
  kHeadsOfPairs,    // Do only the first transfers of pairs compete? Else all that wait are scanned.
  kStartingAtOnce,  // May transfers start before all events of their instant are processed?
  kRememberedState,  // May states be kept, for runs of similar plans to begin with?
};

class FeatureSet {
 public:
  constexpr void Add(Feature feature) {
    bits_ |= std::uint64_t{1} << static_cast<unsigned>(feature);
  }
  constexpr void AddIf(bool condition, Feature feature) {
    bits_ |= static_cast<std::uint64_t>(condition) << static_cast<unsigned>(feature);
  }
  [[nodiscard]] constexpr bool Has(Feature feature) const {
    return (bits_ >> static_cast<unsigned>(feature) & 1U) != 0;
  }
  // True if the rows of all its features say yes.
  [[nodiscard]] bool Allows(Question question) const;
  // The objections of the rows that say no, in the order of the features; "" for those without one.
  [[nodiscard]] std::vector<std::string> Objections(Question question) const;

  friend constexpr FeatureSet operator|(FeatureSet a, FeatureSet b) {
    a.bits_ |= b.bits_;
    return a;
  }
  friend bool operator==(const FeatureSet&, const FeatureSet&) = default;

 private:
  std::uint64_t bits_ = 0;
};

[[nodiscard]] FeatureSet FeaturesOf(const EngineRules& rules);
[[nodiscard]] FeatureSet FeaturesOf(const Plan& plan);

}  // namespace opyard::sim
