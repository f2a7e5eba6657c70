#include "graphs/importers/doppler/doppler.h"

#include <algorithm>
#include <optional>

#include "graphs/importers/common/whole_number.h"
#include "graphs/importers/doppler/number_line.h"
#include "sim/base/quote.h"
#include "sim/io/json/json_text.h"
#include "sim/io/text/text_file.h"

namespace opyard::graphs {
namespace {

constexpr std::size_t kMostDopplerEdges = std::size_t{1} << 22U;
constexpr double kLargestSize = 1e15;

// The units of the numbers in an op's line.
struct Units {
  double seconds_per_cost = 1e-12;
  double bytes_per_size = 1.0;
};

class DopplerReader {
 public:
  DopplerReader(const ImportFile& file, const Units& units)
      : file_(file), units_(units), lines_(file.bytes) {}

  std::vector<sim::OpSpec> Run() {
    num_nodes_ = ReadNumNodes();
    const std::vector<std::int64_t> inputs =
        ReadList("the ids of the inputs", {num_nodes_, "the nodes of line 1"});
    num_ops_ = std::max<std::int64_t>(num_nodes_ - static_cast<std::int64_t>(inputs.size()), 0);
    const Limit ops{num_ops_, "the nodes of line 1 less the inputs of line 2"};
    const std::vector<std::int64_t> sources = ReadList("the sources of the edges", ops);
    const std::vector<std::int64_t> targets = ReadList("the targets of the edges", ops);
    if (sources.size() != targets.size()) {
      diagnostics_.AddError(Place(),
                            "found " + std::to_string(targets.size()) +
                                " targets of edges, expected " + std::to_string(sources.size()) +
                                ", as many as there are sources in line 3");
    }
    diagnostics_.ThrowIfAny();
    ReadOps();
    diagnostics_.ThrowIfAny();
    for (std::size_t edge = 0; edge < sources.size(); ++edge) {
      ops_[static_cast<std::size_t>(targets[edge])].inputs.push_back({.op = sources[edge]});
    }
    return std::move(ops_);
  }

 private:
  std::int64_t ReadNumNodes() {
    static_cast<void>(lines_.NextLine());
    const auto count = ReadNumber(lines_.NextField(), "the number of nodes");
    if (count.has_value() && *count > static_cast<std::int64_t>(kMostImportedNodes)) {
      diagnostics_.AddError(Place(), "found more nodes than can be read, expected at most 1048576");
    }
    diagnostics_.ThrowIfAny();
    EndLine("the number of nodes alone on the first line");
    return *count;
  }

  // The number that all ids of a list are below, and its origin in the file.
  struct Limit {
    std::int64_t end = 0;
    std::string origin;
  };

  // The numbers of the next line.
  std::vector<std::int64_t> ReadList(const std::string& what, const Limit& limit) {
    if (!lines_.NextLine()) {
      diagnostics_.AddError(file_.place, "found the end of the file, expected a line with " + what);
      diagnostics_.ThrowIfAny();
    }
    std::vector<std::int64_t> numbers;
    while (const auto field = lines_.NextField()) {
      if (numbers.size() == kMostDopplerEdges) {
        throw InputError(Place() +
                         ": found more numbers than can be read, expected at most 4194304");
      }
      const auto number = ReadNumber(field, what);
      if (number.has_value() && *number >= limit.end) {
        diagnostics_.AddError(Place(),
                              "found " + std::to_string(*number) + ", expected " + what +
                                  ", each below " + std::to_string(limit.end) + ": " +
                                  limit.origin);
      }
      numbers.push_back(number.value_or(0));
    }
    return numbers;
  }

  void ReadOps() {
    while (lines_.NextLine()) {
      if (lines_.IsBlank()) {
        continue;
      }
      if (static_cast<std::int64_t>(ops_.size()) == num_ops_) {
        diagnostics_.AddError(Place(), "found one op more, expected " + CountText());
        return;
      }
      ReadOp();
    }
    if (static_cast<std::int64_t>(ops_.size()) != num_ops_) {
      diagnostics_.AddError(
          file_.place, "found " + std::to_string(ops_.size()) + " ops, expected " + CountText());
    }
  }

  [[nodiscard]] std::string CountText() const {
    return std::to_string(num_ops_) + ": the nodes of line 1 less the inputs of line 2";
  }

  void ReadOp() {
    sim::OpSpec op{.name = std::to_string(ops_.size()),
                   .type = "Task",
                   .fusion_class = sim::FusionClass::kOpaque};
    const double seconds = ReadAmount("the op's compute", kLargestSeconds, units_.seconds_per_cost);
    op.seconds.push_back({.where = "*", .seconds = seconds});
    const double bytes = ReadAmount("the op's transfer", kLargestSize, units_.bytes_per_size);
    op.outputs.push_back({.bytes = Bytes{static_cast<std::int64_t>(bytes)}});
    if (const auto kind = lines_.NextField(); kind.has_value() && !kind->empty()) {
      op.type = *kind;
    }
    EndLine("compute,transfer[,kind] of one op");
    ops_.push_back(std::move(op));
  }

  // A number of the line times `unit`, at most `most`.
  double ReadAmount(const std::string& what, double most, double unit) {
    const auto number = ReadNumber(lines_.NextField(), what);
    const double amount = static_cast<double>(number.value_or(0)) * unit;
    if (amount <= most) {
      return amount;
    }
    diagnostics_.AddError(Place(),
                          "found " + std::to_string(*number) + ", expected " + what + ", at most " +
                              sim::NumberText(most / unit));
    return 0;
  }

  std::optional<std::int64_t> ReadNumber(std::optional<std::string_view> field,
                                         const std::string& what) {
    const auto number = field.has_value() ? WholeNumber(*field) : std::nullopt;
    if (!number.has_value()) {
      diagnostics_.AddError(Place(),
                            "found " +
                                (field.has_value() ? Quoted(*field) : "the end of the line") +
                                ", expected " + what + ", a whole number from 0");
    }
    return number;
  }

  void EndLine(const std::string& expected) {
    if (const auto field = lines_.NextField(); field.has_value()) {
      diagnostics_.AddError(Place(), "found " + Quoted(*field) + " besides, expected " + expected);
    }
  }

  [[nodiscard]] std::string Place() const { return file_.place + ":" + lines_.Place(); }

  const ImportFile& file_;
  Units units_;
  NumberLines lines_;
  Diagnostics diagnostics_;
  std::vector<sim::OpSpec> ops_;
  std::int64_t num_nodes_ = 0;  // ops and inputs
  std::int64_t num_ops_ = 0;
};

}  // namespace

// A number alone, then lines of numbers, of which one has a comma: a task graph of STG has none.
bool DopplerImporter::Recognises(const ImportFile& file, std::string_view /*path*/) const {
  const std::string_view head = HeadOf(file);
  NumberLines lines(head);
  if (!lines.NextLine() || !WholeNumber(lines.NextField().value_or("")).has_value() ||
      lines.NextField().has_value()) {
    return false;
  }
  const std::string_view lists = head.substr(head.find('\n') + 1);
  std::size_t end = 0;  // of the three lists, or of the head
  for (int list = 0; list < 3 && end != std::string_view::npos; ++list) {
    end = lists.find('\n', list == 0 ? 0 : end + 1);
  }
  const std::string_view three = lists.substr(0, end);
  return three.find(',') != std::string_view::npos &&
         three.find_first_not_of("0123456789, \t\r\n") == std::string_view::npos;
}

ImportedGraph DopplerImporter::Import(const ImportFile& file, Options& options) const {
  sim::EnsureUtf8(file.bytes, file.place);
  const Units units{.seconds_per_cost = options.Double("seconds_per_cost", 1e-12, 1e-18, 1e6),
                    .bytes_per_size = options.Double("bytes_per_size", 1.0, 1e-6, 1e12)};
  ImportedGraph imported;
  sim::OpGraphBuilder builder(file.stem, "DOPPLER");
  for (sim::OpSpec& op : DopplerReader(file, units).Run()) {
    ++imported.summary.nodes_read;
    builder.AddOp(std::move(op));
  }
  imported.graph = builder.Build(file.place + ": imported graph");
  return imported;
}

}  // namespace opyard::graphs
