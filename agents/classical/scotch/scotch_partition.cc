#include "agents/classical/scotch/scotch_partition.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <type_traits>

#include <scotch/scotch.h>

#include "agents/planning/partitioning/scale_to_integers.h"
#include "sim/base/check.h"

namespace opyard::agents {
namespace {

static_assert(std::is_same_v<SCOTCH_Num, std::int32_t>, "the build of Scotch with 32-bit numbers");

// Scotch sets its process-wide random state up on first use.
constinit std::mutex scotch_mutex;

// Sums of loads stay far from the ends of 32-bit numbers.
constexpr double kTotalVertexLoad = 1e8;
constexpr double kTotalEdgeLoad = 2e8;
constexpr double kTotalSpeed = 1e4;
constexpr SCOTCH_Num kSeed = 1;

void CheckDone(int status, const std::string& step) {
  OPYARD_CHECK(status == 0, "Scotch refused the graph: " + step);
}

// A structure of Scotch, which is freed at the end. `Exit` takes what `Init` has set up.
template <class Value, int (*Init)(Value*), void (*Exit)(Value*)>
class Owned {
 public:
  Owned() { CheckDone(Init(&value_), "no memory"); }
  ~Owned() { Exit(&value_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  [[nodiscard]] Value* get() { return &value_; }

 private:
  Value value_;
};

using Context = Owned<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;
using Graph = Owned<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;
using Architecture = Owned<SCOTCH_Arch, SCOTCH_archInit, SCOTCH_archExit>;
using Strategy = Owned<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;

std::vector<SCOTCH_Num> ToScotch(std::span<const std::size_t> values) {
  std::vector<SCOTCH_Num> result;
  result.reserve(values.size());
  for (const std::size_t value : values) {
    result.push_back(static_cast<SCOTCH_Num>(value));
  }
  return result;
}

// One thread, and a random state of its own.
void SetUp(Context& context) {
  CheckDone(SCOTCH_contextRandomClone(context.get()), "its random state");
  SCOTCH_contextRandomSeed(context.get(), kSeed);
  SCOTCH_contextRandomReset(context.get());
  CheckDone(SCOTCH_contextThreadSpawn(context.get(), 1, nullptr), "its thread");
}

std::vector<SCOTCH_Num> RunScotch(const GroupGraph& graph,
                                  std::span<const double> speeds,
                                  double imbalance) {
  const std::vector<SCOTCH_Num> first_edge = ToScotch(graph.first_edge);
  const std::vector<SCOTCH_Num> neighbour = ToScotch(graph.neighbour);
  const std::vector<SCOTCH_Num> vertex_load = ScaleToIntegers(graph.seconds, kTotalVertexLoad);
  const std::vector<SCOTCH_Num> edge_load = ScaleToIntegers(graph.edge_bytes, kTotalEdgeLoad);
  const std::vector<SCOTCH_Num> device_load = ScaleToIntegers(speeds, kTotalSpeed);
  const auto num_devices = static_cast<SCOTCH_Num>(speeds.size());
  std::vector<SCOTCH_Num> part(graph.num_groups());
  const std::scoped_lock lock(scotch_mutex);
  Context context;
  Graph plain;
  Graph bound;  // freed before `plain`, to which it refers
  Architecture architecture;
  Strategy strategy;
  SetUp(context);
  CheckDone(SCOTCH_graphBuild(plain.get(),
                              0,
                              static_cast<SCOTCH_Num>(graph.num_groups()),
                              first_edge.data(),
                              nullptr,
                              vertex_load.data(),
                              nullptr,
                              static_cast<SCOTCH_Num>(neighbour.size()),
                              neighbour.data(),
                              edge_load.data()),
            "its edges");
  CheckDone(SCOTCH_contextBindGraph(context.get(), plain.get(), bound.get()), "its context");
  CheckDone(SCOTCH_archCmpltw(architecture.get(), num_devices, device_load.data()), "the devices");
  CheckDone(SCOTCH_stratGraphMapBuild(strategy.get(), SCOTCH_STRATDEFAULT, num_devices, imbalance),
            "the strategy");
  CheckDone(SCOTCH_graphMap(bound.get(), architecture.get(), strategy.get(), part.data()),
            "the mapping");
  return part;
}

}  // namespace

std::vector<std::size_t> MapGroups(const GroupGraph& graph,
                                   std::span<const double> speeds,
                                   double imbalance) {
  std::vector<std::size_t> part(graph.num_groups(), 0);
  if (graph.num_groups() <= speeds.size()) {
    std::iota(part.begin(), part.end(), std::size_t{0});
    return part;
  }
  if (speeds.size() > 1) {
    std::ranges::transform(RunScotch(graph, speeds, imbalance), part.begin(), [](SCOTCH_Num p) {
      return static_cast<std::size_t>(p);
    });
  }
  return part;
}

}  // namespace opyard::agents
