// The example that papers on list scheduling share.
#pragma once

#include <memory>

#include "env/problem.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::testing {

// Topcuoglu, Hariri and Wu 2002, figure 2: ten tasks on three processors. A unit of time is a
// microsecond and a unit of communication 1000 bytes, which take a microsecond here. Outputs are
// listed in the order of the edges.
[[nodiscard]] inline std::shared_ptr<const env::Problem> PaperExample() {
  return MakeProblem(opyard::testing::MakeGraph(
                         {UnevenOp("t1", {14, 16, 9}, {}, {18000, 12000, 9000, 11000, 14000}),
                          UnevenOp("t2", {13, 19, 18}, {{0, 0}}, {19000, 16000}),
                          UnevenOp("t3", {11, 13, 19}, {{0, 1}}, {23000}),
                          UnevenOp("t4", {13, 8, 17}, {{0, 2}}, {27000, 23000}),
                          UnevenOp("t5", {12, 13, 10}, {{0, 3}}, {13000}),
                          UnevenOp("t6", {13, 16, 9}, {{0, 4}}, {15000}),
                          UnevenOp("t7", {7, 15, 11}, {{2, 0}}, {17000}),
                          UnevenOp("t8", {5, 11, 14}, {{1, 0}, {3, 0}, {5, 0}}, {11000}),
                          UnevenOp("t9", {18, 12, 20}, {{1, 1}, {3, 1}, {4, 0}}, {13000}),
                          UnevenOp("t10", {21, 7, 16}, {{6, 0}, {7, 0}, {8, 0}}, {})}),
                     opyard::testing::MeshMachine(3));
}

}  // namespace opyard::agents::testing
