// Transfers as fluid flows that share links max-min fairly (docs/modelling.md, section 3).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/queues/never.h"
#include "sim/engine/queues/ready_queue.h"

namespace opyard::sim {

// The flows of one run. Flows of one device pair take the same links, so they have one rate, and
// what a flow still has to move is the difference of two marks on its pair's common count of bytes
// moved.
class FairFlows {
 public:
  // Forgets all flows. `flows_of_pair` bounds how many a pair can have.
  void Reset(const LoweredProblem& problem, std::span<const std::int32_t> flows_of_pair);

  // Transfer `slot` of `pair` begins to move `bytes` > 0 at `now_ps`.
  void Start(std::size_t pair, std::int32_t slot, std::int64_t bytes, std::int64_t now_ps);

  // When the next flow ends, or kNever. Shares the links anew if a flow began or ended since.
  [[nodiscard]] std::int64_t NextEnd(std::int64_t now_ps);

  // Takes a flow that ends at `now_ps`, if NextEnd() said so, in order of the pairs, then of the
  // ends.
  [[nodiscard]] std::optional<std::int32_t> PopEnded(std::int64_t now_ps);

 private:
  struct Flow {
    WideKey key;  // the mark at which it ends, as ordered bits; then when it began
    std::int32_t slot = 0;
    double end_mark = 0.0;

    [[nodiscard]] static Flow First() { return {}; }
    [[nodiscard]] static Flow Last() {
      Flow last;
      last.key = WideKey::Last();
      return last;
    }
    friend bool operator<(const Flow& a, const Flow& b) { return a.key < b.key; }
  };
  struct Pair {
    double moved = 0.0;  // bytes moved by each of its flows together, at base_ps_
    double rate = 0.0;   // bytes per second of each of its flows
    std::int32_t num_flows = 0;
    std::int64_t end_ps = kNever;  // of its first flow
  };

  void MoveTo(std::int64_t now_ps);
  void ShareLinks();
  // Sets the rates if no link is used by two pairs: equal parts of the narrowest one, which is
  // what progressive filling comes to. Returns false, with nothing done, where one is.
  bool FixLonePairs();
  void FillProgressively();
  [[nodiscard]] std::size_t FindTightestLink() const;
  void FixPairsThrough(std::size_t link, double rate);
  void UpdateShare(std::size_t link);
  // Takes what the flows of the pair get, now that it is final, from its links.
  void FixPair(std::size_t pair, double rate);
  [[nodiscard]] std::int64_t EndOfFirst(std::size_t pair) const;

  const LoweredProblem* problem_ = nullptr;
  std::int64_t base_ps_ = 0;
  bool is_stale_ = false;              // a flow began or ended since the rates were set
  std::int64_t next_end_ps_ = kNever;  // of all pairs, unless stale
  std::uint32_t num_started_ = 0;
  std::vector<Pair> pairs_;
  std::vector<std::size_t> active_;        // pairs with flows, ascending
  std::vector<std::uint64_t> unfixed_;     // of those, while sharing, as bits: without a final rate
  std::vector<double> free_bandwidth_;     // by channel, while sharing
  std::vector<std::int32_t> num_unfixed_;  // by channel: flows without a final rate
  std::vector<double> share_;              // by channel: what each of them would get
  SegmentedQueues<Flow> flows_;            // by pair
};

}  // namespace opyard::sim
