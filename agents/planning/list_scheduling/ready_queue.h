// The ops that could start next on one device.
#pragma once

#include <optional>
#include <queue>
#include <tuple>
#include <vector>

#include "sim/base/units.h"

namespace opyard::agents {

// Ops are known by their topological index. All is O(log n), amortised.
class ReadyQueue {
 public:
  struct Candidate {
    std::int32_t index = 0;
    SimTime ready;
  };

  void Add(Candidate candidate);
  // The one that could start first on a device that is free from `free` on: of equals the least
  // index. REQUIRES: `free` is never less than at the call before.
  [[nodiscard]] std::optional<Candidate> FindFirst(SimTime free);
  // Removes the one that FindFirst gave.
  void RemoveFirst();
  // Sets aside the candidate that FindFirst gave, until there is room for `need`.
  void SetFirstAside(Bytes need);
  // Adds again what was set aside and needs no more than `room`.
  void BringBack(Bytes room);

 private:
  struct ReadyLater {
    bool operator()(const Candidate& a, const Candidate& b) const {
      return std::tie(a.ready, a.index) > std::tie(b.ready, b.index);
    }
  };
  struct IndexedLater {
    bool operator()(const Candidate& a, const Candidate& b) const { return a.index > b.index; }
  };
  struct Waiting {
    Bytes need;
    Candidate candidate;
  };
  struct NeedsMore {
    bool operator()(const Waiting& a, const Waiting& b) const {
      return std::tie(a.need, a.candidate.index) > std::tie(b.need, b.candidate.index);
    }
  };

  template <class T, class Order>
  using Heap = std::priority_queue<T, std::vector<T>, Order>;

  Heap<Candidate, ReadyLater> arriving_;     // ready after the device is free
  Heap<Candidate, IndexedLater> startable_;  // ready by then
  Heap<Waiting, NeedsMore> aside_;
};

}  // namespace opyard::agents
