#include "agents/learned/doppler/policy.h"

#include <algorithm>

#include "agents/learned/common/reinforce.h"
#include "agents/learned/doppler/schedule.h"

namespace opyard::agents::doppler {

namespace {

constexpr double kForbidden = -1e9;

torch::Tensor Leaky(const torch::Tensor& x) {
  return torch::leaky_relu(x, 0.1);
}

torch::Tensor Deviation(const torch::Tensor& variance, double least) {
  return (variance + least * least).sqrt();
}

// `x` [C, columns], standardised over the candidates of each decision.
torch::Tensor OverCandidates(const torch::Tensor& x, const SelectBatch& batch, double least) {
  const std::int64_t num_rows = batch.mask.size(0);
  const torch::Tensor count = batch.mask.sum(1, true).to(x.dtype());  // [R, 1]
  const auto mean_of = [&](const torch::Tensor& values) {             // → [C, columns]
    return (torch::zeros({num_rows, values.size(1)}, values.options())
                .index_add(0, batch.row, values) /
            count)
        .index_select(0, batch.row);
  };
  const torch::Tensor centred = x - mean_of(x);
  return centred / Deviation(mean_of(centred.square()), least);
}

// `x` [R, D, columns], standardised over the devices that are allowed, `mask` [R, D, 1].
torch::Tensor OverDevices(const torch::Tensor& x, const torch::Tensor& mask, double least) {
  const torch::Tensor share = mask / mask.sum(1, true);  // [R, D, 1]
  const torch::Tensor centred = x - (x * share).sum(1, true);
  return centred / Deviation((centred.square() * share).sum(1, true), least);
}

}  // namespace

std::vector<torch::Tensor> PolicyInput::tensors() const {
  return {select_nodes, bottom_paths, top_paths, place_nodes, place_columns};
}

SelectBatch MakeSelectBatch(const std::vector<std::span<const std::int64_t>>& candidates,
                            torch::Device device) {
  std::vector<std::int64_t> nodes;
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> columns;
  std::int64_t most = 0;
  for (std::size_t row = 0; row < candidates.size(); ++row) {
    for (std::size_t column = 0; column < candidates[row].size(); ++column) {
      nodes.push_back(candidates[row][column]);
      rows.push_back(static_cast<std::int64_t>(row));
      columns.push_back(static_cast<std::int64_t>(column));
    }
    most = std::max(most, std::ssize(candidates[row]));
  }
  SelectBatch batch{.node = torch::tensor(nodes, torch::kLong).to(device),
                    .row = torch::tensor(rows, torch::kLong).to(device),
                    .column = torch::tensor(columns, torch::kLong).to(device),
                    .mask = torch::zeros({std::ssize(candidates), most}, torch::kBool).to(device)};
  batch.mask.index_put_({batch.row, batch.column}, true);
  return batch;
}

Policy::Policy(const Sizes& sizes, Rng& rng)
    : sizes_(sizes),
      select_graph_(std::make_shared<MessagePassing>(kNodeColumns, sizes.hidden, sizes.rounds)),
      select_columns_(kNodeColumns, sizes.hidden),
      select_hidden_(4 * sizes.hidden, sizes.head),
      select_logit_(torch::nn::LinearOptions(sizes.head, 1).bias(false)),
      place_graph_(std::make_shared<MessagePassing>(kNodeColumns, sizes.hidden, sizes.rounds)),
      place_devices_(sizes.faithful ? kPublishedDeviceColumns : kDeviceColumns, sizes.hidden),
      place_columns_(kNodeColumns, sizes.hidden),
      place_hidden_(4 * sizes.hidden, sizes.head),
      place_logit_(torch::nn::LinearOptions(sizes.head, 1).bias(false)) {
  register_module("select_graph", select_graph_);
  register_module("select_columns", select_columns_);
  register_module("select_hidden", select_hidden_);
  register_module("select_logit", select_logit_);
  register_module("place_graph", place_graph_);
  register_module("place_devices", place_devices_);
  register_module("place_columns", place_columns_);
  register_module("place_hidden", place_hidden_);
  register_module("place_logit", place_logit_);
  InitialiseWeights(*this, rng);
}

PolicyInput Policy::PolicyInputOf(const View& view) {
  const torch::Tensor select = Leaky(select_graph_->Forward(view.node_x, view.edges));
  return {
      .select_nodes = select,
      .bottom_paths = Standardised(view.bottom_paths.matmul(select), kLeastDeviationOfEmbeddings),
      .top_paths = Standardised(view.top_paths.matmul(select), kLeastDeviationOfEmbeddings),
      .place_nodes = Leaky(place_graph_->Forward(view.node_x, view.edges)),
      .place_columns = Leaky(place_columns_(view.node_x))};
}

torch::Tensor Policy::SelectLogProbs(const View& view,
                                     const PolicyInput& input,
                                     const SelectBatch& batch) {
  const auto over_candidates = [&](const torch::Tensor& nodes, double least) {
    return OverCandidates(nodes.index_select(0, batch.node), batch, least);
  };
  const torch::Tensor read =  // [C, 4 · width]
      torch::cat({Leaky(select_columns_(over_candidates(view.node_x, kLeastDeviationOfColumns))),
                  input.select_nodes.index_select(0, batch.node),
                  over_candidates(input.bottom_paths, kLeastDeviationOfEmbeddings),
                  over_candidates(input.top_paths, kLeastDeviationOfEmbeddings)},
                 1);
  const torch::Tensor logits = select_logit_(Leaky(select_hidden_(read))).squeeze(1);  // [C]
  const torch::Tensor padded =                                                         // [R, M]
      torch::full(batch.mask.sizes(), kForbidden, logits.options())
          .index_put({batch.row, batch.column}, logits);
  return MaskedLogProbs(padded, batch.mask);
}

torch::Tensor Policy::PlaceLogProbs(const View& view,
                                    const PolicyInput& input,
                                    const PlaceBatch& batch) {
  const std::int64_t num_devices = batch.device_x.size(1);
  const torch::Tensor mask = view.device_mask.index_select(0, batch.node);  // [R, D]
  const torch::Tensor weight = mask.unsqueeze(2).to(batch.device_x);        // [R, D, 1]
  const auto of_node = [&](const torch::Tensor& nodes) {                    // → [R, D, width]
    return nodes.index_select(0, batch.node).unsqueeze(1).expand({-1, num_devices, -1});
  };
  const torch::Tensor read =  // [R, D, 4 · width]
      torch::cat(
          {Leaky(place_devices_(OverDevices(batch.device_x, weight, kLeastDeviationOfColumns))),
           of_node(input.place_columns),
           of_node(input.place_nodes),
           OverDevices(
               batch.on_device.matmul(input.place_nodes), weight, kLeastDeviationOfEmbeddings)},
          2);
  return MaskedLogProbs(place_logit_(Leaky(place_hidden_(read))).squeeze(2), mask);
}

}  // namespace opyard::agents::doppler
