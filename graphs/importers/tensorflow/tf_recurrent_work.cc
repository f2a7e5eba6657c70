#include "graphs/importers/tensorflow/tf_recurrent_work.h"

namespace opyard::graphs {
namespace {

using Arguments = std::span<const TfTensor* const>;

bool IsCudnn(std::string_view type) {
  return type.starts_with("CudnnRNN") && (type == "CudnnRNN" || type.starts_with("CudnnRNNV") ||
                                          type.starts_with("CudnnRNNBackprop"));
}

bool IsGradient(std::string_view type) {
  return type.find("Grad") != std::string_view::npos ||
         type.find("Backprop") != std::string_view::npos;
}

double GatesOf(std::string_view mode) {
  return mode.empty() || mode == "lstm" ? 4.0 : (mode == "gru" ? 3.0 : 1.0);
}

// Per row of the batch and time step: [in + hidden] × [in + hidden, gates · hidden].
double CellFlops(double in, double hidden, double gates) {
  return 2.0 * (in + hidden) * gates * hidden;
}

// input [time, batch, in], hidden state [layers · directions, batch, hidden].
std::optional<double> CudnnFlops(const TfNode& node, Arguments arguments) {
  if (arguments.size() < 2 || !arguments[0]->shape.has_value() ||
      arguments[0]->shape->size() != 3 || !arguments[1]->shape.has_value() ||
      arguments[1]->shape->size() != 3) {
    return std::nullopt;
  }
  const Shape& input = *arguments[0]->shape;
  const Shape& state = *arguments[1]->shape;
  const double directions = node.attributes.Text("direction") == "bidirectional" ? 2.0 : 1.0;
  const double gates = GatesOf(node.attributes.Text("rnn_mode"));
  const auto hidden = static_cast<double>(state[2]);
  const double layers = static_cast<double>(state[0]) / directions;
  const double steps = static_cast<double>(input[0]) * static_cast<double>(input[1]);
  const double first = CellFlops(static_cast<double>(input[2]), hidden, gates);
  const double others = CellFlops(directions * hidden, hidden, gates);
  return steps * directions * (first + (layers - 1.0) * others);
}

// The rows of x are those of the batch, in all time steps; the width of the cell is `hidden`'s.
std::optional<double> BlockFlops(Arguments arguments,
                                 std::size_t x,
                                 std::size_t hidden,
                                 double gates) {
  if (arguments.size() <= std::max(x, hidden) || !arguments[x]->shape.has_value() ||
      arguments[x]->shape->empty() || !arguments[hidden]->shape.has_value() ||
      arguments[hidden]->shape->empty()) {
    return std::nullopt;
  }
  const auto in = static_cast<double>(arguments[x]->shape->back());
  const auto cell = static_cast<double>(arguments[hidden]->shape->back());
  const double rows = in > 0.0 ? Elements(*arguments[x]->shape) / in : 0.0;
  return rows * CellFlops(in, cell, gates);
}

}  // namespace

bool IsTfRecurrent(std::string_view type) {
  return IsCudnn(type) || type.starts_with("BlockLSTM") || type.starts_with("LSTMBlockCell") ||
         type.starts_with("GRUBlockCell");
}

std::optional<OpWork> TfRecurrentWork(const TfNode& node, Arguments arguments) {
  constexpr double kLstm = 4.0;
  constexpr double kGru = 3.0;
  std::optional<double> flops;
  if (IsCudnn(node.type)) {
    flops = CudnnFlops(node, arguments);
  } else if (node.type.starts_with("BlockLSTM")) {
    flops = BlockFlops(arguments, 1, 2, kLstm);  // seq_len_max, x, cs_prev
  } else {
    // x, cs_prev or h_prev
    flops = BlockFlops(arguments, 0, 1, node.type.starts_with("GRU") ? kGru : kLstm);
  }
  if (!flops.has_value()) {
    return std::nullopt;
  }
  return OpWork{.flops = Flops{*flops * (IsGradient(node.type) ? 2.0 : 1.0)}};
}

}  // namespace opyard::graphs
