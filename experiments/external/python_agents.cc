#include "experiments/external/python_agents.h"

#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <variant>

#include "agents/base/option_table.h"
#include "agents/base/search_start.h"
#include "experiments/base/version.h"
#include "experiments/external/agent_answer.h"
#include "experiments/external/agent_request.h"
#include "experiments/external/child_process.h"
#include "experiments/external/external_agent.h"
#include "experiments/external/message_channel.h"
#include "sim/base/error.h"
#include "sim/io/text/utf8.h"

namespace opyard::experiments {
namespace {

using agents::AgentEntry;
using agents::AgentInfo;
using agents::OptionInfo;

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
constexpr auto kLoadingPatience = std::chrono::seconds(60);
constexpr const char* kTimeout = "timeout_s";
constexpr const char* kMemory = "memory_gib";

// The parameters that every agent in Python takes beside its own.
std::vector<OptionInfo> LimitOptions() {
  return {{.name = kTimeout,
           .default_value = 600.0,
           .range = agents::OptionRange{.low = 0.1, .high = 1e6},
           .meaning = "the longest that its process may say nothing, in seconds"},
          {.name = kMemory,
           .default_value = 8.0,
           .range = agents::OptionRange{.low = 0.0625, .high = 1e6},
           .meaning = "the most memory that its process may use, in GiB"}};
}

template <class Number>
std::pair<Number, Number> LimitsOf(const OptionInfo& option, Number low, Number high) {
  if (!option.range.has_value()) {
    return {low, high};
  }
  return {std::get<Number>(option.range->low), std::get<Number>(option.range->high)};
}

std::string ReadText(const OptionInfo& option, const std::string& fallback, Options& given) {
  std::vector<std::string> words;
  for (const OptionValue& word : option.allowed) {
    words.push_back(std::get<std::string>(word));
  }
  std::string text = given.Text(option.name, fallback, words);
  if (sim::FindTextFlaw(text).has_value()) {
    throw InputError(option.name + ": found " + sim::ShownText(text) + ", expected UTF-8");
  }
  return text;
}

// The value that is given, or the default. Throws InputError for one that is not legal.
OptionValue ReadOption(const OptionInfo& option, Options& given) {
  const OptionValue& fallback = option.default_value;
  if (const auto* flag = std::get_if<bool>(&fallback)) {
    return given.Bool(option.name, *flag);
  }
  if (const auto* whole = std::get_if<std::int64_t>(&fallback)) {
    constexpr std::int64_t kLargest = std::int64_t{1} << 53;
    const auto [low, high] = LimitsOf<std::int64_t>(option, -kLargest, kLargest);
    return given.Int(option.name, *whole, low, high);
  }
  if (const auto* real = std::get_if<double>(&fallback)) {
    constexpr double kLargest = std::numeric_limits<double>::max();
    const auto [low, high] = LimitsOf<double>(option, -kLargest, kLargest);
    return given.Double(option.name, *real, low, high);
  }
  return ReadText(option, std::get<std::string>(fallback), given);
}

std::vector<agents::OptionFault> FaultsOf(const std::vector<OptionInfo>& options, Options& given) {
  std::vector<agents::OptionFault> faults;
  for (const OptionInfo& option : options) {
    agents::AddFault(
        option.name, [&] { static_cast<void>(ReadOption(option, given)); }, faults);
  }
  return faults;
}

std::unique_ptr<agents::Agent> MakeAgent(const AgentInfo& info,
                                         const std::vector<std::string>& command,
                                         const std::string& reference,
                                         Options& given) {
  Options params;
  for (const OptionInfo& option : info.options) {
    params.Set(option.name, ReadOption(option, given));
  }
  std::map<std::string, OptionValue> own = params.values();
  const double timeout_s = std::get<double>(own.extract(kTimeout).mapped());
  const double memory_gib = std::get<double>(own.extract(kMemory).mapped());
  return std::make_unique<ExternalAgent>(
      ExternalAgentOptions{.name = info.name,
                           .command = command,
                           .reference = reference,
                           .params = Options(std::move(own)),
                           .timeout_s = timeout_s,
                           .memory_bytes = static_cast<std::int64_t>(memory_gib * kGib)});
}

// The first message of a child that is to describe an agent. Throws InputError without the agent's
// name.
AgentInfo HearDescription(ChildProcess& child, const std::string& request) {
  const auto last = std::chrono::steady_clock::now() + kLoadingPatience;
  const auto gives_up = [last] { return std::chrono::steady_clock::now() > last; };
  if (SendMessage(child.socket(), request, gives_up) == Delivery::kGivenUp) {
    throw InputError("its process listened to nothing");
  }
  const Received received = ReceiveMessage(child.socket(), kLargestAnswer, gives_up);
  if (received.delivery == Delivery::kGivenUp) {
    throw InputError("it was not loaded within " + std::to_string(kLoadingPatience.count()) + " s");
  }
  if (received.delivery != Delivery::kDone) {
    throw InputError("its process ended " + child.End(std::chrono::seconds(1)).Text() +
                     " while it was loaded");
  }
  AgentAnswer answer = ReadAgentAnswer(received.text);
  if (const auto* end = std::get_if<AgentGaveUp>(&answer)) {
    throw InputError(end->why);
  }
  if (!std::holds_alternative<AgentInfo>(answer)) {
    throw InputError("its process answered something else than what it is");
  }
  return std::get<AgentInfo>(std::move(answer));
}

// Every line of what is wrong, with the agent's name.
std::string WithName(const std::string& name, const std::string& text) {
  std::string lines;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines +=
        (lines.empty() ? "" : "\n") + ("agent " + name + ": ") + text.substr(begin, end - begin);
    begin = end + 1;
  }
  return lines;
}

class PythonSource final : public agents::AgentSource {
 public:
  explicit PythonSource(PythonHost host) : host_(std::move(host)) {
    for (const auto& [name, reference] : host_.installed) {
      names_.push_back(name);
    }
  }

  [[nodiscard]] const std::vector<std::string>& names() const override { return names_; }

  [[nodiscard]] bool Takes(const std::string& name) const override {
    const std::size_t colon = name.rfind(':');
    return host_.installed.contains(name) ||
           (colon != std::string::npos && colon > 0 && colon + 1 < name.size());
  }

  [[nodiscard]] const AgentEntry& Get(const std::string& name) const override {
    const std::scoped_lock lock(mutex_);
    auto found = loaded_.find(name);
    if (found == loaded_.end()) {
      found = loaded_.emplace(name, Load(name)).first;
    }
    if (const auto* fault = std::get_if<std::string>(&found->second)) {
      throw InputError(*fault);
    }
    return std::get<AgentEntry>(found->second);
  }

 private:
  // An agent, or what is wrong with it: it is asked once.
  using Loaded = std::variant<AgentEntry, std::string>;

  [[nodiscard]] Loaded Load(const std::string& name) const {
    try {
      return EntryOf(name);
    } catch (const InputError& error) {
      return WithName(name, error.what());
    }
  }

  [[nodiscard]] AgentEntry EntryOf(const std::string& name) const {
    if (host_.command.empty()) {
      throw InputError(
          "agents in Python need the command opyard of the Python package: python -m opyard");
    }
    const auto installed = host_.installed.find(name);
    const std::string reference = installed == host_.installed.end() ? name : installed->second;
    ChildProcess child({.command = host_.command, .environment = {}, .hears_terminal = true});
    AgentInfo info = HearDescription(child, DescribeRequest(reference, Version()));
    info.name = name;
    const std::vector<OptionInfo> limits = LimitOptions();
    std::vector<OptionInfo> options = std::move(info.options);
    options.insert(options.end(), limits.begin(), limits.end());
    info = agents::WithOptions(std::move(info), std::move(options));
    return {.info = info,
            .make = [info, reference, command = host_.command](
                        Options& given) { return MakeAgent(info, command, reference, given); },
            .check = [options = info.options](Options& given) { return FaultsOf(options, given); }};
  }

  PythonHost host_;
  std::vector<std::string> names_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Loaded> loaded_;
};

}  // namespace

agents::AgentRegistry PythonAgents(PythonHost host) {
  return agents::AgentRegistry({}, {}, {std::make_shared<PythonSource>(std::move(host))});
}

}  // namespace opyard::experiments
