// Properties of every model of the zoo at every scale.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "graphs/graph_sources.h"
#include "graphs/zoo/zoo.h"
#include "sim/graph/colocation.h"
#include "sim/io/graph/graph_json.h"

namespace opyard::graphs {
namespace {

using sim::OpGraph;

std::vector<std::string> AllReferences() {
  std::vector<std::string> references;
  for (const auto& source : ZooSources()) {
    for (const char* scale : {"full", "small", "tiny"}) {
      references.push_back(source->name() + "?scale=" + scale);
    }
  }
  return references;
}

std::string TestName(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace_if(
      name, [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
  return name;
}

class ZooConformanceTest : public ::testing::TestWithParam<std::string> {
 protected:
  // One graph serves all tests of its reference.
  const OpGraph& graph() {
    static std::map<std::string, std::shared_ptr<const OpGraph>> graphs;
    auto& graph = graphs[GetParam()];
    if (graph == nullptr) {
      graph = LoadGraph(GetParam());
    }
    return *graph;
  }
};

bool IsAssignment(const sim::Op& op) {
  return op.type.starts_with("Assign") || op.type.starts_with("Apply");
}

TEST_P(ZooConformanceTest, EveryOpLeadsToALossThatIsKeptOrToAnUpdate) {
  std::vector<bool> has_role(graph().num_ops());
  const auto order = graph().topological_order();
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    bool has = IsAssignment(graph().op(*op));
    for (std::size_t i = 0; i < graph().num_outputs(*op); ++i) {
      const TensorId output = graph().output(*op, i);
      has = has || graph().tensor(output).keep;
      for (const OpId reader : graph().consumers(output)) {
        has = has || has_role[reader.index()];
      }
    }
    for (const OpId waiter : graph().control_consumers(*op)) {
      has = has || has_role[waiter.index()];
    }
    has_role[op->index()] = has;
    EXPECT_TRUE(has) << graph().op(*op).name;
  }
}

TEST_P(ZooConformanceTest, ScaleBoundsTheNumberOfOps) {
  if (GetParam().ends_with("small")) {
    EXPECT_LE(graph().num_ops(), 1000U);
  } else if (GetParam().ends_with("tiny")) {
    EXPECT_LE(graph().num_ops(), 500U);
  }
}

TEST_P(ZooConformanceTest, ReadsBackFromJsonAsItWasWritten) {
  const std::string text = sim::WriteGraphText(graph());
  EXPECT_EQ(sim::WriteGraphText(*sim::ReadGraphText(text, "round trip")), text);
}

TEST_P(ZooConformanceTest, AVariableSharesItsDeviceWithWhatAssignsIt) {
  int num_assignments = 0;
  for (std::size_t i = 0; i < graph().num_ops(); ++i) {
    const sim::Op& op = graph().ops()[i];
    if (!IsAssignment(op)) {
      continue;
    }
    ++num_assignments;
    const OpId variable = graph().tensor(graph().inputs(OpId(i))[0]).producer;
    ASSERT_EQ(graph().op(variable).type, "Variable") << op.name;
    EXPECT_TRUE(op.colocation.has_value() || graph().op(variable).param_bytes.count <= 4)
        << op.name;
    EXPECT_EQ(graph().op(variable).colocation, op.colocation) << op.name;
    EXPECT_EQ(graph().tensor(graph().output(OpId(i), 0)).alias, sim::Alias::kInput) << op.name;
  }
  EXPECT_GT(num_assignments, 0);
}

TEST_P(ZooConformanceTest, EveryWeightIsUpdatedAfterAllItsReaders) {
  // Readers of weights must be ancestors of the update; bits per weight would be large, so that
  // each update's ancestors are marked on their own, for the first and last weights.
  std::vector<OpId> updates;
  for (std::size_t i = 0; i < graph().num_ops(); ++i) {
    const sim::Op& op = graph().ops()[i];
    if (IsAssignment(op) && graph().op(graph().tensor(graph().inputs(OpId(i))[0]).producer).phase ==
                                sim::Phase::kForward) {
      updates.emplace_back(i);
    }
  }
  ASSERT_FALSE(updates.empty());
  for (const OpId update : updates) {
    std::vector<bool> comes_before(graph().num_ops());
    std::vector<OpId> stack = {update};
    while (!stack.empty()) {
      const OpId op = stack.back();
      stack.pop_back();
      const auto visit = [&](OpId before) {
        if (!comes_before[before.index()]) {
          comes_before[before.index()] = true;
          stack.push_back(before);
        }
      };
      for (const TensorId input : graph().inputs(op)) {
        visit(graph().tensor(input).producer);
      }
      std::ranges::for_each(graph().control_inputs(op), visit);
    }
    const OpId variable = graph().tensor(graph().inputs(update)[0]).producer;
    for (const OpId read : graph().consumers(graph().output(variable, 0))) {
      if (graph().op(read).type != "Identity") {
        continue;
      }
      for (const OpId reader : graph().consumers(graph().output(read, 0))) {
        EXPECT_TRUE(comes_before[reader.index()])
            << graph().op(reader).name << " reads " << graph().op(variable).name;
      }
    }
  }
}

TEST_P(ZooConformanceTest, EveryOpHasAPhaseAndLayersAreNumberedFromZero) {
  std::set<std::int32_t> layers;
  for (const sim::Op& op : graph().ops()) {
    EXPECT_NE(op.phase, sim::Phase::kUnknown) << op.name;
    ASSERT_TRUE(op.layer.has_value()) << op.name;
    layers.insert(*op.layer);
  }
  EXPECT_EQ(*layers.begin(), 0);
  EXPECT_EQ(static_cast<std::size_t>(*layers.rbegin()) + 1, layers.size());
}

TEST_P(ZooConformanceTest, OpsThatShareADeviceShareALayer) {
  std::map<std::int32_t, std::int32_t> layer_of_label;
  for (const sim::Op& op : graph().ops()) {
    if (op.colocation.has_value()) {
      EXPECT_EQ(layer_of_label.try_emplace(*op.colocation, *op.layer).first->second, *op.layer)
          << op.name;
    }
  }
}

TEST_P(ZooConformanceTest, EqualReferencesGiveEqualGraphs) {
  EXPECT_EQ(sim::WriteGraphText(*LoadGraph(GetParam())), sim::WriteGraphText(graph()));
}

INSTANTIATE_TEST_SUITE_P(AllModels,
                         ZooConformanceTest,
                         ::testing::ValuesIn(AllReferences()),
                         TestName);

}  // namespace
}  // namespace opyard::graphs
