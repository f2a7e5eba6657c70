#include "graphs/importers/hlo/hlo_text.h"

#include <limits>

#include "graphs/importers/hlo/hlo_module.h"
#include "graphs/importers/hlo/hlo_work.h"
#include "sim/base/quote.h"
#include "sim/io/text/text_file.h"

namespace opyard::graphs {
namespace {

using sim::InputRef;
using Value = std::optional<InputRef>;  // nothing for a constant that was folded away

constexpr Bytes kLargestFolded{1024};

// Token and opaque results have an extent of 0.
Bytes SizeOf(const HloInstruction& instruction) {
  Bytes sum;
  for (const TensorType& tensor : instruction.outputs) {
    sum += BytesOf(tensor);
  }
  return sum;
}

sim::Phase PhaseOf(const HloInstruction& instruction) {
  const std::string_view text = instruction.attributes;
  const std::size_t name = text.find("op_name=");
  if (name == std::string_view::npos) {
    return sim::Phase::kUnknown;
  }
  if (text.find("transpose(jvp", name) != std::string_view::npos) {
    return sim::Phase::kBackward;
  }
  return text.find("jvp(", name) != std::string_view::npos ? sim::Phase::kForward
                                                           : sim::Phase::kUnknown;
}

class HloLowering {
 public:
  HloLowering(const ImportFile& file, const HloModule& module, ImportSummary& summary)
      : file_(file),
        entry_(module.computations[module.entry]),
        costs_(module),
        summary_(summary),
        values_(entry_.instructions.size()) {}

  std::vector<sim::OpSpec> Run() {
    CheckSizes();
    num_state_ = CountState();
    for (std::size_t i = 0; i < entry_.instructions.size(); ++i) {
      Lower(i);
      if (entry_.instructions[i].is_root) {
        Keep(values_[i]);
      }
    }
    return std::move(ops_);
  }

 private:
  // All results together stay far below int64.
  void CheckSizes() const {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 8;
    std::int64_t sum = 0;
    for (const HloInstruction& instruction : entry_.instructions) {
      for (const TensorType& tensor : instruction.outputs) {
        if (__builtin_add_overflow(sum, BytesOf(tensor).count, &sum) || sum > kMost) {
          throw InputError(file_.place +
                           ": found results of more bytes than int64 holds together, "
                           "expected less");
        }
      }
    }
  }

  // How many of the first parameters have the shape of the root's element of their number.
  [[nodiscard]] std::size_t CountState() const {
    std::vector<const TensorType*> parameters;  // by number
    const HloInstruction* root = nullptr;
    for (const HloInstruction& instruction : entry_.instructions) {
      const std::optional<std::size_t> number = ParameterNumber(instruction);
      if (number.has_value() && instruction.outputs.size() == 1) {
        parameters.resize(std::max(parameters.size(), *number + 1));
        parameters[*number] = instruction.outputs.data();
      }
      root = instruction.is_root ? &instruction : root;
    }
    if (root == nullptr || !root->is_tuple || root->elements.size() != root->outputs.size()) {
      return 0;
    }
    std::size_t count = 0;
    while (count < parameters.size() && count < root->outputs.size() &&
           parameters[count] != nullptr && parameters[count]->shape == root->outputs[count].shape &&
           parameters[count]->dtype == root->outputs[count].dtype) {
      ++count;
    }
    return count;
  }

  // Below the number of instructions.
  [[nodiscard]] std::optional<std::size_t> ParameterNumber(
      const HloInstruction& instruction) const {
    if (instruction.opcode != "parameter") {
      return std::nullopt;
    }
    const std::vector<std::int64_t> number = IntegersOf(instruction.arguments);
    const auto most = static_cast<std::int64_t>(entry_.instructions.size());
    if (number.size() != 1 || number[0] < 0 || number[0] >= most) {
      throw InputError(file_.place + ": found the parameter " + Quoted(instruction.arguments) +
                       ", expected a number below that of the instructions");
    }
    return static_cast<std::size_t>(number[0]);
  }

  void Lower(std::size_t i) {
    const HloInstruction& instruction = entry_.instructions[i];
    if (instruction.opcode == "tuple") {
      LowerTuple(i);
    } else if (instruction.opcode == "get-tuple-element") {
      LowerSelection(i);
    } else if (instruction.opcode == "constant" && SizeOf(instruction) <= kLargestFolded) {
      summary_.folded.Add("constant up to 1 KiB", instruction.name);
      values_[i].resize(instruction.outputs.size());
    } else {
      LowerOp(i);
    }
  }

  void LowerTuple(std::size_t i) {
    const HloInstruction& instruction = entry_.instructions[i];
    summary_.folded.Add("tuple", instruction.name);
    std::size_t count = 0;
    for (const std::size_t operand : instruction.operands) {
      count += values_[operand].size();
    }
    NeedTensors(instruction, count, instruction.outputs.size());
    for (const std::size_t operand : instruction.operands) {
      values_[i].insert(values_[i].end(), values_[operand].begin(), values_[operand].end());
    }
  }

  void LowerSelection(std::size_t i) {
    const HloInstruction& instruction = entry_.instructions[i];
    summary_.folded.Add("get-tuple-element", instruction.name);
    const std::vector<std::int64_t> index =
        IntegersOf(FindAttribute(instruction.attributes, "index").value_or(""));
    if (instruction.operands.size() != 1 || index.size() != 1) {
      Refuse(instruction, "no index or another number of operands", "one of each");
    }
    const std::size_t source = instruction.operands[0];
    const std::vector<std::size_t>& elements = entry_.instructions[source].elements;
    if (index[0] < 0 || static_cast<std::uint64_t>(index[0]) >= elements.size()) {
      Refuse(instruction,
             "the index " + std::to_string(index[0]),
             "one of " + std::to_string(elements.size()) + " elements");
    }
    const auto element = static_cast<std::size_t>(index[0]);
    const std::size_t begin = elements[element];
    const std::size_t end =
        element + 1 < elements.size() ? elements[element + 1] : values_[source].size();
    NeedTensors(instruction, end - begin, instruction.outputs.size());
    values_[i].assign(values_[source].begin() + static_cast<std::ptrdiff_t>(begin),
                      values_[source].begin() + static_cast<std::ptrdiff_t>(end));
  }

  void LowerOp(std::size_t i) {
    const HloInstruction& instruction = entry_.instructions[i];
    sim::OpSpec op{.name = std::string(instruction.name), .type = std::string(instruction.opcode)};
    for (const std::size_t operand : instruction.operands) {
      for (const Value& value : values_[operand]) {
        if (value.has_value()) {
          op.inputs.push_back(*value);
        }
      }
    }
    num_inputs_ += op.inputs.size();
    constexpr std::size_t kMostInputs = std::size_t{1} << 23U;
    if (num_inputs_ > kMostInputs) {
      Refuse(instruction, "more tensors read than can be kept", "at most 8388608 in all");
    }
    for (const TensorType& tensor : instruction.outputs) {
      op.outputs.push_back(
          {.bytes = BytesOf(tensor), .shape = tensor.shape, .dtype = tensor.dtype});
      values_[i].push_back(InputRef{.op = static_cast<std::int64_t>(ops_.size()),
                                    .output = static_cast<std::int64_t>(values_[i].size())});
    }
    op.dtype = instruction.outputs.empty() ? sim::DType::kOther : instruction.outputs[0].dtype;
    op.phase = PhaseOf(instruction);
    SetKind(instruction, op);
    ops_.push_back(std::move(op));
  }

  void SetKind(const HloInstruction& instruction, sim::OpSpec& op) {
    const std::optional<std::size_t> number = ParameterNumber(instruction);
    if (number.has_value() || instruction.opcode == "constant") {
      const bool is_state = !number.has_value() || *number < num_state_;
      op.type = !number.has_value() ? "Const" : is_state ? "Variable" : "Placeholder";
      op.bytes_accessed = Bytes{};
      if (is_state) {
        op.param_bytes = SizeOf(instruction);
        for (sim::OutputSpec& output : op.outputs) {
          output.alias = sim::Alias::kParams;
        }
      }
      if (number.has_value() && is_state) {
        summary_.unknown.Add("role of a parameter: the root gives it back, taken as a Variable",
                             op.name);
      }
      return;
    }
    if ((instruction.opcode == "reshape" || instruction.opcode == "bitcast") &&
        op.inputs.size() == 1 && op.outputs.size() == 1) {
      op.outputs[0].alias = sim::Alias::kInput;
      op.bytes_accessed = Bytes{};
      return;
    }
    const HloWork work = costs_.Of(entry_, instruction);
    op.flops = work.work.flops;
    op.work = work.work.work;
    if (work.num_unknown > 0) {
      summary_.unknown.Add("instruction without a rule, or that calls one: its FLOPs are left out",
                           instruction.opcode);
    }
  }

  void Keep(const std::vector<Value>& values) {
    for (const Value& value : values) {
      if (value.has_value()) {
        ops_[static_cast<std::size_t>(value->op)]
            .outputs[static_cast<std::size_t>(value->output)]
            .keep = true;
      }
    }
  }

  void NeedTensors(const HloInstruction& instruction, std::size_t found, std::size_t expected) {
    if (found != expected) {
      Refuse(instruction,
             std::to_string(found) + " tensors in its operands",
             std::to_string(expected) + " by its shape");
    }
  }

  [[noreturn]] void Refuse(const HloInstruction& instruction,
                           const std::string& found,
                           const std::string& expected) const {
    throw InputError(file_.place + ": instruction " + Quoted(instruction.name) + ": found " +
                     found + ", expected " + expected);
  }

  const ImportFile& file_;
  const HloComputation& entry_;
  HloCosts costs_;
  ImportSummary& summary_;
  std::vector<std::vector<Value>> values_;  // [instructions][tensors of the result]
  std::vector<sim::OpSpec> ops_;
  std::size_t num_state_ = 0;  // parameters below this number are state
  std::size_t num_inputs_ = 0;
};

}  // namespace

bool HloTextImporter::Recognises(const ImportFile& file, std::string_view /*path*/) const {
  return file.bytes.starts_with("HloModule");
}

ImportedGraph HloTextImporter::Import(const ImportFile& file, Options& /*options*/) const {
  sim::EnsureUtf8(file.bytes, file.place);
  ImportedGraph imported;
  const HloModule module = ReadHloModule(file, imported.summary);
  imported.summary.nodes_read = module.computations[module.entry].instructions.size();
  sim::OpGraphBuilder builder(file.stem, "XLA HLO text, ENTRY computation");
  for (sim::OpSpec& op : HloLowering(file, module, imported.summary).Run()) {
    builder.AddOp(std::move(op));
  }
  imported.graph = builder.Build(file.place + ": imported graph");
  return imported;
}

}  // namespace opyard::graphs
