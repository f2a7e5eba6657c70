#include "graphs/importers/hlo/hlo_module.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::graphs {
namespace {

constexpr std::size_t kMostTensors = std::size_t{1} << 22U;  // and operands, of all instructions

// Where the instructions that call computations name them.
struct CallKeys {
  std::string_view opcode;
  std::array<std::string_view, 3> keys;  // in the order of HloInstruction::called; "" for none
};
constexpr auto kCalls = std::to_array<CallKeys>({
    {"async-start", {"calls", "", ""}},
    {"call", {"to_apply", "", ""}},
    {"conditional", {"true_computation", "false_computation", "branch_computations"}},
    {"fusion", {"calls", "", ""}},
    {"map", {"to_apply", "", ""}},
    {"while", {"condition", "body", ""}},
});

class HloReader {
 public:
  HloReader(const ImportFile& file,
            std::optional<std::int64_t> unknown_extent,
            ImportSummary& summary)
      : file_(file),
        summary_(summary),
        scanner_(file.bytes, file.bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0),
        type_options_{.unknown_extent = unknown_extent, .most_tensors = kMostTensors} {}

  HloModule Run() {
    ReadHeader();
    while (!scanner_.AtEnd()) {
      ReadTopLevel();
    }
    if (!has_entry_) {
      throw InputError(file_.place + ": found no ENTRY computation, expected one");
    }
    ResolveCalls();
    return std::move(module_);
  }

 private:
  [[noreturn]] void Refuse(const std::string& found, const std::string& expected) const {
    const std::string_view before = file_.bytes.substr(0, line_at_);
    const auto line = 1 + std::ranges::count(before, '\n');
    throw InputError(file_.place + ":" + std::to_string(line) + ": found " + found + ", expected " +
                     expected);
  }

  void Mark() {
    static_cast<void>(scanner_.Peek());
    line_at_ = scanner_.at();
  }

  void ReadHeader() {
    Mark();
    if (!scanner_.Take("HloModule")) {
      return;
    }
    static_cast<void>(scanner_.TakeWord());
    module_.header = TakeAttributes();
  }

  // ", key=value, word" as they follow each other.
  std::string_view TakeAttributes() {
    static_cast<void>(scanner_.Peek());
    const std::size_t begin = scanner_.at();
    while (scanner_.Take(",")) {
      if (scanner_.TakeWord("=").empty()) {
        Refuse(Quoted(scanner_.RestOfLine()), "an attribute like key=value");
      }
      if (scanner_.Take("=") && !TakeValue()) {
        Refuse(Quoted(scanner_.RestOfLine()), "a value whose brackets and quotes are closed");
      }
    }
    return file_.bytes.substr(begin, scanner_.at() - begin);
  }

  bool TakeValue() {
    static_cast<void>(scanner_.Peek());
    const std::size_t begin = scanner_.at();
    const std::size_t end = HloScanner(file_.bytes, begin).EndOfValue();
    scanner_ = HloScanner(file_.bytes, end);
    return end > begin && end < file_.bytes.size();
  }

  // A computation, or a row of the tables of file names and frames, which is passed over.
  void ReadTopLevel() {
    Mark();
    const bool is_row = std::isdigit(static_cast<unsigned char>(scanner_.Peek())) != 0;
    const std::string_view line = scanner_.RestOfLine();
    if (is_row || line == "FileNames" || line == "FunctionNames" || line == "FileLocations" ||
        line == "StackFrames") {
      scanner_.SkipLine();
      return;
    }
    OpenComputation(line);
    while (!scanner_.Take("}")) {
      Mark();
      if (scanner_.AtEnd()) {
        Refuse("the end of the file inside a computation", "its end (})");
      }
      ReadInstruction();
    }
    static_cast<void>(TakeAttributes());
    if (module_.computations.back().instructions.empty()) {
      Refuse("a computation without instructions", "at least one");
    }
  }

  // [ENTRY] %name [(parameters) -> shape] {
  void OpenComputation(std::string_view line) {
    std::string_view name = scanner_.TakeWord();
    const bool is_entry = name == "ENTRY" && scanner_.Peek() != '{' && scanner_.Peek() != '(';
    if (is_entry) {
      name = scanner_.TakeWord();
    }
    name = WithoutPercent(name);
    if (scanner_.Peek() == '(') {
      static_cast<void>(scanner_.TakeBrackets());
    }
    if (scanner_.Take("->")) {
      HloType ignored;
      if (const auto problem = TakeType(scanner_, AnyExtents(), ignored)) {
        Refuse(problem->found, problem->expected);
      }
    }
    if (name.empty() || !scanner_.Take("{")) {
      Refuse(Quoted(line), "a computation like NAME (PARAMETERS) -> SHAPE {");
    }
    AddComputation(name, is_entry);
  }

  // Options for the types in a header, which stand again, with their place, in parameters and root.
  [[nodiscard]] HloTypeOptions AnyExtents() const {
    return {.unknown_extent = type_options_.unknown_extent.value_or(1),
            .most_tensors = kMostTensors};
  }

  void AddComputation(std::string_view name, bool is_entry) {
    if (is_entry && has_entry_) {
      Refuse("a second ENTRY", "one");
    }
    if (!module_.index_of.try_emplace(name, module_.computations.size()).second) {
      Refuse("the computation " + Quoted(name) + " again", "it once");
    }
    if (module_.computations.size() == kMostImportedNodes) {
      Refuse("more computations than can be read", "at most 1048576");
    }
    if (is_entry) {
      has_entry_ = true;
      module_.entry = module_.computations.size();
    }
    module_.computations.push_back({.name = name, .instructions = {}});
    has_root_ = false;
    names_ = {};  // clearing costs what the largest computation cost
  }

  // [ROOT] %name = shape opcode(arguments), attributes
  void ReadInstruction() {
    const std::string_view line = scanner_.RestOfLine();
    HloInstruction instruction;
    instruction.name = scanner_.TakeWord("=");
    const bool is_root = instruction.name == "ROOT" && scanner_.Peek() != '=';
    if (is_root) {
      instruction.name = scanner_.TakeWord("=");
    }
    instruction.name = WithoutPercent(instruction.name);
    if (instruction.name.empty() || !scanner_.Take("=")) {
      Refuse(Quoted(line), "NAME = SHAPE OPCODE(…)");
    }
    ReadType(instruction);
    const std::string_view call = scanner_.RestOfLine();
    instruction.opcode = scanner_.TakeWord();
    const auto arguments = scanner_.Peek() == '(' ? scanner_.TakeBrackets() : std::nullopt;
    if (instruction.opcode.empty() || !arguments.has_value()) {
      Refuse(Quoted(call), "OPCODE(…)");
    }
    instruction.arguments = arguments->substr(1, arguments->size() - 2);
    instruction.attributes = TakeAttributes();
    if (instruction.opcode != "constant" && instruction.opcode != "parameter") {
      ReadOperands(instruction);
    }
    Keep(std::move(instruction), is_root);
  }

  void ReadType(HloInstruction& instruction) {
    static_cast<void>(scanner_.Peek());
    const std::size_t begin = scanner_.at();
    if (const auto problem = TakeType(scanner_, type_options_, instruction.type)) {
      if (problem->expected == "?") {
        RefuseUnknownExtent(problem->found);
      }
      Refuse(problem->found, problem->expected);
    }
    module_.has_unknown_extents = module_.has_unknown_extents || instruction.type.has_unknown;
    instruction.type.text = file_.bytes.substr(begin, scanner_.at() - begin);
    if (instruction.type.has_bounds) {
      summary_.unknown.Add("extent of which only the bound stands there, taken as the bound",
                           instruction.name);
    }
  }

  [[noreturn]] void RefuseUnknownExtent(const std::string& shape) const {
    Refuse(shape + ", whose ? stands for an extent that the file does not hold",
           "a number; give it, one for all of them: opyard graph convert " + file_.place +
               " --dim N --out " + file_.stem + ".graph.json");
  }

  void Keep(HloInstruction instruction, bool is_root) {
    num_tensors_ += instruction.type.tensors.size() + instruction.operands.size();
    if (num_tensors_ > kMostTensors || ++num_instructions_ > kMostImportedNodes) {
      Refuse("a module too large to read",
             "at most 1048576 instructions with 4194304 operands and results");
    }
    HloComputation& computation = module_.computations.back();
    std::vector<HloInstruction>& all = computation.instructions;
    if (!names_.try_emplace(instruction.name, all.size()).second) {
      Refuse("the instruction " + Quoted(instruction.name) + " again", "it once");
    }
    if (is_root && has_root_) {
      Refuse("a second ROOT", "one");
    }
    if (instruction.opcode == "parameter" && !ParameterNumber(instruction).has_value()) {
      Refuse("the parameter " + Quoted(instruction.arguments), "a number below 1048576");
    }
    computation.root = has_root_ ? computation.root : all.size();
    has_root_ = has_root_ || is_root;
    all.push_back(std::move(instruction));
  }

  // "f32[2]{0} %a, %b": each operand's last word is its name.
  void ReadOperands(HloInstruction& out) const {
    HloScanner scanner(out.arguments);
    std::string_view name;
    while (!scanner.AtEnd()) {
      if (scanner.Take(",")) {
        AddOperand(name, out);
        name = {};
      } else if (!scanner.TakeBrackets().has_value()) {
        name = scanner.TakeWord();
        if (name.empty()) {
          Refuse(Quoted(scanner.RestOfLine()), "operands");
        }
      }
    }
    AddOperand(name, out);
  }

  void AddOperand(std::string_view name, HloInstruction& out) const {
    if (name.empty()) {
      return;
    }
    const auto found = names_.find(WithoutPercent(name));
    if (found == names_.end()) {
      Refuse("the operand " + Quoted(WithoutPercent(name)), "an instruction that stands before");
    }
    if (out.type.tensors.size() + out.operands.size() >= kMostTensors) {
      Refuse("an instruction with too many operands and results", "at most 4194304");
    }
    out.operands.push_back(found->second);
  }

  // Computations may stand behind those that call them.
  void ResolveCalls() {
    for (HloComputation& computation : module_.computations) {
      for (HloInstruction& instruction : computation.instructions) {
        const std::string_view opcode = instruction.opcode;
        const bool is_start = opcode == "call-start" || opcode == "fusion-start";
        const auto* keys = std::ranges::find(
            kCalls, is_start ? opcode.substr(0, opcode.size() - 6) : opcode, &CallKeys::opcode);
        if (keys != kCalls.end()) {
          ResolveCall(computation, *keys, instruction);
        }
      }
    }
  }

  void ResolveCall(const HloComputation& computation,
                   const CallKeys& call,
                   HloInstruction& instruction) const {
    for (const std::string_view key : call.keys) {
      const auto value = key.empty() ? std::nullopt : FindAttribute(instruction.attributes, key);
      HloScanner names(value.has_value() && value->starts_with('{')
                           ? value->substr(1, value->size() - 2)
                           : value.value_or(""));
      while (!names.AtEnd()) {
        const std::string_view name = WithoutPercent(names.TakeWord());
        const auto found = module_.index_of.find(name);
        if (found == module_.index_of.end() || name.empty()) {
          throw InputError(file_.place + ": instruction " + Quoted(instruction.name) + " of " +
                           Quoted(computation.name) + ": found the computation " + Quoted(name) +
                           ", expected one of the file");
        }
        instruction.called.push_back(found->second);
        static_cast<void>(names.Take(","));
      }
    }
  }

  const ImportFile& file_;
  ImportSummary& summary_;
  HloScanner scanner_;
  HloTypeOptions type_options_;
  HloModule module_;
  std::unordered_map<std::string_view, std::size_t> names_;  // of the open computation
  std::size_t line_at_ = 0;
  std::size_t num_tensors_ = 0;
  std::size_t num_instructions_ = 0;
  bool has_root_ = false;
  bool has_entry_ = false;
};

}  // namespace

HloModule ReadHloModule(const ImportFile& file,
                        std::optional<std::int64_t> unknown_extent,
                        ImportSummary& summary) {
  return HloReader(file, unknown_extent, summary).Run();
}

std::optional<std::size_t> ParameterNumber(const HloInstruction& instruction) {
  if (instruction.opcode != "parameter") {
    return std::nullopt;
  }
  const std::vector<std::int64_t> number = IntegersOf(instruction.arguments);
  if (number.size() != 1 || number[0] < 0 ||
      number[0] >= static_cast<std::int64_t>(kMostImportedNodes)) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(number[0]);
}

}  // namespace opyard::graphs
