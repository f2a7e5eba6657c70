#include "experiments/external/agent_answer.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "env/problem_words.h"
#include "sim/base/error.h"
#include "sim/io/json/json_cursor.h"
#include "sim/io/text/utf8.h"
#include "sim/plan/queue_name.h"
#include "sim/plan/validate.h"

namespace opyard::experiments {
namespace {

using sim::JsonCursor;
using sim::JsonField;
using sim::JsonKind;

constexpr const char* kPlace = "message";
constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();

std::string TextOf(const JsonCursor& value) {
  return std::string(value.Text().value_or(""));
}

std::vector<std::string> TextsOf(const JsonCursor& value) {
  std::vector<std::string> texts;
  value.ForEachItem([&](const JsonCursor& item) { texts.push_back(TextOf(item)); });
  return texts;
}

template <class Number>
std::vector<Number> NumbersOf(const JsonCursor& value, std::int64_t low, std::int64_t high) {
  std::vector<Number> numbers;
  value.ForEachItem([&](const JsonCursor& item) {
    numbers.push_back(static_cast<Number>(item.IntegerIn(low, high).value_or(low)));
  });
  return numbers;
}

void ReadPlacement(const JsonCursor& value, sim::Plan& plan) {
  value.ForEachItem([&](const JsonCursor& item) {
    plan.placement.emplace_back(
        static_cast<std::int32_t>(item.IntegerIn(0, kInt32Max).value_or(0)));
  });
}

// [tensor, device, priority].
void ReadTransfer(const JsonCursor& value, sim::Plan& plan) {
  const auto triple = NumbersOf<std::int64_t>(value, -sim::kLargestPriority, sim::kLargestPriority);
  constexpr auto is_index = [](std::int64_t number) { return number >= 0 && number <= kInt32Max; };
  if (triple.size() != 3 || !is_index(triple[0]) || !is_index(triple[1])) {
    value.ReportExpected("a tensor, a device and a priority");
    return;
  }
  plan.transfer_priority.push_back({.tensor = TensorId(static_cast<std::int32_t>(triple[0])),
                                    .destination = DeviceId(static_cast<std::int32_t>(triple[1])),
                                    .priority = triple[2]});
}

// [devices][streams][ops]
void ReadOrder(const JsonCursor& value, sim::Plan& plan) {
  value.ForEachItem([&](const JsonCursor& streams) {
    plan.order.emplace_back();
    streams.ForEachItem([&](const JsonCursor& stream) {
      sim::Stream ops;
      for (const auto op : NumbersOf<std::int32_t>(stream, 0, kInt32Max)) {
        ops.emplace_back(op);
      }
      plan.order.back().push_back(std::move(ops));
    });
  });
}

// {channel: [[tensor, device], …]}
void ReadTransferOrder(const JsonCursor& value, sim::Plan& plan) {
  value.ForEachMember([&](std::string_view channel, const JsonCursor& copies) {
    plan.transfer_order.push_back({.channel = std::string(channel), .copies = {}});
    copies.ForEachItem([&](const JsonCursor& item) {
      const auto pair = NumbersOf<std::int32_t>(item, 0, kInt32Max);
      if (pair.size() != 2) {
        item.ReportExpected("a tensor and a device");
        return;
      }
      plan.transfer_order.back().copies.push_back(
          {.tensor = TensorId(pair[0]), .destination = DeviceId(pair[1])});
    });
  });
}

constexpr auto kPlanFields = std::to_array<JsonField<sim::Plan>>({
    {"placement", ReadPlacement, true},
    {"queue",
     [](const JsonCursor& value, sim::Plan& plan) {
       plan.queue = sim::ReadEnum(value, sim::FindQueue, JoinNames(sim::QueueNames()).c_str())
                        .value_or(sim::QueueDiscipline::kFifo);
     },
     true},
    {"op_priority",
     [](const JsonCursor& value, sim::Plan& plan) {
       plan.op_priority =
           NumbersOf<std::int64_t>(value, -sim::kLargestPriority, sim::kLargestPriority);
     },
     true},
    {"transfer_priority",
     [](const JsonCursor& value, sim::Plan& plan) {
       value.ForEachItem([&](const JsonCursor& item) { ReadTransfer(item, plan); });
     },
     true},
    {"fusion_priority",
     [](const JsonCursor& value, sim::Plan& plan) {
       plan.fusion_priority = NumbersOf<std::int32_t>(value, 0, sim::kLargestFusionPriority);
     },
     true},
    {"fusion_region",
     [](const JsonCursor& value, sim::Plan& plan) {
       plan.fusion_region = NumbersOf<std::int32_t>(value, 0, kInt32Max);
     }},
    {"order", ReadOrder},
    {"transfer_order", ReadTransferOrder},
});

std::optional<OptionValue> ValueOf(const JsonCursor& value) {
  switch (value.kind()) {
    case JsonKind::kBool:
      return *value.Bool();
    case JsonKind::kInteger:
      return *value.Integer();
    case JsonKind::kFloat:
      return *value.Number();
    case JsonKind::kString:
      return TextOf(value);
    default:
      value.ReportExpected("true, false, a number or a text");
      return std::nullopt;
  }
}

void ReadDefault(const JsonCursor& value, agents::OptionInfo& option) {
  option.default_value = ValueOf(value).value_or(false);
}

void ReadRange(const JsonCursor& value, agents::OptionInfo& option) {
  std::vector<OptionValue> ends;
  value.ForEachItem([&](const JsonCursor& item) { ends.push_back(ValueOf(item).value_or(false)); });
  if (ends.size() != 2) {
    value.ReportExpected("the least and the greatest number");
    return;
  }
  option.range = agents::OptionRange{.low = ends[0], .high = ends[1]};
}

constexpr auto kOptionFields = std::to_array<JsonField<agents::OptionInfo>>({
    {"name",
     [](const JsonCursor& value, agents::OptionInfo& option) {
       option.name = value.Name().value_or("");
     },
     true},
    {"default", ReadDefault, true},
    {"range", ReadRange},
    {"allowed",
     [](const JsonCursor& value, agents::OptionInfo& option) {
       value.ForEachItem([&](const JsonCursor& item) {
         option.allowed.push_back(ValueOf(item).value_or(false));
       });
     }},
    {"meaning",
     [](const JsonCursor& value, agents::OptionInfo& option) { option.meaning = TextOf(value); }},
});

// Numbers have a range of their own type, or none; words are texts.
void CheckOption(const JsonCursor& place, const agents::OptionInfo& option) {
  const auto is_like = [&](const OptionValue& other) {
    return other.index() == option.default_value.index();
  };
  const bool is_number = std::holds_alternative<std::int64_t>(option.default_value) ||
                         std::holds_alternative<double>(option.default_value);
  if (option.range.has_value() &&
      !(is_number && is_like(option.range->low) && is_like(option.range->high))) {
    place.Report("found a range of another type than the default, expected two numbers like it");
  }
  if (!std::ranges::all_of(option.allowed, is_like) || (!option.allowed.empty() && is_number)) {
    place.Report("found legal values of another type than the default, expected texts");
  }
}

void ReadTasks(const JsonCursor& value, agents::AgentInfo& info) {
  info.tasks = TextsOf(value);
  static_cast<void>(env::ReadTasks(info.tasks, value.place().Text(), value.diagnostics()));
}

void ReadOptions(const JsonCursor& value, agents::AgentInfo& info) {
  value.ForEachItem([&](const JsonCursor& item) {
    agents::OptionInfo& option = info.options.emplace_back();
    sim::ReadFields<agents::OptionInfo>(item, kOptionFields, option);
    CheckOption(item, option);
    const auto same_name = [&](const auto& other) { return other.name == option.name; };
    if (std::ranges::count_if(info.options, same_name) > 1) {
      item.Report("found a second parameter of this name, expected each once");
    }
  });
}

constexpr auto kInfoFields = std::to_array<JsonField<agents::AgentInfo>>({
    {"tasks", ReadTasks, true},
    {"start", [](const JsonCursor& value, agents::AgentInfo& info) { info.start = TextOf(value); }},
    {"paper", [](const JsonCursor& value, agents::AgentInfo& info) { info.paper = TextOf(value); }},
    {"summary",
     [](const JsonCursor& value, agents::AgentInfo& info) { info.summary = TextOf(value); },
     true},
    {"deviations",
     [](const JsonCursor& value, agents::AgentInfo& info) { info.deviations = TextsOf(value); }},
    {"options", ReadOptions, true},
});

AgentAnswer InfoOf(const JsonCursor& value) {
  agents::AgentInfo info{.kind = agents::AgentKind::kPython};
  sim::ReadFields<agents::AgentInfo>(value, kInfoFields, info);
  return info;
}

constexpr auto kEndFields = std::to_array<JsonField<SearchIsOver>>({
    {"account", [](const JsonCursor& value, SearchIsOver& end) { end.account = TextOf(value); }},
    {"bound",
     [](const JsonCursor& value, SearchIsOver& end) {
       if (value.kind() != JsonKind::kNull) {
         end.bound = value.Number();
       }
     }},
});

AgentAnswer EndOf(const JsonCursor& value) {
  SearchIsOver end;
  sim::ReadFields<SearchIsOver>(value, kEndFields, end);
  return end;
}

AgentAnswer PlansOf(const JsonCursor& value) {
  PlansToEvaluate answer;
  value.ForEachItem([&](const JsonCursor& item) {
    sim::ReadFields<sim::Plan>(item, kPlanFields, answer.plans.emplace_back());
  });
  return answer;
}

std::optional<AgentAnswer> AnswerOf(std::string_view key, const JsonCursor& value) {
  if (key == "description") {
    return InfoOf(value);
  }
  if (key == "evaluate") {
    return PlansOf(value);
  }
  if (key == "failed") {
    return AgentGaveUp{.why = TextOf(value)};
  }
  if (key == "done" && value.kind() == JsonKind::kObject) {
    return EndOf(value);
  }
  if (key == "done" && value.Bool().value_or(false)) {
    return SearchIsOver{};
  }
  return std::nullopt;
}

}  // namespace

AgentAnswer ReadAgentAnswer(std::string_view text) {
  Diagnostics diagnostics;
  if (const std::optional<sim::TextFlaw> flaw = sim::FindTextFlaw(text)) {
    throw InputError(std::string(kPlace) + ": found " + flaw->what + ", expected JSON");
  }
  const sim::JsonTree tree = sim::ParseJson(text, kPlace, diagnostics);
  diagnostics.ThrowIfAny();
  std::optional<AgentAnswer> answer;
  const std::string root = std::string(kPlace) + "#";
  const JsonCursor cursor(tree, 0, sim::JsonPlace(root), diagnostics);
  std::size_t num_keys = 0;
  cursor.ForEachMember([&](std::string_view key, const JsonCursor& value) {
    answer = ++num_keys == 1 ? AnswerOf(key, value) : std::nullopt;
  });
  if (diagnostics.empty() && !answer.has_value()) {
    cursor.ReportExpected(
        "one of description, evaluate, failed, and done, which is true or an object");
  }
  diagnostics.ThrowIfAny();
  return std::move(*answer);
}

}  // namespace opyard::experiments
