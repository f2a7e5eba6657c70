#include "experiments/graphs/peaks_text.h"

#include <map>
#include <set>

#include "experiments/text/number_format.h"
#include "sim/base/quote.h"
#include "sim/cost/device_rates.h"
#include "sim/cost/zero_cost.h"

namespace opyard::experiments {
namespace {

// The ops of each element type that run on `device` at another type's peak, which is not f32's.
std::map<sim::DType, std::size_t> OpsAtOtherPeaks(const env::Problem& problem, DeviceId device) {
  const sim::Device& values = problem.hardware().devices[device.index()];
  std::map<sim::DType, std::size_t> counts;
  if (values.peak_flops_per_s.contains(sim::DType::kF32)) {
    return counts;
  }
  const sim::OpGraph& graph = problem.graph();
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const sim::Op& op = graph.op(OpId(i));
    const bool is_modelled = op.flops.count > 0.0 && !sim::IsZeroCost(graph, OpId(i)) &&
                             !problem.costs().cost(OpId(i), device).is_measured;
    if (is_modelled && sim::IsAllowedOn(op, values) && !sim::HasPeakFor(values, op.dtype)) {
      ++counts[op.dtype];
    }
  }
  return counts;
}

std::string Line(const sim::Device& device, sim::DType dtype, std::size_t count) {
  const sim::DType used = sim::PeakDTypeOf(device, dtype);
  const double peak = device.peak_flops_per_s.at(used);
  return "device type " + Quoted(device.type) + " has no peak_flops for " +
         std::string(NameOf(dtype)) + (dtype == sim::DType::kF32 ? "" : " or f32") + ": " +
         std::to_string(count) + (count == 1 ? " op is" : " ops are") +
         " taken to run at its fastest, that of " + std::string(NameOf(used)) + ", " +
         Fixed(peak / 1e12, 3) +
         " TFLOP/s; give that peak in its file, or name the op types that it cannot run under "
         "unsupported\n";
}

}  // namespace

std::string PeaksWarning(const std::string& reference, const env::Problem& problem) {
  std::set<std::pair<std::string, sim::DType>> seen;
  std::string text;
  for (const DeviceId device : problem.devices()) {
    const sim::Device& values = problem.hardware().devices[device.index()];
    for (const auto& [dtype, count] : OpsAtOtherPeaks(problem, device)) {
      if (seen.emplace(values.type, dtype).second) {
        text += OneLine(reference) + ": " + Line(values, dtype, count);
      }
    }
  }
  return text;
}

void WarnOfPeaks(const std::string& reference,
                 const env::Problem& problem,
                 const NoticeListener& notices) {
  if (const std::string warning = PeaksWarning(reference, problem); !warning.empty()) {
    notices({.kind = NoticeKind::kWarning, .text = warning});
  }
}

}  // namespace opyard::experiments
