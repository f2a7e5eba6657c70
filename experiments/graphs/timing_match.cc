#include "experiments/graphs/timing_match.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "experiments/graphs/op_units.h"
#include "experiments/graphs/profiled_types.h"
#include "experiments/graphs/runtime_names.h"
#include "experiments/graphs/sequence_alignment.h"

namespace opyard::experiments {
namespace {

// The middle one, or the mean of the two in the middle. REQUIRES: not empty.
double MedianOf(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
}

// The runs under one type, and the units of the graph that are of it.
struct TypeRuns {
  std::vector<std::size_t> runs;  // indices of timings
  std::vector<OpUnit> units;
  bool is_even = false;  // matched by order

  // The number of runs of each unit; 0 if that does not come out even.
  [[nodiscard]] std::size_t Multiple() const {
    return units.empty() || runs.size() % units.size() != 0 ? 0 : runs.size() / units.size();
  }
};

// One element of a step's sequence: of the trace, or of the graph.
struct Token {
  std::int32_t type = 0;
  sim::Phase phase = sim::Phase::kUnknown;
  std::size_t run = 0;           // of a trace
  const OpUnit* unit = nullptr;  // of a graph
};

class Matcher {
 public:
  Matcher(const sim::OpGraph& graph, const Timings& timings)
      : graph_(graph), timings_(timings.list), is_trace_(timings.is_trace) {}

  TimingMatch Run() {
    TakeByName();
    CollectTypes();
    multiple_ = is_trace_ ? CommonMultiple() : 0;
    JoinUpdates();
    TakeByOrder();
    if (is_trace_) {
      TakeByNeighbours();
    }
    ListUnmatched();
    for (auto& [op, seconds] : samples_) {
      match_.seconds[op] = MedianOf(std::move(seconds));
    }
    return std::move(match_);
  }

 private:
  void TakeByName() {
    std::map<std::string_view, OpId> by_name;
    for (std::size_t i = 0; i < graph_.num_ops(); ++i) {
      by_name.emplace(graph_.op(OpId(i)).name, OpId(i));
    }
    is_matched_.resize(timings_.size());
    for (std::size_t i = 0; i < timings_.size(); ++i) {
      if (const auto op = by_name.find(timings_[i].name); op != by_name.end()) {
        Take(i, {.ops = {op->second}});
        named_.insert(op->second);
      }
    }
    match_.num_by_name = std::ssize(named_);
  }

  void Take(std::size_t run, const OpUnit& unit) {
    is_matched_[run] = true;
    if (timings_[run].is_measured) {
      for (const auto& [op, seconds] : SharesOf(graph_, unit, timings_[run].seconds)) {
        samples_[op.value].push_back(seconds);
      }
    }
  }

  void CollectTypes() {
    const ProfiledTypes types(graph_);
    const bool has_steps =
        std::ranges::any_of(timings_, [](const Timing& timing) { return timing.step >= 0; });
    for (std::size_t i = 0; i < timings_.size(); ++i) {
      std::string type = is_trace_ ? timings_[i].type : types.TypeIn(timings_[i].name);
      const bool is_of_no_step = has_steps && timings_[i].step < 0;
      if (!is_matched_[i] && !type.empty() && !is_of_no_step) {
        by_type_[std::move(type)].runs.push_back(i);
      }
    }
    const std::map<std::string, std::set<std::string>> stand_ins = FindStandIns();
    for (auto& [type, runs] : by_type_) {
      const auto found = stand_ins.find(type);
      runs.units = UnitsOf(
          graph_, type, found == stand_ins.end() ? std::set<std::string>{} : found->second, named_);
    }
  }

  // The types of the graph that the trace does not have, by the one they run as.
  [[nodiscard]] std::map<std::string, std::set<std::string>> FindStandIns() const {
    std::map<std::string, std::set<std::string>> found;
    for (std::size_t i = 0; is_trace_ && i < graph_.num_ops(); ++i) {
      const std::string type = LowerCase(graph_.op(OpId(i)).type);
      const std::string run_as(FindTypeRunAs(type));
      if (!run_as.empty() && !by_type_.contains(type)) {
        found[run_as].insert(type);
      }
    }
    return found;
  }

  // The number of runs that most ops have; 1 if nothing comes out even.
  [[nodiscard]] std::size_t CommonMultiple() const {
    std::map<std::size_t, std::size_t> num_units;
    for (const auto& [type, runs] : by_type_) {
      if (runs.Multiple() > 0 && type != ProfiledTypes::kUpdates) {
        num_units[runs.Multiple()] += runs.units.size();
      }
    }
    const auto most = std::ranges::max_element(
        num_units, {}, [](const auto& multiple_and_number) { return multiple_and_number.second; });
    return most == num_units.end() ? 1 : most->first;
  }

  // The updates of one step are one timing, however many kernels for many weights make it.
  void JoinUpdates() {
    const auto updates = by_type_.find(std::string(ProfiledTypes::kUpdates));
    if (!is_trace_ || updates == by_type_.end() || updates->second.units.empty()) {
      return;
    }
    std::map<std::int64_t, double> seconds;  // by step
    std::map<std::int64_t, bool> is_measured;
    for (const std::size_t run : updates->second.runs) {
      const std::int64_t step = timings_[run].step;
      seconds[step] += timings_[run].seconds;
      is_measured.try_emplace(step, false).first->second |= timings_[run].is_measured;
      is_matched_[run] = true;
    }
    for (const auto& [step, sum] : seconds) {
      const double one_step = step < 0 ? sum / static_cast<double>(multiple_) : sum;
      if (is_measured[step]) {
        for (const auto& [op, part] : SharesOf(graph_, updates->second.units[0], one_step)) {
          samples_[op.value].push_back(part);
        }
      }
    }
    match_.num_by_order += std::ssize(updates->second.units[0].ops);
    by_type_.erase(updates);
  }

  void TakeByOrder() {
    for (auto& [type, runs] : by_type_) {
      runs.is_even = runs.Multiple() > 0 && (!is_trace_ || runs.Multiple() == multiple_);
      if (!runs.is_even) {
        continue;
      }
      for (std::size_t i = 0; i < runs.runs.size(); ++i) {
        Take(runs.runs[i], runs.units[i % runs.units.size()]);
      }
      for (const OpUnit& unit : runs.units) {
        match_.num_by_order += std::ssize(unit.ops);
      }
    }
  }

  // Neighbours.

  void TakeByNeighbours() {
    const bool is_all_even =
        std::ranges::all_of(by_type_, [](const auto& item) { return item.second.is_even; });
    if (is_all_even) {
      return;
    }
    const std::vector<Token> graph = GraphTokens();
    for (const auto& [step, tokens] : StepTokens()) {
      for (const sim::Phase phase : {sim::Phase::kForward, sim::Phase::kBackward}) {
        Align(OfPass(tokens, phase), OfPass(graph, phase));
      }
    }
    match_.num_by_neighbours = std::ssize(by_neighbours_);
  }

  // Those of one pass; what is of neither counts as forward.
  static std::vector<Token> OfPass(const std::vector<Token>& tokens, sim::Phase phase) {
    std::vector<Token> found;
    for (const Token& token : tokens) {
      const bool is_backward = token.phase == sim::Phase::kBackward;
      if (is_backward == (phase == sim::Phase::kBackward)) {
        found.push_back(token);
      }
    }
    return found;
  }

  [[nodiscard]] std::vector<Token> GraphTokens() const {
    std::vector<Token> tokens;
    for (const auto& [type, runs] : by_type_) {
      for (const OpUnit& unit : runs.units) {
        tokens.push_back({.type = NumberOf(type), .phase = unit.phase, .unit = &unit});
      }
    }
    std::ranges::sort(tokens, {}, [this](const Token& token) {
      return graph_.topological_index(token.unit->ops[0]);
    });
    return tokens;
  }

  // The runs of the trace by step; a trace without numbers of steps is cut where its first op runs
  // again.
  [[nodiscard]] std::map<std::int64_t, std::vector<Token>> StepTokens() const {
    std::map<std::size_t, Token> tokens;  // by run
    for (const auto& [type, runs] : by_type_) {
      for (const std::size_t run : runs.runs) {
        tokens[run] = {.type = NumberOf(type), .phase = timings_[run].phase, .run = run};
      }
    }
    const std::vector<std::size_t> starts = FirstRunsOfSteps();
    std::map<std::int64_t, std::vector<Token>> steps;
    for (const auto& [run, token] : tokens) {
      const std::int64_t cut = std::ranges::upper_bound(starts, run) - starts.begin();
      steps[timings_[run].step >= 0 ? timings_[run].step : cut].push_back(token);
    }
    return steps;
  }

  // Where the op that comes first in the graph, among those matched by order, runs again.
  [[nodiscard]] std::vector<std::size_t> FirstRunsOfSteps() const {
    const TypeRuns* first = nullptr;
    for (const auto& [type, runs] : by_type_) {
      const auto place = [this](const TypeRuns& other) {
        return graph_.topological_index(other.units[0].ops[0]);
      };
      if (runs.is_even && (first == nullptr || place(runs) < place(*first))) {
        first = &runs;
      }
    }
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; first != nullptr && i < first->runs.size(); i += first->units.size()) {
      starts.push_back(first->runs[i]);
    }
    if (!starts.empty()) {
      starts.erase(starts.begin());  // what stands before belongs to the first step, too
    }
    return starts;
  }

  // Where several runs could be an op, the longest is: one that was broken off, as the end of what
  // a checkpoint recomputes, takes next to nothing.
  void Align(const std::vector<Token>& trace, const std::vector<Token>& graph) {
    const auto pairs = AlignSequences(ElementsOf(trace), ElementsOf(graph));
    for (const auto& [in_trace, in_graph] : pairs) {
      const TypeRuns& runs = std::next(by_type_.begin(), trace[in_trace].type)->second;
      if (!runs.is_even) {
        const OpUnit& unit = *graph[in_graph].unit;
        Take(trace[in_trace].run, unit);
        by_neighbours_.insert(unit.ops.begin(), unit.ops.end());
      }
    }
  }

  [[nodiscard]] std::vector<SequenceElement> ElementsOf(const std::vector<Token>& tokens) const {
    std::vector<SequenceElement> elements;
    for (const Token& token : tokens) {
      const double seconds = token.unit == nullptr ? timings_[token.run].seconds : 0.0;
      elements.push_back({.type = token.type, .weight = seconds});
    }
    return elements;
  }

  [[nodiscard]] std::int32_t NumberOf(const std::string& type) const {
    return static_cast<std::int32_t>(std::distance(by_type_.begin(), by_type_.find(type)));
  }

  void ListUnmatched() {
    std::map<std::string, UnmatchedTimings> by_name;
    for (std::size_t i = 0; i < timings_.size(); ++i) {
      match_.total_s += timings_[i].seconds;
      if (!is_matched_[i] && (!is_trace_ || timings_[i].seconds > 0.0)) {
        UnmatchedTimings& unmatched = by_name[timings_[i].name];
        unmatched.num_timings += 1;
        unmatched.seconds += timings_[i].seconds;
      }
    }
    for (auto& [name, unmatched] : by_name) {
      unmatched.name = name;
      match_.unmatched.push_back(std::move(unmatched));
    }
    std::ranges::stable_sort(match_.unmatched, std::greater<>{}, &UnmatchedTimings::seconds);
  }

  const sim::OpGraph& graph_;
  const std::vector<Timing>& timings_;
  const bool is_trace_;
  std::set<OpId> named_;  // ops with a timing by name
  std::vector<bool> is_matched_;
  std::map<std::string, TypeRuns> by_type_;
  std::size_t multiple_ = 0;
  std::set<OpId> by_neighbours_;
  std::map<std::int64_t, std::vector<double>> samples_;  // seconds by op index
  TimingMatch match_;
};

}  // namespace

TimingMatch Match(const sim::OpGraph& graph, const Timings& timings) {
  return Matcher(graph, timings).Run();
}

}  // namespace opyard::experiments
