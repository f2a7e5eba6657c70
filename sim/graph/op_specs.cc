#include "sim/graph/op_specs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "sim/base/quote.h"
#include "sim/graph/name_scopes.h"

namespace opyard::sim {
namespace {

constexpr std::int64_t kLargestWorkDim = std::numeric_limits<std::int32_t>::max();

// Adds non-negative sizes and remembers when int64 was too small.
class ByteSum {
 public:
  void Add(Bytes bytes) {
    overflows_ =
        overflows_ || __builtin_add_overflow(sum_, std::max<std::int64_t>(bytes.count, 0), &sum_);
  }
  [[nodiscard]] bool overflows() const { return overflows_; }

 private:
  std::int64_t sum_ = 0;
  bool overflows_ = false;
};

// Checks one op; `place_` is that of the op. Places are put together only when there is a problem.
class OpCheck {
 public:
  OpCheck(std::span<const OpSpec> ops,
          std::size_t index,
          const std::string& place,
          Diagnostics& diagnostics)
      : ops_(ops), op_(ops[index]), index_(index), place_(place), diagnostics_(diagnostics) {}

  void Run() {
    if (op_.name.empty()) {
      Report("/name", "expected a name that is not empty");
    }
    CheckInputs();
    CheckControlInputs();
    for (std::size_t i = 0; i < op_.outputs.size(); ++i) {
      CheckOutput(i);
    }
    CheckAmounts();
    CheckModule();
    if (op_.device_kinds.empty()) {
      Report("/device_kinds", "found no kind, expected at least one of gpu, cpu, tpu, other");
    }
    if (op_.work.has_value()) {
      std::visit([this](const auto& shape) { CheckWork(shape); }, *op_.work);
    }
    CheckSeconds();
    CheckRelease();
  }

 private:
  void Report(const std::string& where, const std::string& message) {
    diagnostics_.AddError(place_ + "/ops/" + std::to_string(index_) + where, message);
  }

  void NeedAtLeast(const char* key, std::int64_t found, std::int64_t least) {
    if (found < least) {
      Report(key,
             "found " + std::to_string(found) + ", expected at least " + std::to_string(least));
    }
  }

  void NeedOpIndex(const std::string& where, std::int64_t found) {
    Report(where,
           "found " + std::to_string(found) + ", expected the index of an op (there are " +
               std::to_string(ops_.size()) + ")");
  }

  void CheckInputs() {
    for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
      const InputRef& input = op_.inputs[i];
      const std::string where = "/inputs/" + std::to_string(i);
      if (!IsOpIndex(input.op, ops_)) {
        NeedOpIndex(where + "/0", input.op);
      } else if (!Exists(input, ops_)) {
        const OpSpec& producer = ops_[static_cast<std::size_t>(input.op)];
        Report(where + "/1",
               "found " + std::to_string(input.output) + ", expected an output of op " +
                   Quoted(producer.name) + " (it has " + std::to_string(producer.outputs.size()) +
                   ")");
      }
    }
  }

  void CheckControlInputs() {
    for (std::size_t i = 0; i < op_.control_inputs.size(); ++i) {
      if (!IsOpIndex(op_.control_inputs[i], ops_)) {
        NeedOpIndex("/control_inputs/" + std::to_string(i), op_.control_inputs[i]);
      }
    }
  }

  void CheckOutput(std::size_t index) {
    const OutputSpec& output = op_.outputs[index];
    const std::string where = "/outputs/" + std::to_string(index);
    NeedAtLeast((where + "/bytes").c_str(), output.bytes.count, 0);
    for (std::size_t d = 0; d < output.shape.size(); ++d) {
      if (output.shape[d] < 0) {
        NeedAtLeast((where + "/shape/" + std::to_string(d)).c_str(), output.shape[d], 0);
      }
    }
    const bool is_input =
        output.alias_input >= 0 && static_cast<std::size_t>(output.alias_input) < op_.inputs.size();
    if (output.alias == Alias::kInput && !is_input) {
      Report(where + "/alias",
             "found " + std::to_string(output.alias_input) +
                 ", expected the position of an input (there are " +
                 std::to_string(op_.inputs.size()) + ") or \"params\"");
    }
  }

  void CheckAmounts() {
    if (!std::isfinite(op_.flops.count) || op_.flops.count < 0.0) {
      Report("/flops",
             "found " + std::to_string(op_.flops.count) +
                 ", expected a finite number that is not negative");
    }
    NeedAtLeast("/bytes_accessed", op_.bytes_accessed.value_or(Bytes{}).count, 0);
    NeedAtLeast("/param_bytes", op_.param_bytes.count, 0);
    NeedAtLeast("/weight_bytes", op_.weight_bytes.value_or(Bytes{}).count, 0);
    NeedAtLeast("/workspace_bytes", op_.workspace_bytes.count, 0);
  }

  void CheckModule() {
    const std::string path = op_.module.value_or("");
    const auto depth = static_cast<std::size_t>(std::ranges::count(path, '.')) + 1;
    const bool has_empty_name = ("." + path + ".").find("..") != std::string::npos;
    if (!path.empty() && (has_empty_name || depth > kMostModuleDepth)) {
      Report("/module",
             "found " + Quoted(path) + ", expected at most " + std::to_string(kMostModuleDepth) +
                 " names with dots between, or \"\" for the network itself");
    }
  }

  void NeedDim(const char* key, std::int64_t found, std::int64_t least = 1) {
    if (found < least || found > kLargestWorkDim) {
      Report(key,
             "found " + std::to_string(found) + ", expected " + std::to_string(least) + " to " +
                 std::to_string(kLargestWorkDim));
    }
  }

  void CheckWork(const GemmShape& gemm) {
    NeedDim("/gemm/m", gemm.m);
    NeedDim("/gemm/n", gemm.n);
    NeedDim("/gemm/k", gemm.k);
    NeedDim("/gemm/batch", gemm.batch);
  }

  void CheckWork(const ConvShape& conv) {
    const std::size_t before = diagnostics_.count();
    NeedDim("/conv/n", conv.n);
    NeedDim("/conv/c", conv.c);
    NeedDim("/conv/h", conv.h);
    NeedDim("/conv/w", conv.w);
    NeedDim("/conv/k", conv.k);
    NeedDim("/conv/r", conv.r);
    NeedDim("/conv/s", conv.s);
    NeedDim("/conv/pad_h", conv.pad_h, 0);
    NeedDim("/conv/pad_w", conv.pad_w, 0);
    NeedDim("/conv/stride_h", conv.stride_h);
    NeedDim("/conv/stride_w", conv.stride_w);
    NeedDim("/conv/groups", conv.groups);
    if (diagnostics_.count() == before) {
      CheckConvFits(conv);
    }
  }

  void CheckConvFits(const ConvShape& conv) {
    if (conv.c % conv.groups != 0 || conv.k % conv.groups != 0) {
      Report("/conv/groups",
             "found " + std::to_string(conv.groups) + ", expected a divisor of c = " +
                 std::to_string(conv.c) + " and of k = " + std::to_string(conv.k));
    }
    if (conv.r > conv.h + 2 * conv.pad_h) {
      Report("/conv/r",
             "found a filter of height " + std::to_string(conv.r) +
                 ", expected at most the padded height " + std::to_string(conv.h + 2 * conv.pad_h));
    }
    if (conv.s > conv.w + 2 * conv.pad_w) {
      Report("/conv/s",
             "found a filter of width " + std::to_string(conv.s) +
                 ", expected at most the padded width " + std::to_string(conv.w + 2 * conv.pad_w));
    }
  }

  void CheckWork(const RnnShape& rnn) {
    NeedDim("/rnn/hidden", rnn.hidden);
    NeedDim("/rnn/batch", rnn.batch);
    NeedDim("/rnn/timesteps", rnn.timesteps);
  }

  void CheckWork(const AttentionShape& attention) {
    NeedDim("/attention/batch", attention.batch);
    NeedDim("/attention/heads", attention.heads);
    NeedDim("/attention/queries", attention.queries);
    NeedDim("/attention/keys", attention.keys);
    NeedDim("/attention/width", attention.width);
    NeedDim("/attention/value_width", attention.value_width, 0);
  }

  void CheckSeconds() {
    std::unordered_set<std::string_view> seen;
    for (const MeasuredTime& time : op_.seconds) {
      if (!FitsInSimTime(time.seconds)) {
        Report("/seconds/" + PointerToken(time.where),
               "found " + std::to_string(time.seconds) + ", expected seconds from 0 to " +
                   std::to_string(static_cast<std::int64_t>(kLargestSeconds)));
      }
      if (time.where.empty()) {
        Report("/seconds", "found an empty key, expected a device, a type, a kind or \"*\"");
      }
      if (!seen.insert(time.where).second) {
        Report("/seconds", "found " + Quoted(time.where) + " twice");
      }
    }
  }

  void CheckRelease() {
    if (op_.release < SimTime{} || op_.release > SimTime::FromSeconds(kLargestSeconds)) {
      Report("/release",
             "found " + std::to_string(op_.release.seconds()) + ", expected seconds from 0 to " +
                 std::to_string(static_cast<std::int64_t>(kLargestSeconds)));
    }
  }

  std::span<const OpSpec> ops_;
  const OpSpec& op_;
  std::size_t index_;
  const std::string& place_;
  Diagnostics& diagnostics_;
};

void CheckNamesUnique(std::span<const OpSpec> ops,
                      const std::string& place,
                      Diagnostics& diagnostics) {
  std::unordered_map<std::string_view, std::size_t> first;
  first.reserve(ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const auto [known, is_new] = first.emplace(ops[i].name, i);
    if (!is_new && !ops[i].name.empty()) {
      diagnostics.AddError(place + "/ops/" + std::to_string(i) + "/name",
                           "found " + Quoted(ops[i].name) + ", which is the name of /ops/" +
                               std::to_string(known->second) + "; expected unique names");
    }
  }
}

// Ops with one label must have a kind of device in common; the first op that leaves none is named.
void CheckColocation(std::span<const OpSpec> ops,
                     const std::string& place,
                     Diagnostics& diagnostics) {
  std::unordered_map<std::string_view, DeviceKindSet> kinds_of_label;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const OpSpec& op = ops[i];
    if (op.colocation.empty() || op.device_kinds.empty()) {
      continue;
    }
    DeviceKindSet& kinds =
        kinds_of_label.try_emplace(op.colocation, DeviceKindSet::All()).first->second;
    const bool had_any = !kinds.empty();
    kinds = kinds.Common(op.device_kinds);
    if (had_any && kinds.empty()) {
      diagnostics.AddError(place + "/ops/" + std::to_string(i) + "/device_kinds",
                           "found no kind that the ops before it with colocation " +
                               Quoted(op.colocation) + " allow, expected at least one in common");
    }
  }
}

// Adds all bytes of `op` to `total`. False if what it alone moves is beyond int64.
bool AddBytes(const OpSpec& op, std::span<const OpSpec> ops, ByteSum& total) {
  ByteSum traffic;  // of this op
  const auto add = [&](Bytes bytes) {
    traffic.Add(bytes);
    total.Add(bytes);
  };
  for (const InputRef& input : op.inputs) {
    if (Exists(input, ops)) {
      add(ops[static_cast<std::size_t>(input.op)]
              .outputs[static_cast<std::size_t>(input.output)]
              .bytes);
    }
  }
  for (const OutputSpec& output : op.outputs) {
    add(output.bytes);
  }
  add(op.weight_bytes.value_or(op.param_bytes));
  total.Add(op.param_bytes);
  total.Add(op.workspace_bytes);
  return !traffic.overflows();
}

// The bytes that a device may hold or an op may move, added up over the graph, must fit in int64,
// the FLOPs in a double, and the measured times after the last release in SimTime: nothing later
// overflows.
void CheckSums(std::span<const OpSpec> ops, const std::string& place, Diagnostics& diagnostics) {
  ByteSum total;
  ByteSum accessed;
  Flops flops;
  double seconds = 0.0;
  SimTime last_release;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (!AddBytes(ops[i], ops, total)) {
      diagnostics.AddError(
          place + "/ops/" + std::to_string(i),
          "found inputs, outputs and weights of more bytes than int64 holds, expected at "
          "most 9223372036854775807 together");
    }
    accessed.Add(ops[i].bytes_accessed.value_or(Bytes{}));
    flops = flops + ops[i].flops;
    double longest = 0.0;
    for (const MeasuredTime& time : ops[i].seconds) {
      longest = std::max(longest, time.seconds);
    }
    seconds += longest;
    last_release = std::max(last_release, ops[i].release);
  }
  seconds += last_release.seconds();
  if (total.overflows() || accessed.overflows()) {
    diagnostics.AddError(place + "/ops",
                         "found sizes that add up to more bytes than int64 holds, expected at most "
                         "9223372036854775807 over all ops");
  }
  if (std::isinf(flops.count)) {
    diagnostics.AddError(place + "/ops",
                         "found flops that add up to infinity, expected a finite sum");
  }
  if (seconds > 2.0 * kLargestSeconds) {
    diagnostics.AddError(place + "/ops",
                         "found seconds that add up, after the last release, to " +
                             std::to_string(seconds) + ", expected at most " +
                             std::to_string(2.0 * kLargestSeconds));
  }
}

}  // namespace

bool Exists(const InputRef& input, std::span<const OpSpec> ops) {
  return IsOpIndex(input.op, ops) && input.output >= 0 &&
         static_cast<std::uint64_t>(input.output) <
             ops[static_cast<std::size_t>(input.op)].outputs.size();
}

void CheckOpSpecs(std::span<const OpSpec> ops, const std::string& place, Diagnostics& diagnostics) {
  if (ops.empty()) {
    diagnostics.AddError(place + "/ops", "found no op, expected at least one");
  }
  for (std::size_t i = 0; i < ops.size(); ++i) {
    OpCheck(ops, i, place, diagnostics).Run();
  }
  CheckNamesUnique(ops, place, diagnostics);
  CheckColocation(ops, place, diagnostics);
  CheckSums(ops, place, diagnostics);
}

}  // namespace opyard::sim
