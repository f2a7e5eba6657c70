#include "sim/engine/lowering/releases.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/engine/rules.h"

namespace opyard::sim {
namespace {

// Null if there is none.
const Op* FindReleasedOp(const OpGraph& graph) {
  const auto found =
      std::ranges::find_if(graph.ops(), [](const Op& op) { return op.release > SimTime{}; });
  return found == graph.ops().end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::int64_t> ReleasesOf(const OpGraph& graph) {
  std::vector<std::int64_t> releases_ps;
  if (FindReleasedOp(graph) != nullptr) {
    for (const OpId id : graph.topological_order()) {
      releases_ps.push_back(graph.op(id).release.picoseconds);
    }
  }
  return releases_ps;
}

void EnsureReleasesAreSimulated(const OpGraph& graph, const HardwareProfile& hardware) {
  const Op* released = FindReleasedOp(graph);
  const FeatureSet features = FeaturesOf(RulesOf(hardware));
  if (released == nullptr || features.Allows(Question::kReleases)) {
    return;
  }
  throw UnsupportedError("graph " + graph.name() + ": op " + released->name +
                         " has a release, but machine " + hardware.name + " has " +
                         features.Objections(Question::kReleases).front() +
                         ", under which this version simulates none");
}

}  // namespace opyard::sim
