#include "graphs/importers/stg/stg.h"

#include <algorithm>
#include <optional>

#include "graphs/importers/common/whole_number.h"
#include "sim/base/quote.h"
#include "sim/io/text/text_file.h"

namespace opyard::graphs {
namespace {

constexpr std::int64_t kNumDummies = 2;
constexpr std::size_t kMostEdges = std::size_t{1} << 23U;
constexpr std::string_view kBlanks = " \t\r";

// Goes through the lines that hold anything but a comment.
class StgLines {
 public:
  explicit StgLines(std::string_view text) : rest_(text) {}

  // False at the end.
  bool Next() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      const std::string_view whole = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      line_ = whole.substr(0, whole.find('#'));
      at_ = 0;
      if (line_.find_first_not_of(kBlanks) != std::string_view::npos) {
        return true;
      }
    }
    return false;
  }

  // The next word of this line; empty at its end.
  std::string_view NextWord() {
    const std::size_t begin = std::min(line_.find_first_not_of(kBlanks, at_), line_.size());
    at_ = std::min(line_.find_first_of(kBlanks, begin), line_.size());
    column_ = begin + 1;
    return line_.substr(begin, at_ - begin);
  }

  // "LINE:COLUMN" of the last word, or of the line's end.
  [[nodiscard]] std::string Place() const {
    return std::to_string(number_) + ":" + std::to_string(column_);
  }

 private:
  std::string_view rest_;
  std::string_view line_;
  std::size_t number_ = 0;  // from 1
  std::size_t at_ = 0;
  std::size_t column_ = 1;
};

class StgReader {
 public:
  StgReader(const ImportFile& file, double seconds_per_cost)
      : file_(file), seconds_per_cost_(seconds_per_cost), lines_(file.bytes) {}

  std::vector<sim::OpSpec> Run() {
    num_tasks_ = ReadNumTasks();
    while (lines_.Next()) {
      if (ops_.size() == kMostImportedNodes) {
        throw InputError(Place() + ": found more tasks than can be read, expected at most 1048576");
      }
      ReadTask();
    }
    CheckCount();
    diagnostics_.ThrowIfAny();
    return std::move(ops_);
  }

 private:
  std::int64_t ReadNumTasks() {
    static_cast<void>(lines_.Next());
    const auto count = ReadNumber("the number of tasks");
    if (count.has_value() && *count > static_cast<std::int64_t>(kMostImportedNodes)) {
      diagnostics_.AddError(Place(), "found more tasks than can be read, expected at most 1048576");
    }
    diagnostics_.ThrowIfAny();
    EndLine("the number of tasks alone on the first line");
    return *count;
  }

  void ReadTask() {
    const auto id = ReadNumber("the task's number");
    const auto next = static_cast<std::int64_t>(ops_.size());
    if (id.has_value() && *id != next) {
      diagnostics_.AddError(Place(),
                            "found the task " + std::to_string(*id) + ", expected " +
                                std::to_string(next) + ": tasks are numbered from 0, in order");
    }
    sim::OpSpec op{.name = std::to_string(next), .type = "Task"};
    ReadTime(op);
    ReadPredecessors(op);
    ops_.push_back(std::move(op));
  }

  void ReadTime(sim::OpSpec& op) {
    const auto time = ReadNumber("the task's time");
    const double seconds = static_cast<double>(time.value_or(0)) * seconds_per_cost_;
    if (FitsInSimTime(seconds)) {
      op.seconds.push_back({.where = "*", .seconds = seconds});
    } else {
      diagnostics_.AddError(
          Place(), "found the time " + std::to_string(*time) + ", expected 0 to 4.6e6 seconds");
    }
  }

  void ReadPredecessors(sim::OpSpec& op) {
    const auto count = ReadNumber("the number of predecessors");
    for (std::int64_t i = 0; i < count.value_or(0); ++i) {
      const auto predecessor =
          ReadNumber("predecessor " + std::to_string(i + 1) + " of " + std::to_string(*count));
      if (!predecessor.has_value()) {
        return;  // the count may be anything
      }
      AddPredecessor(*predecessor, op);
    }
    if (count.has_value()) {
      EndLine(std::to_string(*count) + " predecessors, as the line says");
    }
  }

  void AddPredecessor(std::int64_t predecessor, sim::OpSpec& op) {
    if (++num_edges_ > kMostEdges) {
      throw InputError(Place() +
                       ": found more predecessors than can be read, expected at most 8388608");
    }
    if (predecessor >= num_tasks_ + kNumDummies) {
      diagnostics_.AddError(
          Place(),
          "found the predecessor " + std::to_string(predecessor) + ", expected a task of the file");
      return;
    }
    op.control_inputs.push_back(predecessor);
  }

  std::optional<std::int64_t> ReadNumber(const std::string& what) {
    const std::string_view word = lines_.NextWord();
    const auto number = WholeNumber(word);
    if (!number.has_value()) {
      diagnostics_.AddError(Place(),
                            "found " + (word.empty() ? "the end of the line" : Quoted(word)) +
                                ", expected " + what + ", a whole number from 0");
    }
    return number;
  }

  void EndLine(const std::string& expected) {
    const std::string_view word = lines_.NextWord();
    if (!word.empty()) {
      diagnostics_.AddError(Place(), "found " + Quoted(word) + " besides, expected " + expected);
    }
  }

  void CheckCount() {
    const auto found = static_cast<std::int64_t>(ops_.size());
    if (found != num_tasks_ && found != num_tasks_ + kNumDummies) {
      diagnostics_.AddError(file_.place,
                            "found " + std::to_string(found) + " tasks, expected " +
                                std::to_string(num_tasks_) +
                                " or two dummies more, as the first line says");
    }
  }

  [[nodiscard]] std::string Place() const { return file_.place + ":" + lines_.Place(); }

  const ImportFile& file_;
  double seconds_per_cost_;
  StgLines lines_;
  Diagnostics diagnostics_;
  std::vector<sim::OpSpec> ops_;
  std::int64_t num_tasks_ = 0;  // as the first line says
  std::size_t num_edges_ = 0;
};

// The first line has one number, the second that of a task, which has the number 0.
bool LooksLikeTasks(std::string_view head) {
  StgLines lines(head);
  if (!lines.Next() || !WholeNumber(lines.NextWord()).has_value() || !lines.NextWord().empty()) {
    return false;
  }
  return lines.Next() && WholeNumber(lines.NextWord()) == 0 &&
         WholeNumber(lines.NextWord()).has_value() && WholeNumber(lines.NextWord()).has_value();
}

}  // namespace

bool StgImporter::Recognises(const ImportFile& file, std::string_view path) const {
  return path.ends_with(".stg") || path.ends_with(".stg.gz") || LooksLikeTasks(HeadOf(file));
}

ImportedGraph StgImporter::Import(const ImportFile& file, Options& options) const {
  sim::EnsureUtf8(file.bytes, file.place);
  const double seconds_per_cost = options.Double("seconds_per_cost", 1e-3, 1e-15, 1e6);
  ImportedGraph imported;
  sim::OpGraphBuilder builder(file.stem, "Standard Task Graph Set");
  for (sim::OpSpec& op : StgReader(file, seconds_per_cost).Run()) {
    ++imported.summary.nodes_read;
    builder.AddOp(std::move(op));
  }
  imported.graph = builder.Build(file.place + ": imported graph");
  return imported;
}

}  // namespace opyard::graphs
