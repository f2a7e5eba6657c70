#include "agents/learned/common/sparse_edges.h"

#include <gtest/gtest.h>

namespace opyard::agents {
namespace {

// Row 0 reads rows 1 and 2, row 1 nothing, row 2 reads row 0 twice and row 1.
SparseEdges ThreeRows() {
  SparseRows rows;
  rows.Append({1, 2});
  rows.Append({});
  rows.Append({0, 0, 1});
  return MakeSparseEdges(rows);
}

// Two batches of three rows of one column.
torch::Tensor Values() {
  return torch::tensor({{{2.0}, {3.0}, {5.0}}, {{7.0}, {-11.0}, {-13.0}}}, torch::kDouble);
}

torch::Tensor Aggregate(const torch::Tensor& values, Aggregation aggregation) {
  const SparseEdges edges = ThreeRows();
  return Scatter(Gather(values, edges), edges, aggregation);
}

TEST(SparseEdgesTest, EachEdgeHasTheValueOfItsSource) {
  EXPECT_TRUE(torch::equal(Gather(Values(), ThreeRows()),
                           torch::tensor({{{3.0}, {5.0}, {2.0}, {2.0}, {3.0}},
                                          {{-11.0}, {-13.0}, {7.0}, {7.0}, {-11.0}}},
                                         torch::kDouble)));
}

TEST(SparseEdgesTest, SumsAreOverTheEdgesOfARow) {
  // 3 + 5, nothing, 2 + 2 + 3; −11 − 13, nothing, 7 + 7 − 11
  EXPECT_TRUE(torch::equal(
      Aggregate(Values(), Aggregation::kSum),
      torch::tensor({{{8.0}, {0.0}, {7.0}}, {{-24.0}, {0.0}, {3.0}}}, torch::kDouble)));
}

TEST(SparseEdgesTest, MeansDivideByTheNumberOfEdges) {
  EXPECT_TRUE(torch::allclose(
      Aggregate(Values(), Aggregation::kMean),
      torch::tensor({{{4.0}, {0.0}, {7.0 / 3.0}}, {{-12.0}, {0.0}, {1.0}}}, torch::kDouble),
      0.0,
      1e-6));  // 1 / 3 is float32
}

// The greatest of negative values is negative: no 0 gets in but where there is no edge.
TEST(SparseEdgesTest, MaximaAreOfTheEdgesAlone) {
  EXPECT_TRUE(torch::equal(
      Aggregate(Values(), Aggregation::kMax),
      torch::tensor({{{5.0}, {0.0}, {3.0}}, {{-11.0}, {0.0}, {7.0}}}, torch::kDouble)));
}

// Rows of results weigh 1, 10 and 100. Row 0 is read twice by row 2, row 1 by rows 0 and 2, row 2
// by row 0.
TEST(SparseEdgesTest, GradientsGoBackAlongTheEdges) {
  const torch::Tensor weights = torch::tensor({1.0, 10.0, 100.0}, torch::kDouble).view({1, 3, 1});
  const auto gradient = [&](Aggregation aggregation) {
    torch::Tensor values = Values().requires_grad_();
    (Aggregate(values, aggregation) * weights).sum().backward();
    return values.grad().squeeze(2);
  };
  EXPECT_TRUE(
      torch::equal(gradient(Aggregation::kSum),
                   torch::tensor({{200.0, 101.0, 1.0}, {200.0, 101.0, 1.0}}, torch::kDouble)));
  // Row 2 has three edges, row 0 two.
  EXPECT_TRUE(torch::allclose(
      gradient(Aggregation::kMean),
      torch::tensor({{200.0 / 3, 100.0 / 3 + 0.5, 0.5}, {200.0 / 3, 100.0 / 3 + 0.5, 0.5}},
                    torch::kDouble),
      0.0,
      1e-4));  // 100 times a third in float32
  // First batch: row 2 has 5, row 1 has 3. Second: row 1 has −11; both edges from row 0 have 7.
  EXPECT_TRUE(torch::equal(gradient(Aggregation::kMax),
                           torch::tensor({{0.0, 100.0, 1.0}, {100.0, 1.0, 0.0}}, torch::kDouble)));
}

// Central differences, with a step small against the distances between values.
TEST(SparseEdgesTest, GradientsAreThoseOfFiniteDifferences) {
  for (const Aggregation aggregation : {Aggregation::kSum, Aggregation::kMean, Aggregation::kMax}) {
    const auto value_of = [&](const torch::Tensor& values) {
      return Aggregate(values, aggregation).sin().sum();
    };
    torch::Tensor values = Values().requires_grad_();
    value_of(values).backward();
    const torch::NoGradGuard no_grad;
    for (std::int64_t i = 0; i < 6; ++i) {
      constexpr double kStep = 1e-5;
      torch::Tensor step = torch::zeros({6}, torch::kDouble);
      step[i] = kStep;
      step = step.view_as(values);
      const double slope =
          (value_of(values + step) - value_of(values - step)).item<double>() / (2 * kStep);
      // The error of the difference is of the order of kStep² times a third derivative below 1e3.
      EXPECT_NEAR(values.grad().flatten()[i].item<double>(), slope, 1e-6);
    }
  }
}

TEST(SparseEdgesTest, AGraphWithoutEdgesGivesZeros) {
  SparseRows rows;
  rows.Append({});
  rows.Append({});
  const SparseEdges edges = MakeSparseEdges(rows);
  for (const Aggregation aggregation : {Aggregation::kSum, Aggregation::kMean, Aggregation::kMax}) {
    EXPECT_TRUE(torch::equal(Scatter(Gather(torch::ones({1, 2, 3}), edges), edges, aggregation),
                             torch::zeros({1, 2, 3})));
  }
}

}  // namespace
}  // namespace opyard::agents
