#include "agents/classical/m_etf/m_etf.h"

#include "agents/base/make_entry.h"
#include "agents/planning/estimates/op_times.h"
#include "agents/planning/grouping/coplacement.h"
#include "agents/planning/list_scheduling/aware_search.h"
#include "agents/planning/list_scheduling/schedule_variants.h"

namespace opyard::agents {
namespace {

struct MEtfSettings {
  Awareness awareness = Awareness::kPublished;
  bool coplaces = true;
};

OptionTable<MEtfSettings> MEtfOptions() {
  return OptionTable<MEtfSettings>({CoplacementRow(&MEtfSettings::coplaces)});
}

class MEtf final : public Agent {
 public:
  explicit MEtf(const MEtfSettings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    const TransferTimes transfers(problem);
    const OpTimes times = OpTimesFor(settings_.awareness, problem);
    const sim::Grouping grouping =
        settings_.coplaces ? CoplacedGroups(problem) : problem.grouping();
    EvaluateEarliestStarts(settings_.awareness, problem, evaluator, transfers, [&] {
      return EarliestStartOptions{.times = &times, .grouping = &grouping};
    });
  }

 private:
  MEtfSettings settings_;
};

AgentInfo MEtfInfo() {
  return {
      .name = "m_etf",
      .kind = AgentKind::kClassical,
      .tasks = {"placement", "scheduling"},
      .is_deterministic = true,
      .paper = "Jeon et al., SoCC 2020",
      .summary =
          "Earliest task first: repeatedly the ready op and device with the earliest start "
          "among the devices with room.",
      .deviations = {
          "The devices are those of the main kind, and others for what may not be there or finds "
          "no room.",
          "Variables and constants have no start of their own: they go with the first op that "
          "reads them.",
          "The first op of a group decides for all of it.",
          "Copies and workspace count as memory. Where nothing finds room, the first ready op "
          "runs where there is most.",
          kCoplacementDeviation,
          "The paper only places. Where scheduling is a task, the order in which ops were chosen "
          "becomes the priorities; the problem's default queue is evaluated as well."}};
}

}  // namespace

AgentEntry MEtfEntry() {
  return MakeEntry<MEtf>(MEtfInfo(), MEtfOptions());
}

AgentEntry MEtfAwareEntry() {
  return MakeEntry<MEtf>(
      AwareInfo(MEtfInfo(), kAwareEarliestStarts),
      MEtfOptions().WithDefaults({.awareness = Awareness::kAware, .coplaces = false}));
}

}  // namespace opyard::agents
