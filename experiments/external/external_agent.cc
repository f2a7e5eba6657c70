#include "experiments/external/external_agent.h"

#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "agents/base/agent_failure.h"
#include "experiments/base/version.h"
#include "experiments/external/agent_answer.h"
#include "experiments/external/agent_request.h"
#include "experiments/external/child_process.h"
#include "experiments/external/message_channel.h"
#include "sim/io/text/utf8.h"
#include "sim/plan/validate.h"

namespace opyard::experiments {
namespace {

using Clock = std::chrono::steady_clock;

// To end by itself once its search is over, or its budget spent.
constexpr auto kGrace = std::chrono::seconds(5);
// For what the child sent before it ended to be received.
constexpr auto kAfterTheEnd = std::chrono::seconds(1);
constexpr std::size_t kLongestDialogueError = 600;

// The state of a search after a message: it goes on or ends.
enum class Turn : std::uint8_t { kGoesOn, kIsOver, kIsStopped, kHasFailed };

// The variables of the child's environment that opyard sets; what the user has set stays.
std::map<std::string, std::string> EnvironmentFor(std::size_t num_threads) {
  std::map<std::string, std::string> environment;
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"}) {
    if (std::getenv(name) == nullptr) {
      environment[name] = std::to_string(num_threads);
    }
  }
  environment["PYTHONHASHSEED"] = "0";
  return environment;
}

// Evaluates `plans` up to the first that is not legal.
std::string Evaluate(const std::vector<sim::Plan>& plans,
                     const env::Problem& problem,
                     env::Evaluator& evaluator) {
  std::size_t num_legal = 0;
  std::string illegal;
  while (num_legal < plans.size() && illegal.empty()) {
    const Diagnostics diagnostics =
        sim::FindPlanErrors(problem.graph(), problem.hardware(), plans[num_legal]);
    illegal = diagnostics.Text();
    num_legal += illegal.empty() ? 1 : 0;
  }
  const std::vector<env::Evaluation> evaluations =
      evaluator.Evaluate(std::span(plans).first(num_legal));
  const bool is_told = evaluations.size() == num_legal && !evaluator.is_done();
  return EvaluationsAnswer(evaluations, is_told ? illegal : "", evaluator);
}

// One search: what is said to the child and what it answers.
class Dialogue {
 public:
  Dialogue(ChildProcess& child,
           const env::Problem& problem,
           env::Evaluator& evaluator,
           double timeout_s)
      : child_(child),
        problem_(problem),
        evaluator_(evaluator),
        timeout_(
            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_s))) {
  }

  // Until the search is over. kHasFailed leaves the reason in why().
  Turn Run(const std::string& request) {
    Turn turn = Say(request);
    while (turn == Turn::kGoesOn) {
      turn = Hear();
    }
    return turn;
  }

  // The failure, or why the child was stopped; empty after an interrupt.
  [[nodiscard]] const std::string& why() const { return why_; }

  // The last message of the agent, at the end of its search.
  [[nodiscard]] const SearchIsOver& result() const { return result_; }

 private:
  // Whether to wait for the child no longer, and why.
  bool GivesUp() {
    const InterruptFlag* interrupt = evaluator_.options().interrupt;
    if (interrupt != nullptr && interrupt->is_raised()) {
      verdict_ = Turn::kIsStopped;
      return true;
    }
    const Clock::time_point now = Clock::now();
    if (evaluator_.is_done() && !done_since_.has_value()) {
      done_since_ = now;
    }
    if (done_since_.has_value() && now - *done_since_ > kGrace) {
      verdict_ = Turn::kIsStopped;
      why_ = "was ended " + std::to_string(kGrace.count()) + " s after its budget was spent";
      return true;
    }
    if (HasEndedBefore(now - kAfterTheEnd)) {  // others hold its socket open
      verdict_ = Fail(EndText());
      return true;
    }
    if (now - last_heard_ > timeout_) {
      verdict_ =
          Fail("said nothing for " + ToText(std::chrono::duration<double>(timeout_).count()) +
               " s (its parameter timeout_s) and was ended");
      return true;
    }
    return false;
  }

  Turn Fail(std::string why) {
    why_ = std::move(why);
    return Turn::kHasFailed;
  }

  // True if the child was seen to have ended by then.
  bool HasEndedBefore(Clock::time_point then) {
    if (!ended_since_.has_value() && child_.HasEnded()) {
      ended_since_ = Clock::now();
    }
    return ended_since_.has_value() && *ended_since_ < then;
  }

  std::string EndText() {
    const ChildEnd& end = child_.End(kGrace);
    return end.was_killed ? "closed its socket before its search was over"
                          : "ended " + end.Text() + " before its search was over";
  }

  Turn Say(const std::string& text) {
    last_heard_ = Clock::now();
    switch (SendMessage(child_.socket(), text, [this] { return GivesUp(); })) {
      case Delivery::kDone:
        return Turn::kGoesOn;
      case Delivery::kGivenUp:
        return verdict_;
      default:
        return Fail(EndText());
    }
  }

  Turn Hear() {
    last_heard_ = Clock::now();
    const Received received =
        ReceiveMessage(child_.socket(), kLargestAnswer, [this] { return GivesUp(); });
    switch (received.delivery) {
      case Delivery::kDone:
        return Take(received.text);
      case Delivery::kGivenUp:
        return verdict_;
      case Delivery::kTooLarge:
        return Fail("announced a message of " + std::to_string(received.announced) +
                    " bytes, expected at most " + std::to_string(kLargestAnswer));
      default:
        return Fail(EndText());
    }
  }

  Turn Take(const std::string& text) {
    try {
      const AgentAnswer answer = ReadAgentAnswer(text);
      if (const auto* asked = std::get_if<PlansToEvaluate>(&answer)) {
        return Say(Evaluate(asked->plans, problem_, evaluator_));
      }
      if (const auto* end = std::get_if<AgentGaveUp>(&answer)) {
        return Fail("failed: " + end->why);
      }
      if (const auto* end = std::get_if<SearchIsOver>(&answer)) {
        result_ = *end;
        return Turn::kIsOver;
      }
      return Fail("described itself in the middle of a search");
    } catch (const InputError& error) {
      return Fail(std::string("sent what is no message of an agent: ") + error.what());
    }
  }

  ChildProcess& child_;
  const env::Problem& problem_;
  env::Evaluator& evaluator_;
  Clock::duration timeout_;
  Clock::time_point last_heard_;
  std::optional<Clock::time_point> done_since_;
  std::optional<Clock::time_point> ended_since_;
  Turn verdict_ = Turn::kGoesOn;  // of GivesUp
  std::string why_;
  SearchIsOver result_;
};

}  // namespace

void ExternalAgent::Search(const env::Problem& problem,
                           env::Evaluator& evaluator,
                           Rng& rng,
                           const agents::SearchContext& context) {
  const SearchRequestText request{.agent = options_.reference,
                                  .version = Version(),
                                  .params = options_.params,
                                  .seed = static_cast<std::int64_t>(rng.Next() >> 1),
                                  .memory_bytes = options_.memory_bytes,
                                  .budget = evaluator.options().budget};
  ChildProcess child({.command = options_.command,
                      .environment = EnvironmentFor(evaluator.options().num_threads)});
  Dialogue dialogue(child, problem, evaluator, options_.timeout_s);
  const Turn turn = dialogue.Run(SearchRequestOf(request, problem));
  const ChildEnd& end = child.End(turn == Turn::kIsOver ? kGrace : std::chrono::milliseconds(0));
  if (context.add_cpu_seconds != nullptr) {
    context.add_cpu_seconds(end.cpu_seconds);
  }
  const SearchIsOver& result = dialogue.result();
  if (!result.account.empty() && context.report != nullptr) {
    context.report(sim::ShownText(result.account, kLongestDialogueError));
  }
  if (result.bound.has_value() && context.prove != nullptr) {
    context.prove(*result.bound);
  }
  const std::string account =
      "agent " + options_.name + " " + sim::ShownText(dialogue.why(), kLongestDialogueError);
  if (turn == Turn::kHasFailed) {
    throw agents::AgentFailure(account);
  }
  if (!dialogue.why().empty() && context.report != nullptr) {
    context.report(account);
  }
}

}  // namespace opyard::experiments
