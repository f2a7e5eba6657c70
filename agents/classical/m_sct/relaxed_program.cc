#include "agents/classical/m_sct/relaxed_program.h"

#include <algorithm>
#include <numeric>
#include <span>

#include <coin/ClpEventHandler.hpp>
#include <coin/ClpSimplex.hpp>
#include <coin/ClpSolve.hpp>
#include <coin/CoinPackedMatrix.hpp>

namespace opyard::agents {
namespace {

constexpr int kMostSteps = 100'000;
constexpr double kWeightOfTransfers = 1e-4;

// Stops the simplex method on request.
class StopHandler final : public ClpEventHandler {
 public:
  explicit StopHandler(const std::function<bool()>& should_stop) : should_stop_(&should_stop) {}

  // −1 goes on.
  int event(Event which) override {
    const bool is_step = which == endOfIteration || which == endOfFactorization;
    return is_step && (*should_stop_)() ? 5 : -1;
  }
  [[nodiscard]] ClpEventHandler* clone() const override { return new StopHandler(*this); }

 private:
  const std::function<bool()>* should_stop_;
};

int ToClp(std::size_t index) {
  return static_cast<int>(index);
}

// Columns: the start of each node, the makespan, x of each edge.
class Program {
 public:
  explicit Program(const PrecedenceGraph& graph)
      : graph_(graph),
        num_nodes_(graph.seconds.size()),
        unit_(std::accumulate(graph.seconds.begin(), graph.seconds.end(), 0.0) /
              static_cast<double>(std::max(num_nodes_, std::size_t{1}))),
        edges_from_(num_nodes_),
        edges_to_(num_nodes_) {
    AddOrder();
    AddEnds();
    AddSums(edges_from_);
    AddSums(edges_to_);
  }

  [[nodiscard]] std::optional<std::vector<double>> Solve(const std::function<bool()>& should_stop) {
    ClpSimplex solver;
    solver.setLogLevel(0);
    Load(solver);
    solver.setMaximumIterations(kMostSteps);
    const StopHandler handler(should_stop);
    solver.passInEventHandler(&handler);
    ClpSolve how;
    how.setSolveType(ClpSolve::useDual);
    how.setPresolveType(ClpSolve::presolveOn);
    solver.initialSolve(how);
    if (!solver.isProvenOptimal()) {
      return std::nullopt;
    }
    const std::span columns(solver.getColSolution(), num_columns());
    const auto x = columns.subspan(num_nodes_ + 1);
    return std::vector<double>(x.begin(), x.end());
  }

 private:
  [[nodiscard]] std::size_t num_columns() const { return num_nodes_ + 1 + graph_.edges.size(); }

  [[nodiscard]] double InUnits(double seconds) const { return unit_ > 0.0 ? seconds / unit_ : 0.0; }

  void Add(std::size_t column, double factor) {
    rows_.push_back(ToClp(least_.size()));
    columns_.push_back(ToClp(column));
    factors_.push_back(factor);
  }

  // Ends a row, whose sum is at least `least`.
  void EndRow(double least) { least_.push_back(least); }

  void AddOrder() {
    for (std::size_t i = 0; i < graph_.edges.size(); ++i) {
      const PrecedenceGraph::Edge& edge = graph_.edges[i];
      Add(edge.target, 1.0);
      Add(edge.source, -1.0);
      if (edge.transfer_s > 0.0) {
        const std::size_t x = num_nodes_ + 1 + i;
        Add(x, -InUnits(edge.transfer_s));
        edges_from_[edge.source].push_back(x);
        edges_to_[edge.target].push_back(x);
      }
      EndRow(InUnits(graph_.seconds[edge.source]));
    }
  }

  void AddEnds() {
    std::vector<std::uint8_t> has_target(num_nodes_, 0);
    for (const PrecedenceGraph::Edge& edge : graph_.edges) {
      has_target[edge.source] = 1;
    }
    for (std::size_t node = 0; node < num_nodes_; ++node) {
      if (has_target[node] == 0) {
        Add(num_nodes_, 1.0);
        Add(node, -1.0);
        EndRow(InUnits(graph_.seconds[node]));
      }
    }
  }

  void AddSums(const std::vector<std::vector<std::size_t>>& edges_of_nodes) {
    for (const std::vector<std::size_t>& edges : edges_of_nodes) {
      if (edges.size() > 1) {
        for (const std::size_t x : edges) {
          Add(x, 1.0);
        }
        EndRow(static_cast<double>(edges.size()) - 1.0);
      }
    }
  }

  void Load(ClpSimplex& solver) const {
    std::vector<double> lowest(num_columns(), 0.0);
    std::vector<double> highest(num_columns(), COIN_DBL_MAX);
    std::vector<double> objective(num_columns(), 0.0);
    objective[num_nodes_] = 1.0;
    for (std::size_t i = 0; i < graph_.edges.size(); ++i) {
      const std::size_t x = num_nodes_ + 1 + i;
      const double transfer = graph_.edges[i].transfer_s;
      lowest[x] = transfer > 0.0 ? 0.0 : 1.0;
      highest[x] = 1.0;
      objective[x] = kWeightOfTransfers * InUnits(transfer);
    }
    const std::vector<double> most(least_.size(), COIN_DBL_MAX);
    CoinPackedMatrix matrix(
        true, rows_.data(), columns_.data(), factors_.data(), ToClp(factors_.size()));
    matrix.setDimensions(ToClp(least_.size()), ToClp(num_columns()));
    solver.loadProblem(
        matrix, lowest.data(), highest.data(), objective.data(), least_.data(), most.data());
  }

  const PrecedenceGraph& graph_;
  std::size_t num_nodes_;
  double unit_;                                       // seconds
  std::vector<std::vector<std::size_t>> edges_from_;  // columns of x, [num_nodes]
  std::vector<std::vector<std::size_t>> edges_to_;    // [num_nodes]
  std::vector<int> rows_;                             // of each factor
  std::vector<int> columns_;
  std::vector<double> factors_;
  std::vector<double> least_;  // [num_rows]
};

}  // namespace

std::optional<std::vector<double>> SolveRelaxedProgram(const PrecedenceGraph& graph,
                                                       const std::function<bool()>& should_stop) {
  return Program(graph).Solve(should_stop);
}

}  // namespace opyard::agents
