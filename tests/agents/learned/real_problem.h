// A problem of the zoo, with its real features, and what holds of every network on it.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "env/problem.h"
#include "graphs/graph_sources.h"
#include "sim/io/machine/profile_yaml.h"

namespace opyard::agents::testing {

// GNMT at the tiny scale on two GPUs and their host; placement alone.
inline std::shared_ptr<const env::Problem> TinyGnmt() {
  return std::make_shared<const env::Problem>(
      env::ProblemSpec{.graph = graphs::LoadGraph("zoo:gnmt?layers=2&scale=tiny"),
                       .hardware = sim::LoadMachine("p100x2-pcie"),
                       .settings = {.tasks = {.placement = true, .scheduling = false}}});
}

// Each parameter that learns has a finite gradient that is not 0.
inline void ExpectGradientsEverywhere(const torch::nn::Module& module) {
  for (const auto& item : module.named_parameters()) {
    if (!item.value().requires_grad()) {
      continue;
    }
    const torch::Tensor& gradient = item.value().grad();
    ASSERT_TRUE(gradient.defined()) << item.key();
    EXPECT_TRUE(torch::isfinite(gradient).all().item<bool>()) << item.key();
    EXPECT_GT(gradient.abs().max().item<double>(), 0.0) << item.key();
  }
}

}  // namespace opyard::agents::testing
