// An agent in a process of its own: it proposes plans, and this process evaluates and counts them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agents/base/agent.h"
#include "sim/base/options.h"

namespace opyard::experiments {

struct ExternalAgentOptions {
  std::string name;                  // as users call it
  std::vector<std::string> command;  // starts its host
  std::string reference;             // where the host finds it: "module:Class"
  Options params;                    // its own
  double timeout_s = 0.0;            // the longest silence
  std::int64_t memory_bytes = 0;     // the most that its process may use
};

// Each search starts a process, sends it the problem, and passes the plans that it proposes to the
// evaluator, which alone counts: past the budget it evaluates nothing. Whatever the process does,
// the search ends soon after the interrupt, after the silence that is allowed, or 5 s after the
// budget is spent, and the process with it. Search throws agents::AgentFailure if the process
// breaks, falls silent or sends what is no message, and InputError if it cannot be started. As
// deterministic as the agent, which is given a seed, one thread per thread of the evaluator for its
// numerical libraries, and an order of hashes that is always the same.
class ExternalAgent final : public agents::Agent {
 public:
  explicit ExternalAgent(ExternalAgentOptions options) : options_(std::move(options)) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const agents::SearchContext& context) override;

 private:
  ExternalAgentOptions options_;
};

}  // namespace opyard::experiments
