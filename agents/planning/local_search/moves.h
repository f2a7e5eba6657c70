// The neighbourhood of local searches.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/critical_reassignments.h"
#include "agents/planning/estimates/overtakings.h"
#include "agents/planning/local_search/group_clusters.h"
#include "agents/planning/local_search/operator_selection.h"
#include "agents/planning/partitioning/group_graph.h"
#include "env/group_placement.h"
#include "env/problem.h"
#include "sim/base/rng.h"

namespace opyard::agents {

struct MoveOptions {
  std::int64_t num_levels = 20;
  std::size_t longest_run = 1;     // of groups that change together
  double share_of_clusters = 0.0;  // of the device moves: groups that exchange much
  double share_of_regions = 0.0;   // of the device moves: connected groups, not topological runs
  double share_of_swaps = 0.0;     // of the device moves: two groups change places
  // Beside the other device moves, relative to them, where there are such: reassignments of
  // SetReassignments, and parts of elites of SetElites.
  double share_of_reassignments = 0.0;
  double share_of_takeovers = 0.0;
  double share_of_orders = 0.3;  // order moves, relative to level moves, where there are such
  // [groups · devices]: how likely a device is for a group. Every second device move begins at a
  // group that is where it is unlikely, and every second other device is sampled by it. Empty: all
  // groups and devices are alike.
  std::vector<double> device_affinity = {};
  // ClustersOf the problem's groups, where the caller keeps them; null: Moves makes them.
  std::shared_ptr<const std::vector<GroupPartition>> clusters = nullptr;
};

// Samples neighbours of a state. Each open task has an equal share of the moves until `Learn` says
// what they come to. Keeps a reference to `problem`. REQUIRES: !HasOnePlan(problem).
class Moves {
 public:
  Moves(const env::Problem& problem, MoveOptions options);

  // A state that differs from `state` wherever another is within reach. A device move samples a
  // group with a choice, another allowed device for it, and a length. As many groups around it go
  // there, but for those that may not be there: a run in topological order, or a region, which
  // grows from the group along tensors over groups on its device. Or its cluster goes, in one of
  // the partitions that METIS makes of the groups into 4, 8, 16, … parts. Regions and clusters go
  // as often as not to the device of a neighbour. A swap gives two groups on two devices each
  // other's. Lengths are log-uniform over 1 … longest_run at first: as many moves of one group as
  // of two to three, or of four to seven. A reassignment takes along a region, and a takeover gives
  // groups the devices that an elite has them on. A level move gives one priority, or one fusion
  // priority, to a run. Where agents decide the order of streams (env/plan_queue.h), an order move
  // puts an op before one of those ahead of it on its device, or one of these behind it, in every
  // second also on another device: the state has a sequence then, which level moves and every
  // second device move replace by priorities.
  [[nodiscard]] Decisions Neighbour(const Decisions& state, Rng& rng);
  // Says whether the last neighbour was better than its state: kinds, lengths and origins of moves
  // that were are sampled more often (operator_selection.h).
  void Learn(bool has_paid);
  // From now on some moves begin at a group that is sampled in proportion to `weight_of_group`,
  // [num_groups], not negative. All 0: none does.
  void BeginAt(std::span<const double> weight_of_group);
  // From now on reassignments are sampled from these, in proportion to their seconds.
  void SetReassignments(std::vector<Reassignment> reassignments);
  // From now on order moves of states without a sequence change `order`, in which the ops of the
  // last detailed run started.
  void SetStartOrder(std::vector<OpId> order);
  // From now on order moves are sampled from these, in proportion to their seconds.
  void SetOvertakings(std::vector<Overtaking> overtakings);
  // From now on takeovers are from `elites`, the best first and each aligned to it
  // (recombination.h), and clusters are also the units that the first 2, 4, 8, … of them agree on.
  // Forgets what Learn said. Elites are [num_groups]. REQUIRES: it was not called before.
  void SetElites(std::span<const env::GroupPlacement> elites);

 private:
  enum Kind : std::uint8_t {
    kRun,
    kRegion,
    kCluster,
    kSwap,
    kReassignment,
    kTakeover,
    kLevel,
    kOrder,
    kFusion,
    kNumKinds
  };
  enum Origin : std::uint8_t { kAnywhere, kByWeight };

  void MakeShares();
  void MakeSizes();
  [[nodiscard]] std::size_t SampleLength(Rng& rng) const;
  void MoveDevice(Kind kind, Decisions& state, Rng& rng) const;
  void MoveRun(std::size_t begin, Decisions& state, Rng& rng) const;
  void MoveTogether(std::span<const std::size_t> groups, Decisions& state, Rng& rng) const;
  [[nodiscard]] bool Reassign(Decisions& state, Rng& rng) const;
  [[nodiscard]] bool TakeOverFromElite(std::size_t group, Decisions& state, Rng& rng) const;
  [[nodiscard]] bool Swap(std::size_t group, Decisions& state, Rng& rng) const;
  // A position of movable_.
  [[nodiscard]] std::size_t SampleMovable(const Decisions& state, Rng& rng) const;
  // A position of order_.
  [[nodiscard]] std::size_t SampleByWeight(Rng& rng) const;
  [[nodiscard]] double Affinity(std::size_t group, DeviceId device) const;
  [[nodiscard]] DeviceId OtherDevice(std::size_t group, DeviceId present, Rng& rng) const;
  [[nodiscard]] DeviceId DeviceNearby(std::span<const std::size_t> groups,
                                      const Decisions& state,
                                      Rng& rng) const;
  [[nodiscard]] std::vector<std::size_t> Cluster(std::size_t seed) const;
  [[nodiscard]] std::vector<std::size_t> Region(std::size_t seed,
                                                const Decisions& state,
                                                Rng& rng) const;
  // False where the sampled change leaves the order as it is.
  [[nodiscard]] bool ChangeOrder(Decisions& state, Rng& rng) const;
  [[nodiscard]] std::vector<OpId> PresentOrder(const Decisions& state) const;
  [[nodiscard]] const Overtaking& SampleOvertaking(Rng& rng) const;
  // Gives a run of groups another of `num_levels` levels.
  template <class Level>
  void MoveLevel(std::int64_t num_levels, std::vector<Level>& level_of_group, Rng& rng) const;

  const env::Problem& problem_;
  MoveOptions options_;
  std::vector<std::size_t> order_;    // groups in topological order
  std::vector<std::size_t> movable_;  // positions in order_ of groups with more than one device
  GroupGraph graph_;                  // where some moves go by neighbours; else empty
  std::vector<GroupPartition> clusters_;
  std::vector<Reassignment> reassignments_;
  std::vector<Overtaking> overtakings_;
  std::vector<OpId> start_order_;            // empty before SetStartOrder
  std::vector<env::GroupPlacement> elites_;  // aligned to the first
  OperatorSelection kinds_;
  // The sizes of each kind: powers of two, partitions or elites.
  std::vector<OperatorSelection> sizes_;
  OperatorSelection origins_{{1.0, 1.0}};  // by Origin
  std::vector<double> sums_;               // of the weights up to each position of order_; or empty
  // Kind, size and origin of the last neighbour.
  Kind kind_ = kRun;
  std::size_t size_ = 0;
  Origin origin_ = kAnywhere;
};

}  // namespace opyard::agents
