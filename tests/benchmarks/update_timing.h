// Timing of the update of a network beside its bare matrix products, for benchmarks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <functional>
#include <iomanip>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include <torch/torch.h>

namespace opyard::agents::testing {

// [batch, rows, inner] × [batch, inner, columns], `count` times.
struct Product {
  std::int64_t rows = 0;
  std::int64_t inner = 0;
  std::int64_t columns = 0;
  std::int64_t count = 1;
  std::int64_t batch = 1;
};

inline double CpuSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// The least processor time of five runs of `work`, of fewer once ten seconds are over.
inline double LeastOfFive(const std::function<void()>& work) {
  double least = std::numeric_limits<double>::infinity();
  const double first = CpuSeconds();
  for (int i = 0; i < 5 && CpuSeconds() - first < 10.0; ++i) {
    const double begin = CpuSeconds();
    work();
    least = std::min(least, CpuSeconds() - begin);
  }
  return least;
}

// One forward, and for each product the two of its backward.
inline double SecondsOf(const std::vector<Product>& products) {
  const torch::NoGradGuard no_grad;
  double seconds = 0.0;
  for (const Product& product : products) {
    const torch::Tensor left = torch::rand({product.batch, product.rows, product.inner});
    const torch::Tensor right = torch::rand({product.batch, product.inner, product.columns});
    const torch::Tensor gradient = torch::rand({product.batch, product.rows, product.columns});
    seconds += LeastOfFive([&] {
      for (std::int64_t i = 0; i < product.count; ++i) {
        left.bmm(right);
        gradient.bmm(right.transpose(1, 2));
        left.transpose(1, 2).bmm(gradient);
      }
    });
  }
  return seconds;
}

inline void Print(const char* what, double seconds) {
  std::cout << std::left << std::setw(14) << what << std::fixed << std::setprecision(3) << seconds
            << " s\n";
}

}  // namespace opyard::agents::testing
