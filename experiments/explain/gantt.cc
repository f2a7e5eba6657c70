#include "experiments/explain/gantt.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "experiments/text/number_format.h"
#include "sim/analysis/transfer_tracks.h"

namespace opyard::experiments {
namespace {

constexpr std::size_t kMostChannels = 16;
constexpr std::size_t kWidestName = 24;
constexpr std::size_t kFewestCells = 10;

// From nothing to all of a slice.
constexpr std::array<const char*, 5> kUnicodeShades = {" ", "░", "▒", "▓", "█"};
constexpr std::array<const char*, 5> kAsciiShades = {" ", ".", ":", "+", "#"};

// SGR codes: by phase (unknown, forward, backward, update), of transfers, of waits.
constexpr std::array<const char*, 4> kPhaseColors = {"36", "34", "35", "33"};
constexpr const char* kTransferColor = "32";
constexpr const char* kWaitColor = "31";

// By PartKind.
constexpr std::string_view kPathLetters = "KTsqchtmdgrb";  // by PartKind
static_assert(kPathLetters.size() == sim::kNumPartKinds);

// The share of each slice that each of several classes of work takes.
class Cells {
 public:
  Cells(SimTime end, std::size_t num_cells, std::size_t num_classes)
      : end_ps_(end.picoseconds),
        num_cells_(static_cast<std::int64_t>(num_cells)),
        num_classes_(num_classes),
        taken_(num_cells * num_classes) {}

  void Add(SimTime start, SimTime finish, std::size_t work_class) {
    const std::int64_t until = std::min(finish.picoseconds, end_ps_);
    for (std::int64_t cell = CellAt(start.picoseconds); cell < num_cells_ && Boundary(cell) < until;
         ++cell) {
      const std::int64_t from = std::max(start.picoseconds, Boundary(cell));
      const std::int64_t to = std::min(until, Boundary(cell + 1));
      taken_[static_cast<std::size_t>(cell) * num_classes_ + work_class] += to - from;
    }
  }

  // Quarters of the cell's slice that are taken, rounded down; 0 only for nothing.
  [[nodiscard]] std::size_t Quarters(std::size_t cell) const {
    std::int64_t total = 0;
    for (std::size_t work_class = 0; work_class < num_classes_; ++work_class) {
      total += taken_[cell * num_classes_ + work_class];
    }
    const auto index = static_cast<std::int64_t>(cell);
    const double length = static_cast<double>(Boundary(index + 1) - Boundary(index));
    const double share = length > 0.0 ? static_cast<double>(total) / length : 0.0;
    return total == 0 ? 0 : std::clamp<std::size_t>(static_cast<std::size_t>(share * 4.0), 1, 4);
  }

  // The class that takes most of the cell, the first of equals.
  [[nodiscard]] std::size_t Dominant(std::size_t cell) const {
    const auto first = taken_.begin() + static_cast<std::ptrdiff_t>(cell * num_classes_);
    const auto most = std::max_element(first, first + static_cast<std::ptrdiff_t>(num_classes_));
    return static_cast<std::size_t>(most - first);
  }

  [[nodiscard]] std::size_t num_cells() const { return static_cast<std::size_t>(num_cells_); }

 private:
  // Where cell `index` begins: end · index / cells, without overflow.
  [[nodiscard]] std::int64_t Boundary(std::int64_t index) const {
    return end_ps_ / num_cells_ * index + end_ps_ % num_cells_ * index / num_cells_;
  }
  // A cell at or before `time_ps`, at most one too early.
  [[nodiscard]] std::int64_t CellAt(std::int64_t time_ps) const {
    const double share =
        end_ps_ > 0 ? static_cast<double>(time_ps) / static_cast<double>(end_ps_) : 0.0;
    const auto near = static_cast<std::int64_t>(share * static_cast<double>(num_cells_));
    return std::max<std::int64_t>(near - 1, 0);
  }

  std::int64_t end_ps_;
  std::int64_t num_cells_;
  std::size_t num_classes_;
  std::vector<std::int64_t> taken_;  // [cells, classes] row-major, picoseconds
};

// `name` in exactly `columns` columns.
std::string Padded(const std::string& name, std::size_t columns) {
  std::string text = name;
  while (ColumnsOf(text) > columns) {
    const auto is_inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
    while (text.size() > 1 && is_inside(text.back())) {
      text.pop_back();
    }
    text.pop_back();
  }
  return text + std::string(columns - ColumnsOf(text), ' ');
}

class Painter {
 public:
  Painter(const sim::SimulatedStep& step, const sim::Timeline& timeline, const Terminal& terminal)
      : step_(step), t_(timeline), terminal_(terminal) {}

  std::string Paint(std::span<const sim::CriticalPart> path) {
    const std::vector<std::string> channels = BusiestRows();
    const std::vector<std::string> all = RowNames(channels);
    name_columns_ = 4;  // "path"
    for (const std::string& name : all) {
      name_columns_ = std::max(name_columns_, ColumnsOf(name));
    }
    name_columns_ = std::min({name_columns_, kWidestName, terminal_.columns / 2});
    const std::size_t frame = name_columns_ + 3;  // a space, two bars
    num_cells_ = std::max(terminal_.columns, frame + kFewestCells) - frame;
    std::string text;
    for (std::size_t d = 0; d < step_.hardware.num_devices(); ++d) {
      text += DeviceRow(DeviceId(d));
    }
    for (const std::string& row : channels) {
      text += ChannelRow(row);
    }
    if (!path.empty()) {
      text += PathRow(path);
    }
    return text + Axis() + Legend(!path.empty());
  }

 private:
  // The rows of transfers: the busiest, by name.
  std::vector<std::string> BusiestRows() {
    tracks_ = sim::LayOutTransfers(step_, t_);
    std::map<std::string, SimTime> busy;
    for (std::size_t i = 0; i < t_.num_transfers(); ++i) {
      for (const std::int32_t track : tracks_.of(i)) {
        busy[tracks_.tracks[static_cast<std::size_t>(track)].row] +=
            t_.transfers[i].run.finish - t_.transfers[i].run.start;
      }
    }
    std::vector<std::string> rows;
    for (const auto& [row, time] : busy) {
      rows.push_back(row);
    }
    std::ranges::stable_sort(
        rows, std::ranges::greater(), [&](const auto& row) { return busy.at(row); });
    num_hidden_ = rows.size() - std::min(rows.size(), kMostChannels);
    rows.resize(rows.size() - num_hidden_);
    std::ranges::sort(rows);
    return rows;
  }

  [[nodiscard]] std::vector<std::string> RowNames(const std::vector<std::string>& channels) const {
    std::vector<std::string> names;
    for (const sim::Device& device : step_.hardware.devices) {
      names.push_back(OneLine(device.name));
    }
    std::ranges::transform(channels, std::back_inserter(names), OneLine);
    return names;
  }

  [[nodiscard]] std::string DeviceRow(DeviceId device) const {
    Cells cells(t_.end, num_cells_, kPhaseColors.size());
    for (std::size_t k = 0; k < t_.num_kernels(); ++k) {
      const sim::KernelRecord& kernel = t_.kernels[k];
      if (kernel.device == device && kernel.run.has_value()) {
        const sim::Phase phase = step_.graph.op(t_.ops(k).front()).phase;
        cells.Add(kernel.run->start, kernel.run->finish, static_cast<std::size_t>(phase));
      }
    }
    return Row(step_.hardware.devices[device.index()].name, [&](std::size_t cell) {
      return Colored(Shade(cells.Quarters(cell)), kPhaseColors[cells.Dominant(cell)]);
    });
  }

  [[nodiscard]] std::string ChannelRow(const std::string& row) const {
    Cells cells(t_.end, num_cells_, 1);
    for (std::size_t i = 0; i < t_.num_transfers(); ++i) {
      for (const std::int32_t track : tracks_.of(i)) {
        if (tracks_.tracks[static_cast<std::size_t>(track)].row == row) {
          cells.Add(t_.transfers[i].run.start, t_.transfers[i].run.finish, 0);
        }
      }
    }
    return Row(row, [&](std::size_t cell) {
      return Colored(Shade(cells.Quarters(cell)), kTransferColor);
    });
  }

  [[nodiscard]] std::string PathRow(std::span<const sim::CriticalPart> path) const {
    Cells cells(t_.end, num_cells_, sim::kNumPartKinds);
    for (const sim::CriticalPart& part : path) {
      cells.Add(part.start, part.finish, static_cast<std::size_t>(part.kind));
    }
    return Row("path", [&](std::size_t cell) {
      const std::size_t kind = cells.Dominant(cell);
      const std::string letter =
          cells.Quarters(cell) == 0 ? " " : std::string(1, kPathLetters[kind]);
      const bool is_wait = kind > static_cast<std::size_t>(sim::PartKind::kSignal);
      return is_wait ? Colored(letter, kWaitColor) : letter;
    });
  }

  template <class Cell>
  [[nodiscard]] std::string Row(const std::string& name, const Cell& cell) const {
    std::string text = Padded(OneLine(name), name_columns_) + " |";
    for (std::size_t i = 0; i < num_cells_; ++i) {
      text += cell(i);
    }
    return text + "|\n";
  }

  [[nodiscard]] const char* Shade(std::size_t quarters) const {
    return (terminal_.has_unicode ? kUnicodeShades : kAsciiShades)[quarters];
  }

  [[nodiscard]] std::string Colored(const std::string& text, const char* color) const {
    return !terminal_.has_color || text == " "
               ? text
               : "\x1b[" + std::string(color) + "m" + text + "\x1b[0m";
  }

  // From 0 to the makespan, below the cells.
  [[nodiscard]] std::string Axis() const {
    const std::string end = TimeText(t_.end);
    const std::size_t columns = num_cells_ - std::min(num_cells_, end.size() + 1);
    return std::string(name_columns_ + 2, ' ') + "0" + std::string(columns, ' ') + end + "\n";
  }

  [[nodiscard]] std::string Legend(bool has_path) const {
    std::vector<std::string> words = {std::string("busy ") + Shade(1) + " some, " + Shade(2) +
                                      " half, " + Shade(3) + " most, " + Shade(4) +
                                      " all of a column"};
    if (terminal_.has_color) {
      words.push_back(
          Colored("forward", kPhaseColors[1]) + " " + Colored("backward", kPhaseColors[2]) + " " +
          Colored("update", kPhaseColors[3]) + " " + Colored("transfer", kTransferColor));
    }
    if (has_path) {
      words.emplace_back("path: K kernel, T transfer, s signal");
      words.emplace_back(
          "waits: q queue, c channel, h stream head, t channel turn, m memory, b memory bandwidth, "
          "d dispatch, g gap, r release");
    }
    if (num_hidden_ > 0) {
      words.push_back(std::to_string(num_hidden_) + " less busy channels are not shown");
    }
    std::string text;
    for (const std::string& line : words) {
      text += line + "\n";
    }
    return text;
  }

  const sim::SimulatedStep& step_;
  const sim::Timeline& t_;
  const Terminal& terminal_;
  sim::TransferTracks tracks_;
  std::size_t num_hidden_ = 0;  // channels
  std::size_t name_columns_ = 0;
  std::size_t num_cells_ = 0;
};

}  // namespace

std::string GanttText(const sim::SimulatedStep& step,
                      const sim::Timeline& timeline,
                      std::span<const sim::CriticalPart> path,
                      const Terminal& terminal) {
  return Painter(step, timeline, terminal).Paint(path);
}

}  // namespace opyard::experiments
