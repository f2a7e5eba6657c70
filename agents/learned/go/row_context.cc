#include "agents/learned/go/row_context.h"

#include "agents/learned/common/feature_tensors.h"

namespace opyard::agents::go {
namespace {

// s of s / (s + 1 / R), by which the columns of a row give its share s.
torch::Tensor SharesOf(const torch::Tensor& relative) {
  const auto num_rows = static_cast<double>(relative.size(0));
  const torch::Tensor shares = relative / (num_rows * (1.0 - relative));
  return shares / shares.sum().clamp_min(1e-12);
}

// The transfer time from each row to each ÷ the time of the mean row: [R, R].
torch::Tensor TimesBetween(const DecisionRows& rows) {
  const OpNeighbours& links = rows.links.consumers;  // from target to source
  const std::int64_t num_rows = rows.mask.size(0);
  const torch::Tensor squashed =
      links.x.select(1, ColumnOf(env::kEdgeFeatureNames, "transfer_to_op_time"));
  const torch::Tensor times = (squashed / (1.0 - squashed).clamp_min(1e-6)).square();
  return torch::zeros({num_rows, num_rows}, times.options())
      .index_put_({links.edges.target, links.edges.source}, times, /*accumulate=*/true);
}

// 1 where no row is on a device, nor on an equal one of a lower slot; `used`: [..., D].
torch::Tensor FirstUnused(const torch::Tensor& used, const torch::Tensor& is_equal_before) {
  const torch::Tensor unused = 1.0 - used;
  return unused * unused.matmul(is_equal_before).lt(0.5);
}

// Sums over the rows before each, [K, R, D], from those over the rows up to each.
torch::Tensor OfEarlierRows(const torch::Tensor& of_rows) {
  return torch::constant_pad_nd(of_rows.slice(1, 0, -1), {0, 0, 1, 0});
}

// All but the pointers; all arguments are [..., D].
torch::Tensor Columns(const RowRelations& relations,
                      const torch::Tensor& used,
                      const torch::Tensor& load,
                      const torch::Tensor& exchanged,
                      const torch::Tensor& previous) {
  const torch::Tensor even = load * static_cast<double>(load.size(-1));
  return torch::stack({used,
                       FirstUnused(used, relations.is_equal_before),
                       even / (even + 1.0),
                       load / load.sum(-1, /*keepdim=*/true).clamp_min(1e-6),
                       exchanged,
                       previous},
                      -1);
}

}  // namespace

RowRelations MakeRowRelations(const DecisionRows& rows, const DeviceFeatures& devices) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor sent = TimesBetween(rows);
  const torch::Tensor exchanged = (sent + sent.t()).tril(-1);
  torch::Tensor kinds = devices.x.clone();  // [D, …]
  kinds.select(1, ColumnOf(env::kDeviceFeatureNames, "slot")).zero_();
  const torch::Tensor is_equal = kinds.unsqueeze(0).eq(kinds.unsqueeze(1)).all(2);
  const torch::Tensor is_before = devices.slot.unsqueeze(1).lt(devices.slot.unsqueeze(0));
  return {.exchanged = exchanged / exchanged.sum(1, /*keepdim=*/true).clamp_min(1e-12),
          .time = SharesOf(rows.x.select(1, 0)),
          .is_equal_before = is_equal.logical_and(is_before).to(torch::kFloat)};
}

torch::Tensor ContextOfRows(const RowRelations& relations,
                            const torch::Tensor& pointers,
                            const torch::Tensor& devices) {
  const std::int64_t num_devices = relations.is_equal_before.size(0);
  const torch::Tensor placed = torch::one_hot(devices, num_devices).to(torch::kFloat);  // [K, R, D]
  const torch::Tensor times = placed * relations.time.view({1, -1, 1});
  const torch::Tensor columns =  // [K, R, D, kNumContextColumns]
      Columns(relations,
              OfEarlierRows(placed.cumsum(1).gt(0.5).to(torch::kFloat)),
              OfEarlierRows(times.cumsum(1)),
              relations.exchanged.matmul(placed),
              OfEarlierRows(placed));
  const torch::Tensor pointed = pointers.matmul(placed.unsqueeze(1));  // [K, H, R, D]
  return torch::cat({columns, pointed.permute({0, 2, 3, 1})}, 3);
}

RowContext::RowContext(const RowRelations& relations,
                       const torch::Tensor& pointers,
                       std::int64_t num_plans)
    : relations_(relations),
      pointers_(pointers),
      placed_(torch::zeros({num_plans, relations.time.size(0), relations.is_equal_before.size(0)},
                           relations.time.options())),
      used_(torch::zeros_like(placed_.select(1, 0))),
      load_(torch::zeros_like(used_)) {}

torch::Tensor RowContext::Next() const {
  const torch::Tensor before = placed_.slice(1, 0, row_);  // [K, rows before, D]
  const torch::Tensor previous = row_ == 0 ? torch::zeros_like(used_) : placed_.select(1, row_ - 1);
  const torch::Tensor exchanged =
      relations_.exchanged[row_].slice(0, 0, row_).matmul(before);  // [K, D]
  const torch::Tensor columns = Columns(relations_, used_, load_, exchanged, previous);
  const torch::Tensor pointed =  // [K, H, D]
      pointers_.select(2, row_).slice(2, 0, row_).matmul(before);
  return torch::cat({columns, pointed.transpose(1, 2)}, 2);
}

void RowContext::Place(const torch::Tensor& devices) {
  const torch::Tensor placed = torch::one_hot(devices, load_.size(1)).to(torch::kFloat);
  placed_.select(1, row_).copy_(placed);
  used_ = torch::maximum(used_, placed);
  load_ = load_ + placed * relations_.time[row_];
  ++row_;
}

}  // namespace opyard::agents::go
