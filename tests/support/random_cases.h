// Seeded random problems and plans that visit every corner of the rules.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/base/rng.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::testing {

struct RandomCase {
  std::shared_ptr<const sim::OpGraph> graph;
  sim::HardwareProfile hardware;
  sim::Plan plan;
};

// The sampling of times and sizes: from a few round numbers, so that ties abound, or from wide
// ranges, so that there are practically none.
enum class Values : std::uint8_t { kRound, kContinuous };

// Which rules random machines may have beside the plain ones; each that is named is sampled for
// about half of them.
struct RuleChoices {
  bool gaps = false;      // gap_after_op, gap_after, trailing_gaps_count
  bool dispatch = false;  // execution.dispatch
  bool per_output = false;
  bool per_edge = false;
  bool fair = false;  // then never per output
  bool regal = false;
  bool releases = false;  // of a few ops or of many: the one rule that graphs have
  // Devices whose ops copies take time from. Runs on such machines keep no states and place no ops
  // as time goes on, which is why tests ask for it by itself.
  bool copy_overheads = false;
  // Memory pools of some devices, which use more bandwidth together than there is; not on regal
  // machines. By itself for the same reasons.
  bool memory_pools = false;
  // Plans with streams, and machines that run these side by side; in all cases. Half of the plans
  // order the transfers of channels, too, where the machine has such.
  bool streams = false;
};

// Every rule that there is: a new one belongs here too, so that all tests of random cases meet it.
inline constexpr RuleChoices kAllRules{.gaps = true,
                                       .dispatch = true,
                                       .per_output = true,
                                       .per_edge = true,
                                       .fair = true,
                                       .regal = true,
                                       .releases = true};

struct CaseLimits {
  std::int64_t least_ops = 1;
  std::int64_t most_ops = 40;
  std::int64_t least_devices = 1;
  std::int64_t most_devices = 6;
  RuleChoices rules;
  // Ops have all fusion classes, many no measured times; in half of the graphs these are times of
  // kernels. Views and updates in place are often measured on some devices only. Machines have
  // launches, slow memory and limits of fusion; plans have fusion priorities.
  bool fuses = false;
  bool has_regions = false;  // plans have fusion regions, three at most
};

// A machine of GPUs and sometimes a CPU: mesh, star, bus, half-duplex, two switches, or explicit
// routes; any set of channels or no sharing; memory large and `ignore`.
[[nodiscard]] sim::HardwareProfile RandomMachine(Rng& rng, Values values, const CaseLimits& limits);

// Samples the rules of `machine` among `choices`; a regal machine may lose its links.
void AddRandomRules(Rng& rng,
                    Values values,
                    const RuleChoices& choices,
                    sim::HardwareProfile& machine);

// A layered or unordered DAG whose op indices do not follow the topological order. It has control
// edges, aliases and chains of them, Variables, kept outputs, several or no outputs per op, inputs
// read twice, zero bytes, zero times, workspace, kinds and co-location. It fits `machine`.
[[nodiscard]] std::shared_ptr<const sim::OpGraph> RandomGraph(Rng& rng,
                                                              Values values,
                                                              const CaseLimits& limits,
                                                              const sim::HardwareProfile& machine);

// A legal plan: scattered or blocked placement, either queue, few or many priorities, some
// transfers with a priority of their own.
[[nodiscard]] sim::Plan RandomPlan(Rng& rng,
                                   const sim::OpGraph& graph,
                                   const sim::HardwareProfile& machine);

// Orders some of the transfers that some channels carry when `made` runs, much as they begin then.
// Nothing changes where transfers do not wait for channels one by one.
void AddRandomTransferOrders(Rng& rng, RandomCase& made);

// Gives `plan` streams in place of its queue, mostly such that it completes.
void AddRandomStreams(Rng& rng,
                      const sim::OpGraph& graph,
                      const sim::HardwareProfile& machine,
                      sim::Plan& plan);

// The graph with releases for some of its ops, within the first few ops' time or spread over all.
[[nodiscard]] std::shared_ptr<const sim::OpGraph> WithRandomReleases(Rng& rng,
                                                                     Values values,
                                                                     const sim::OpGraph& graph);

// Gives `machine` what fusing is about, and limits of it.
void AddRandomFusionLimits(Rng& rng, sim::HardwareProfile& machine);

// For each op 1 as a framework does, or few or many levels, or a few ops that take part, or none.
[[nodiscard]] std::vector<std::int32_t> RandomFusionPriorities(Rng& rng, std::size_t num_ops);

// All three, fixed by `seed`.
[[nodiscard]] RandomCase MakeRandomCase(std::uint64_t seed,
                                        Values values,
                                        const CaseLimits& limits);

// Leaves each device, and each memory pool, between a quarter and all of what the plan of `made`
// needs.
void TightenMemory(Rng& rng, sim::OnExceed on_exceed, RandomCase& made);

}  // namespace opyard::testing
