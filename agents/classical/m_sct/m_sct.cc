#include "agents/classical/m_sct/m_sct.h"

#include <optional>

#include "agents/base/make_entry.h"
#include "agents/classical/m_sct/favourites.h"
#include "agents/planning/estimates/op_times.h"
#include "agents/planning/grouping/coplacement.h"
#include "agents/planning/list_scheduling/aware_search.h"
#include "agents/planning/list_scheduling/schedule_variants.h"

namespace opyard::agents {
namespace {

struct MSctSettings {
  Awareness awareness = Awareness::kPublished;
  bool coplaces = true;
  std::int64_t lp_edges = 15'000;
};

OptionTable<MSctSettings> MSctOptions() {
  return OptionTable<MSctSettings>(
      {CoplacementRow(&MSctSettings::coplaces),
       {.name = "lp_edges",
        .field = Whole(&MSctSettings::lp_edges, 0, 10'000'000),
        .meaning = "edges between ops up to which the linear program is solved; in graphs of more, "
                   "favourites are the dearest transfers"}});
}

class MSct final : public Agent {
 public:
  explicit MSct(const MSctSettings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    const TransferTimes transfers(problem);
    const OpTimes times = OpTimesFor(settings_.awareness, problem);
    const sim::Grouping grouping =
        settings_.coplaces ? CoplacedGroups(problem) : problem.grouping();
    std::optional<std::vector<std::optional<OpId>>> favourites;
    EvaluateEarliestStarts(settings_.awareness, problem, evaluator, transfers, [&] {
      if (!favourites) {  // not before single devices are evaluated: it takes longer
        favourites =
            FavouritesOf(BuildPrecedenceGraph(problem, grouping, transfers, times), evaluator);
      }
      return EarliestStartOptions{
          .times = &times, .grouping = &grouping, .favourite_child = *favourites};
    });
  }

 private:
  [[nodiscard]] std::vector<std::optional<OpId>> FavouritesOf(
      const PrecedenceGraph& graph, const env::Evaluator& evaluator) const {
    std::optional<Favourites> found;
    if (graph.edges.size() <= static_cast<std::size_t>(settings_.lp_edges)) {
      found = FindFavouritesByProgram(graph, [&] { return evaluator.is_done(); });
    }
    return FavouriteChildren(graph, found.has_value() ? *found : FavouritesBySize(graph));
  }

  MSctSettings settings_;
};

AgentInfo MSctInfo() {
  return {
      .name = "m_sct",
      .kind = AgentKind::kClassical,
      .tasks = {"placement", "scheduling"},
      .is_deterministic = true,
      .paper = "Jeon et al., SoCC 2020",
      .summary =
          "Earliest task first where a device waits for the favourite child of what it ran; "
          "a linear program finds the favourites.",
      .deviations = {
          "Where the program leaves favourites open, those with dear transfers are preferred; "
          "in graphs of many edges they are the dearest transfers (lp_edges).",
          "The devices are those of the main kind, and others for what may not be there or finds "
          "no room.",
          "Variables and constants have no start of their own: they go with the first op that "
          "reads them.",
          "The first op of a group decides for all of it, and has no favourite inside it.",
          "Copies and workspace count as memory. Where nothing finds room, the first ready op "
          "runs where there is most.",
          kCoplacementDeviation,
          "The paper only places. Where scheduling is a task, the order in which ops were chosen "
          "becomes the priorities; the problem's default queue is evaluated as well."}};
}

}  // namespace

AgentEntry MSctEntry() {
  return MakeEntry<MSct>(MSctInfo(), MSctOptions());
}

AgentEntry MSctAwareEntry() {
  return MakeEntry<MSct>(
      AwareInfo(MSctInfo(), kAwareEarliestStarts),
      MSctOptions().WithDefaults({.awareness = Awareness::kAware, .coplaces = false}));
}

}  // namespace opyard::agents
