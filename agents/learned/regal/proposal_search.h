// The worth of proposals: genetic searches with and without them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <torch/torch.h>

#include "agents/genetic/brkga_search.h"
#include "agents/learned/regal/settings.h"
#include "agents/learned/regal/view.h"
#include "env/evaluator.h"

namespace opyard::agents::regal {

// BRKGA with what is proposed: `middles`, float64 [decisions] (MiddlesOf).
[[nodiscard]] BrkgaSearch SearchWith(const View& view,
                                     const Sizes& sizes,
                                     const BrkgaOptions& options,
                                     const torch::Tensor& middles);

// (f_plain − f_proposed) / f_plain, where f are the scores of the best plans, at least −1. What did
// not find a feasible plan has none: 0 where neither did, 1 where only the search with the proposal
// did, −1 where only the one without did.
[[nodiscard]] double Improvement(std::optional<double> plain, std::optional<double> proposed);

// That of each of the proposals `bins`, int64 [K, decisions], where all searches have the same seed
// and training.decodes evaluations of `evaluator`: K + 1 searches. Nothing if the evaluator was
// done before they were.
[[nodiscard]] std::optional<std::vector<double>> Improvements(const View& view,
                                                              const torch::Tensor& bins,
                                                              const Settings& settings,
                                                              std::uint64_t seed,
                                                              env::Evaluator& evaluator);

}  // namespace opyard::agents::regal
