#include <array>

#include "sim/io/graph/op_json.h"
#include "sim/io/json/json_text.h"

namespace opyard::sim {
namespace {

// Appends members to a JSON object.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }
  void Close() { out_ += '}'; }

  void Add(std::string_view key, std::string_view json) {
    out_ += is_empty_ ? "" : ", ";
    is_empty_ = false;
    out_ += JsonString(key) + ": ";
    out_ += json;
  }
  void Add(std::string_view key, std::int64_t number) { Add(key, std::to_string(number)); }
  void AddText(std::string_view key, std::string_view text) { Add(key, JsonString(text)); }
  void AddUnless(std::int64_t usual, std::string_view key, std::int64_t number) {
    if (number != usual) {
      Add(key, number);
    }
  }

 private:
  std::string& out_;
  bool is_empty_ = true;
};

// "[a, b]" of what `text_of` makes of each item.
template <class Items, class TextOf>
std::string List(const Items& items, const TextOf& text_of) {
  std::string list = "[";
  for (const auto& item : items) {
    list += (list.size() == 1 ? "" : ", ") + text_of(item);
  }
  return list + "]";
}

std::int32_t AliasedInput(const OpGraph& graph, const Tensor& tensor) {
  const std::span<const TensorId> inputs = graph.inputs(tensor.producer);
  std::size_t i = 0;
  while (inputs[i] != tensor.aliased) {
    ++i;
  }
  return static_cast<std::int32_t>(i);
}

std::string OutputText(const OpGraph& graph, TensorId id) {
  const Tensor& tensor = graph.tensor(id);
  std::string text;
  ObjectWriter output(text);
  output.Add("bytes", tensor.bytes.count);
  if (!graph.shape(id).empty()) {
    output.Add("shape", List(graph.shape(id), [](std::int64_t d) { return std::to_string(d); }));
  }
  if (tensor.dtype != graph.op(tensor.producer).dtype) {
    output.AddText("dtype", NameOf(tensor.dtype));
  }
  if (tensor.alias == Alias::kParams) {
    output.AddText("alias", "params");
  } else if (tensor.alias == Alias::kInput) {
    output.Add("alias", AliasedInput(graph, tensor));
  }
  if (tensor.keep) {
    output.Add("keep", "true");
  }
  output.Close();
  return text;
}

void AddOutputs(const OpGraph& graph, OpId id, ObjectWriter& op) {
  std::vector<TensorId> outputs;
  for (std::size_t i = 0; i < graph.num_outputs(id); ++i) {
    outputs.push_back(graph.output(id, i));
  }
  if (!outputs.empty()) {
    op.Add("outputs", List(outputs, [&](TensorId output) { return OutputText(graph, output); }));
  }
}

void AddEdges(const OpGraph& graph, OpId id, ObjectWriter& op) {
  if (!graph.inputs(id).empty()) {
    op.Add("inputs", List(graph.inputs(id), [&graph](TensorId input) {
             const Tensor& tensor = graph.tensor(input);
             return "[" + std::to_string(tensor.producer.value) + ", " +
                    std::to_string(tensor.output_index) + "]";
           }));
  }
  if (!graph.control_inputs(id).empty()) {
    op.Add("control_inputs",
           List(graph.control_inputs(id), [](OpId from) { return std::to_string(from.value); }));
  }
}

// The bytes_accessed that the reader assumes if the file says nothing.
std::int64_t DefaultBytesAccessed(const OpGraph& graph, OpId id) {
  Bytes sum = graph.op(id).weight_bytes;
  for (const TensorId input : graph.inputs(id)) {
    sum += graph.tensor(input).bytes;
  }
  for (std::size_t i = 0; i < graph.num_outputs(id); ++i) {
    sum += graph.tensor(graph.output(id, i)).bytes;
  }
  return sum.count;
}

void AddAmounts(const OpGraph& graph, OpId id, ObjectWriter& op) {
  const Op& values = graph.op(id);
  if (values.flops.count != 0.0) {
    op.Add("flops", NumberText(values.flops.count));
  }
  op.AddUnless(DefaultBytesAccessed(graph, id), "bytes_accessed", values.bytes_accessed.count);
  op.AddUnless(0, "param_bytes", values.param_bytes.count);
  op.AddUnless(values.param_bytes.count, "weight_bytes", values.weight_bytes.count);
  op.AddUnless(0, "workspace_bytes", values.workspace_bytes.count);
}

std::string KindsText(DeviceKindSet kinds) {
  std::vector<DeviceKind> members;
  for (std::size_t k = 0; k < kNumDeviceKinds; ++k) {
    if (kinds.Contains(static_cast<DeviceKind>(k))) {
      members.push_back(static_cast<DeviceKind>(k));
    }
  }
  return List(members, [](DeviceKind kind) { return JsonString(NameOf(kind)); });
}

void AddTraits(const OpGraph& graph, const Op& values, ModulesInText modules, ObjectWriter& op) {
  if (values.phase != Phase::kUnknown) {
    op.AddText("phase", NameOf(values.phase));
  }
  if (values.layer.has_value()) {
    op.Add("layer", *values.layer);
  }
  if (values.module.has_value() && modules == ModulesInText::kWritten) {
    op.AddText("module", graph.module_paths()[static_cast<std::size_t>(*values.module)]);
  }
  if (values.colocation.has_value()) {
    op.AddText("colocation",
               graph.colocation_labels()[static_cast<std::size_t>(*values.colocation)]);
  }
  if (values.device_kinds != DeviceKindSet::All()) {
    op.Add("device_kinds", KindsText(values.device_kinds));
  }
  if (values.fusion_class != FusionClassOfType(values.type)) {
    op.AddText("fusion_class", NameOf(values.fusion_class));
  }
}

void AddWork(const GemmShape& gemm, ObjectWriter& op) {
  std::string text;
  ObjectWriter shape(text);
  shape.Add("m", gemm.m);
  shape.Add("n", gemm.n);
  shape.Add("k", gemm.k);
  shape.AddUnless(1, "batch", gemm.batch);
  shape.Close();
  op.Add("gemm", text);
}

void AddWork(const ConvShape& conv, ObjectWriter& op) {
  std::string text;
  ObjectWriter shape(text);
  shape.AddText("pass", kConvPassNames[static_cast<std::size_t>(conv.pass)]);
  shape.Add("n", conv.n);
  shape.Add("c", conv.c);
  shape.Add("h", conv.h);
  shape.Add("w", conv.w);
  shape.Add("k", conv.k);
  shape.Add("r", conv.r);
  shape.Add("s", conv.s);
  shape.AddUnless(0, "pad_h", conv.pad_h);
  shape.AddUnless(0, "pad_w", conv.pad_w);
  shape.AddUnless(1, "stride_h", conv.stride_h);
  shape.AddUnless(1, "stride_w", conv.stride_w);
  shape.AddUnless(1, "groups", conv.groups);
  shape.Close();
  op.Add("conv", text);
}

void AddWork(const RnnShape& rnn, ObjectWriter& op) {
  std::string text;
  ObjectWriter shape(text);
  if (rnn.pass != RnnPass::kForward) {
    shape.AddText("pass", kRnnPassNames[static_cast<std::size_t>(rnn.pass)]);
  }
  shape.Add("hidden", rnn.hidden);
  shape.Add("batch", rnn.batch);
  shape.Add("timesteps", rnn.timesteps);
  shape.Close();
  op.Add("rnn", text);
}

void AddWork(const AttentionShape& attention, ObjectWriter& op) {
  std::string text;
  ObjectWriter shape(text);
  if (attention.pass != AttentionPass::kForward) {
    shape.AddText("pass", kAttentionPassNames[static_cast<std::size_t>(attention.pass)]);
  }
  shape.AddUnless(1, "batch", attention.batch);
  shape.AddUnless(1, "heads", attention.heads);
  shape.Add("queries", attention.queries);
  shape.Add("keys", attention.keys);
  shape.Add("width", attention.width);
  shape.AddUnless(0, "value_width", attention.value_width);
  if (attention.causal) {
    shape.Add("causal", "true");
  }
  if (!attention.flash) {
    shape.Add("flash", "false");
  }
  shape.Close();
  op.Add("attention", text);
}

void AddSeconds(std::span<const MeasuredTime> times, ObjectWriter& op) {
  if (times.empty()) {
    return;
  }
  std::string text;
  ObjectWriter seconds(text);
  for (const MeasuredTime& time : times) {
    seconds.Add(time.where, NumberText(time.seconds));
  }
  seconds.Close();
  op.Add("seconds", text);
}

void AddRelease(SimTime release, ObjectWriter& op) {
  if (release != SimTime{}) {
    op.Add("release", NumberText(release.seconds()));
  }
}

}  // namespace

void AppendOp(const OpGraph& graph, OpId id, std::string& out, ModulesInText modules) {
  const Op& values = graph.op(id);
  ObjectWriter op(out);
  op.AddText("name", values.name);
  op.AddText("type", values.type);
  op.AddText("dtype", NameOf(values.dtype));
  AddEdges(graph, id, op);
  AddOutputs(graph, id, op);
  AddAmounts(graph, id, op);
  AddTraits(graph, values, modules, op);
  if (const WorkShape* work = graph.work_shape(id)) {
    std::visit([&op](const auto& shape) { AddWork(shape, op); }, *work);
  }
  AddSeconds(graph.measured_times(id), op);
  AddRelease(values.release, op);
  op.Close();
}

}  // namespace opyard::sim
