#include "graphs/importers/hlo/hlo_module.h"

#include <cctype>
#include <charconv>

#include "graphs/importers/common/dtype_names.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::graphs {
namespace {

constexpr std::int64_t kLargestExtent = std::int64_t{1} << 31;
constexpr std::size_t kMostTensors = std::size_t{1} << 22U;  // and operands, of all instructions
constexpr std::size_t kDeepestTuple = 32;
constexpr std::size_t kLargestRank = 64;
constexpr std::size_t kMostIntegers = 4096;  // of one attribute

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string_view WithoutPercent(std::string_view name) {
  return name.starts_with('%') ? name.substr(1) : name;
}

bool Opens(char sign) {
  return sign == '(' || sign == '{' || sign == '[';
}

bool Closes(char sign) {
  return sign == ')' || sign == '}' || sign == ']';
}

// The place of the bracket that closes the one at `open`, quoted texts passed over; npos if none.
std::size_t FindClosing(std::string_view text, std::size_t open) {
  std::size_t depth = 0;
  bool is_quoted = false;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (is_quoted) {
      i += text[i] == '\\' ? 1 : 0;
      is_quoted = text[i < text.size() ? i : text.size() - 1] != '"';
    } else if (text[i] == '"') {
      is_quoted = true;
    } else if (Opens(text[i])) {
      ++depth;
    } else if (Closes(text[i]) && --depth == 0) {
      return i;
    }
  }
  return std::string_view::npos;
}

class HloReader {
 public:
  HloReader(const ImportFile& file, ImportSummary& summary) : file_(file), summary_(summary) {}

  HloModule Run() {
    std::size_t begin = 0;
    while (begin < file_.bytes.size()) {
      const std::size_t end = std::min(file_.bytes.find('\n', begin), file_.bytes.size());
      ++line_;
      ReadLine(Trimmed(file_.bytes.substr(begin, end - begin)));
      begin = end + 1;
    }
    if (is_inside_) {
      Refuse("the end of the file inside a computation", "its end (})");
    }
    if (!has_entry_) {
      throw InputError(file_.place + ": found no ENTRY computation, expected one");
    }
    return std::move(module_);
  }

 private:
  [[noreturn]] void Refuse(const std::string& found, const std::string& expected) const {
    throw InputError(file_.place + ":" + std::to_string(line_) + ": found " + found +
                     ", expected " + expected);
  }

  // Outside of computations stand the module's header and tables of file names: passed over.
  void ReadLine(std::string_view line) {
    if (is_inside_ && line.starts_with('}')) {
      is_inside_ = false;
    } else if (is_inside_ && !line.empty()) {
      ReadInstruction(line);
    } else if (!is_inside_ && line.ends_with('{') && !line.starts_with("HloModule")) {
      OpenComputation(line);
    }
  }

  void OpenComputation(std::string_view line) {
    const bool is_entry = line.starts_with("ENTRY ");
    if (is_entry) {
      line.remove_prefix(6);
    }
    const std::string_view name = WithoutPercent(line.substr(0, line.find_first_of(" (", 0)));
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
    names_ = {};  // clearing costs what the largest computation cost
    is_inside_ = true;
  }

  // [ROOT] %name = shape opcode(arguments), attributes
  void ReadInstruction(std::string_view line) {
    HloInstruction instruction;
    if (line.starts_with("ROOT ")) {
      instruction.is_root = true;
      line.remove_prefix(5);
    }
    const std::size_t equals = line.find(" = ");
    if (equals == std::string_view::npos || equals == 0) {
      Refuse(Quoted(line), "NAME = SHAPE OPCODE(…)");
    }
    instruction.name = WithoutPercent(line.substr(0, equals));
    std::string_view rest = line.substr(equals + 3);
    instruction.is_tuple = rest.starts_with('(');
    TakeShape(rest, 0, instruction);
    rest = Trimmed(rest);
    const std::size_t open = rest.find('(');
    const std::size_t close = open == std::string_view::npos ? open : FindClosing(rest, open);
    if (open == 0 || close == std::string_view::npos) {
      Refuse(Quoted(rest), "OPCODE(…)");
    }
    instruction.opcode = Trimmed(rest.substr(0, open));
    instruction.arguments = rest.substr(open + 1, close - open - 1);
    instruction.attributes = rest.substr(close + 1);
    if (instruction.opcode != "constant" && instruction.opcode != "parameter") {
      ReadOperands(instruction);
    }
    Keep(std::move(instruction));
  }

  void Keep(HloInstruction instruction) {
    num_tensors_ += instruction.outputs.size() + instruction.operands.size();
    if (num_tensors_ > kMostTensors || ++num_instructions_ > kMostImportedNodes) {
      Refuse("a module too large to read",
             "at most 1048576 instructions with 4194304 operands and results");
    }
    std::vector<HloInstruction>& all = module_.computations.back().instructions;
    if (!names_.try_emplace(instruction.name, all.size()).second) {
      Refuse("the instruction " + Quoted(instruction.name) + " again", "it once");
    }
    all.push_back(std::move(instruction));
  }

  void NeedRoom(const HloInstruction& instruction) const {
    if (instruction.outputs.size() + instruction.elements.size() + instruction.operands.size() >
        kMostTensors) {
      Refuse("an instruction with too many operands and results", "at most 4194304");
    }
  }

  // Takes "f32[2,3]{1,0}" or "(f32[2], s32[])" from the front of `text`.
  void TakeShape(std::string_view& text, std::size_t depth, HloInstruction& out) {
    SkipComments(text);
    if (!text.starts_with('(')) {
      TakeTensor(text, out);
      return;
    }
    if (depth == kDeepestTuple) {
      Refuse("tuples nested beyond 32 levels", "fewer");
    }
    text.remove_prefix(1);
    SkipComments(text);
    while (!text.starts_with(')')) {
      if (depth == 0) {
        NeedRoom(out);
        out.elements.push_back(out.outputs.size());
      }
      TakeShape(text, depth + 1, out);
      SkipComments(text);
      if (text.starts_with(',')) {
        text.remove_prefix(1);
        SkipComments(text);
      } else if (!text.starts_with(')')) {
        Refuse(Quoted(text), "the end of a tuple's shape");
      }
    }
    text.remove_prefix(1);
  }

  static void SkipComments(std::string_view& text) {
    text = text.substr(std::min(text.find_first_not_of(' '), text.size()));
    while (text.starts_with("/*")) {
      const std::size_t end = text.find("*/");
      text = end == std::string_view::npos ? std::string_view() : text.substr(end + 2);
      text = text.substr(std::min(text.find_first_not_of(' '), text.size()));
    }
  }

  void TakeTensor(std::string_view& text, HloInstruction& out) {
    const std::size_t open = text.find('[');
    const std::size_t close = open == std::string_view::npos ? open : text.find(']', open);
    if (open == 0 || close == std::string_view::npos) {
      Refuse(Quoted(text), "a shape like f32[2,3]");
    }
    const std::string_view name = text.substr(0, open);
    const bool has_no_elements = name == "token" || name == "opaque";
    const std::optional<sim::DType> dtype = DTypeNamed(name);
    if (!dtype.has_value() && !has_no_elements) {
      summary_.unknown.Add("element type without a name of ours, taken as \"other\"", name);
    }
    TensorType tensor{
        .shape = has_no_elements ? Shape{0} : IntegersOf(text.substr(open, close - open)),
        .dtype = dtype.value_or(sim::DType::kOther)};
    if (tensor.shape.size() > kLargestRank) {
      Refuse("a shape of more than 64 dimensions", "fewer");
    }
    for (const std::int64_t extent : tensor.shape) {
      if (extent < 0 || extent > kLargestExtent) {
        Refuse("the extent " + std::to_string(extent), "0 to 2147483648");
      }
    }
    try {
      static_cast<void>(BytesOf(tensor));
    } catch (const InputError&) {
      Refuse("a shape of more bytes than int64 holds", "a smaller one");
    }
    NeedRoom(out);
    out.outputs.push_back(std::move(tensor));
    text.remove_prefix(close + 1);
    if (text.starts_with('{')) {  // its layout
      const std::size_t end = FindClosing(text, 0);
      text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
  }

  // "f32[2]{0} %a, %b": each operand's last word is its name.
  void ReadOperands(HloInstruction& out) {
    const std::string_view text = out.arguments;
    std::size_t begin = 0;
    std::size_t depth = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (i == text.size() || (text[i] == ',' && depth == 0)) {
        AddOperand(Trimmed(text.substr(begin, i - begin)), out);
        begin = i + 1;
      } else if (Opens(text[i])) {
        ++depth;
      } else if (Closes(text[i]) && depth > 0) {
        --depth;
      }
    }
  }

  void AddOperand(std::string_view text, HloInstruction& out) const {
    const std::size_t blank = text.find_last_of(" /");
    const std::string_view name =
        WithoutPercent(blank == std::string_view::npos ? text : text.substr(blank + 1));
    if (name.empty()) {
      return;
    }
    const auto found = names_.find(name);
    if (found == names_.end()) {
      Refuse("the operand " + Quoted(name), "an instruction that stands before");
    }
    NeedRoom(out);
    out.operands.push_back(found->second);
  }

  const ImportFile& file_;
  ImportSummary& summary_;
  HloModule module_;
  std::unordered_map<std::string_view, std::size_t> names_;  // of the open computation
  std::size_t line_ = 0;
  std::size_t num_tensors_ = 0;
  std::size_t num_instructions_ = 0;
  bool is_inside_ = false;
  bool has_entry_ = false;
};

}  // namespace

HloModule ReadHloModule(const ImportFile& file, ImportSummary& summary) {
  return HloReader(file, summary).Run();
}

std::optional<std::string_view> FindAttribute(std::string_view attributes, std::string_view key) {
  for (std::size_t at = attributes.find(key); at != std::string_view::npos;
       at = attributes.find(key, at + 1)) {
    const std::size_t equals = at + key.size();
    const bool is_word = at == 0 || attributes[at - 1] == ' ' || attributes[at - 1] == '{' ||
                         attributes[at - 1] == ',';
    if (!is_word || equals >= attributes.size() || attributes[equals] != '=') {
      continue;
    }
    const std::string_view value = attributes.substr(equals + 1);
    if (value.starts_with('{')) {
      const std::size_t close = FindClosing(value, 0);
      return close == std::string_view::npos ? value : value.substr(0, close + 1);
    }
    return value.substr(0, value.find_first_of(" ,}"));
  }
  return std::nullopt;
}

std::vector<std::int64_t> IntegersOf(std::string_view text) {
  std::vector<std::int64_t> integers;
  const char* at = text.data();
  const char* end = text.data() + text.size();
  while (at != end && integers.size() < kMostIntegers) {
    const bool is_number = std::isdigit(static_cast<unsigned char>(*at)) != 0 || *at == '-';
    std::int64_t value = 0;
    const auto [stop, error] =
        is_number ? std::from_chars(at, end, value) : std::from_chars_result{at, std::errc()};
    if (stop == at) {
      ++at;
      continue;
    }
    integers.push_back(error == std::errc() ? value : -1);
    at = stop;
  }
  return integers;
}

}  // namespace opyard::graphs
