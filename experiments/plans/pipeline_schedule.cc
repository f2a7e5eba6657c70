#include "experiments/plans/pipeline_schedule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "graphs/microbatches/repeat_microbatches.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::experiments {
namespace {

constexpr const char* kExpected =
    "an action such as 2F0 (stage, F, I, B or W, micro-batch), a communication such as 2SEND_F0 or "
    "(2F1;5B0)OVERLAP_F_B";
constexpr std::string_view kOverlap = "OVERLAP_F_B";
constexpr auto kCommunications = std::to_array<std::string_view>(
    {"SEND_F", "RECV_F", "SEND_B", "RECV_B", "UNSHARD", "RESHARD", "REDUCE_GRAD"});
constexpr auto kComputations = std::to_array<std::pair<std::string_view, ActionKind>>({
    {"F", ActionKind::kForward},
    {"B", ActionKind::kBackward},
    {"I", ActionKind::kInputGradient},
    {"W", ActionKind::kWeightGradient},
});

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos
             ? std::string_view{}
             : text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

// The parts of `text` between the separators; one, empty, of an empty text.
std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(separator); end != std::string_view::npos;
       end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

// The number that `text` begins with, taken off it.
std::optional<std::int32_t> TakeNumber(std::string_view& text) {
  std::int32_t number = 0;
  const char* begin = text.data();
  const auto [end, error] = std::from_chars(begin, begin + text.size(), number);
  if (error != std::errc() || number < 0 || text.starts_with('-')) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - begin));
  return number;
}

// The action that `word` stands for, if it is one that computes.
std::optional<ActionKind> FindComputation(std::string_view word) {
  const auto* const found =
      std::ranges::find(kComputations, word, &std::pair<std::string_view, ActionKind>::first);
  return found == kComputations.end() ? std::nullopt : std::optional(found->second);
}

class ScheduleReader {
 public:
  explicit ScheduleReader(const std::string& place) : place_(place) {}

  PipelineSchedule Read(std::string_view text) {
    text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
    if (text.starts_with('{')) {  // else each of its words is reported as no action
      throw InputError(place_ +
                       ": found JSON, expected a line for each rank with actions such as " +
                       "2F0 (stage, F, I, B or W, micro-batch) and commas between them");
    }
    ReadLines(text);
    diagnostics_.ThrowIfAny();
    if (num_actions_ == 0) {
      throw InputError(place_ + ": found no action, expected a line of actions for each rank");
    }
    SplitBackward();
    FindRanks();
    FindRepeated();
    diagnostics_.ThrowIfAny();
    return std::move(schedule_);
  }

 private:
  void ReadLines(std::string_view text) {
    std::size_t line = 0;
    for (const std::string_view row : Split(text, '\n')) {
      ++line;
      schedule_.ranks.emplace_back();
      std::size_t cell = 0;
      for (const std::string_view field : Split(row, ',')) {
        ReadCell(Trimmed(field), {.line = line, .cell = ++cell, .text = {}});
      }
    }
  }

  void Report(const PipelineAction& at, const std::string& message) {
    diagnostics_.AddError(CellPlace(place_, at), message);
  }

  void ReadCell(std::string_view text, const PipelineAction& at) {
    if (text.empty()) {
      return;
    }
    if (!text.starts_with('(')) {
      ReadAction(text, text, at);
      return;
    }
    const std::size_t close = text.find(')');
    const bool is_overlap =
        close != std::string_view::npos && Trimmed(text.substr(close + 1)) == kOverlap;
    const auto parts = Split(is_overlap ? text.substr(1, close - 1) : "", ';');
    if (parts.size() != 2) {
      Report(at, "found " + Quoted(text) + ", expected two actions, (2F1;5B0)OVERLAP_F_B");
      return;
    }
    for (const std::string_view part : parts) {
      ReadAction(Trimmed(part), text, at);
    }
  }

  // `text` is the action, `cell` all that stands there.
  void ReadAction(std::string_view text, std::string_view cell, PipelineAction action) {
    action.text = text;
    std::string_view rest = text;
    const std::optional<std::int32_t> stage = TakeNumber(rest);
    const std::string_view word =
        rest.substr(0, std::min(rest.find_first_of("0123456789"), rest.size()));
    rest.remove_prefix(word.size());
    const std::optional<ActionKind> kind = FindComputation(word);
    const bool is_communication = std::ranges::find(kCommunications, word) != kCommunications.end();
    const bool has_no_microbatch = rest.empty();
    const std::optional<std::int32_t> microbatch = TakeNumber(rest);
    const bool is_whole = microbatch.has_value() || (is_communication && has_no_microbatch);
    if (!stage.has_value() || !(kind.has_value() || is_communication) || !is_whole ||
        !rest.empty()) {
      Report(action, "found " + Quoted(cell) + ", expected " + kExpected);
      return;
    }
    if (is_communication) {
      ++schedule_.num_communications;
      return;
    }
    action.kind = *kind;
    action.stage = *stage;
    action.microbatch = *microbatch;
    Add(std::move(action));
  }

  void Add(PipelineAction action) {
    if (action.stage >= kMostStages || action.microbatch >= graphs::kMostMicrobatches) {
      Report(action,
             "found " + Quoted(action.text) + ", expected a stage below " +
                 std::to_string(kMostStages) + " and a micro-batch below " +
                 std::to_string(graphs::kMostMicrobatches));
      return;
    }
    if (++num_actions_ > kMostActions) {
      throw InputError(CellPlace(place_, action) + ": expected at most " +
                       std::to_string(kMostActions) + " actions in all");
    }
    schedule_.num_microbatches = std::max(schedule_.num_microbatches, action.microbatch + 1);
    schedule_.ranks.back().push_back(std::move(action));
  }

  template <class Visit>
  void ForEachAction(const Visit& visit) {
    for (std::size_t rank = 0; rank < schedule_.ranks.size(); ++rank) {
      for (PipelineAction& action : schedule_.ranks[rank]) {
        visit(rank, action);
      }
    }
  }

  // B is the input gradient alone where its micro-batch has a W.
  void SplitBackward() {
    std::set<std::pair<std::int32_t, std::int32_t>> with_weight_gradient;
    ForEachAction([&](std::size_t /*rank*/, const PipelineAction& action) {
      if (action.kind == ActionKind::kWeightGradient) {
        with_weight_gradient.emplace(action.stage, action.microbatch);
      }
    });
    ForEachAction([&](std::size_t /*rank*/, PipelineAction& action) {
      if (action.kind == ActionKind::kBackward &&
          with_weight_gradient.contains({action.stage, action.microbatch})) {
        action.kind = ActionKind::kInputGradient;
      }
    });
  }

  void FindRanks() {
    std::map<std::int32_t, std::size_t> ranks;
    ForEachAction([&](std::size_t rank, const PipelineAction& action) {
      const auto [at, is_new] = ranks.emplace(action.stage, rank);
      if (!is_new && at->second != rank) {
        Report(action,
               "found " + Quoted(action.text) + ", expected no action of stage " +
                   std::to_string(action.stage) + ", which line " + std::to_string(at->second + 1) +
                   " has: a stage is of one rank");
      }
    });
    for (const auto& [stage, rank] : ranks) {
      for (std::size_t lacking = schedule_.num_stages(); lacking < static_cast<std::size_t>(stage);
           ++lacking) {
        diagnostics_.AddError(place_,
                              "found stage " + std::to_string(stage) + ", but no action of stage " +
                                  std::to_string(lacking) +
                                  ", expected each stage below the last on a line");
        schedule_.rank_of_stage.push_back(rank);
      }
      schedule_.rank_of_stage.push_back(rank);
    }
  }

  // A backward pass, B, is that of inputs and of weights.
  void FindRepeated() {
    std::map<std::tuple<std::int32_t, std::int32_t, ActionKind>, const PipelineAction*> first;
    ForEachAction([&](std::size_t /*rank*/, const PipelineAction& action) {
      const bool is_whole = action.kind == ActionKind::kBackward;
      for (const ActionKind kind : {is_whole ? ActionKind::kInputGradient : action.kind,
                                    is_whole ? ActionKind::kWeightGradient : action.kind}) {
        const auto [at, is_new] =
            first.try_emplace({action.stage, action.microbatch, kind}, &action);
        if (!is_new && at->second != &action) {
          Report(action,
                 "found " + Quoted(action.text) + ", expected it once: line " +
                     std::to_string(at->second->line) + ", cell " +
                     std::to_string(at->second->cell) + " has " + Quoted(at->second->text));
          return;
        }
      }
    });
  }

  const std::string& place_;
  Diagnostics diagnostics_;
  PipelineSchedule schedule_;
  std::size_t num_actions_ = 0;
};

}  // namespace

std::size_t PipelineSchedule::num_actions() const {
  std::size_t sum = 0;
  for (const std::vector<PipelineAction>& actions : ranks) {
    sum += actions.size();
  }
  return sum;
}

PipelineSchedule ReadPipelineSchedule(std::string_view text, const std::string& place) {
  return ScheduleReader(place).Read(text);
}

std::string CellPlace(const std::string& place, const PipelineAction& action) {
  return place + ":" + std::to_string(action.line) + ": cell " + std::to_string(action.cell);
}

}  // namespace opyard::experiments
