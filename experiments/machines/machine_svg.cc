#include "experiments/machines/machine_svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <vector>

#include "experiments/machines/machine_layout.h"
#include "experiments/text/number_format.h"
#include "sim/base/options.h"

namespace opyard::experiments {
namespace {

struct KindColours {
  const char* fill;
  const char* stroke;
};
// By DeviceKind: gpu, cpu, tpu, other.
constexpr auto kKindColours = std::to_array<KindColours>({{"#dbe7f3", "#4c78a8"},
                                                          {"#fbe3cf", "#e0842e"},
                                                          {"#dcefd9", "#54a24b"},
                                                          {"#ece3f2", "#9c76b0"}});
constexpr KindColours kSwitchColours{"#f2f2f2", "#777777"};

constexpr auto kLinkColours = std::to_array<const char*>(
    {"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#8c564b", "#e377c2", "#17becf", "#bcbd22"});
constexpr std::size_t kMostLabels = 64;
constexpr double kTitleHeight = 44.0;
constexpr double kLegendRow = 18.0;

std::string EscapedXml(std::string_view text) {
  std::string escaped;
  for (const char letter : OneLine(text)) {
    escaped += letter == '&'   ? "&amp;"
               : letter == '<' ? "&lt;"
               : letter == '>' ? "&gt;"
               : letter == '"' ? "&quot;"
                               : std::string(1, letter);
  }
  return escaped;
}

// A pixel, to a tenth.
std::string Pixel(double value) {
  return Fixed(value, 1);
}

// Links of one bandwidth, latency and duplex.
struct LinkClass {
  double bandwidth_bytes_per_s = 0.0;
  SimTime latency;
  sim::Duplex duplex = sim::Duplex::kFull;
  std::size_t num_links = 0;
};

std::string GigabytesText(double bytes_per_s) {
  return ToText(std::round(bytes_per_s / 1e7) / 100.0);
}

struct Point {
  double x = 0.0;
  double y = 0.0;
};

// Draws one machine.
class MachineDrawing {
 public:
  explicit MachineDrawing(const sim::HardwareProfile& machine)
      : machine_(machine), layout_(LayOut(machine)) {
    ClassifyLinks();
  }

  std::string Svg() {
    const double width = std::max(layout_.width, kLeastWidth);
    const double height = kTitleHeight + layout_.height + LegendHeight();
    text_ =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + Pixel(width) + "\" height=\"" +
        Pixel(height) + "\" viewBox=\"0 0 " + Pixel(width) + " " + Pixel(height) +
        "\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    AddTitle();
    text_ += "<g transform=\"translate(0," + Pixel(kTitleHeight) + ")\">\n";
    AddFrames();
    AddLinks();
    AddNodes();
    text_ += labels_ + "</g>\n";
    AddLegend(kTitleHeight + layout_.height);
    return text_ + "</svg>\n";
  }

 private:
  static constexpr double kLeastWidth = 460.0;

  void ClassifyLinks() {
    for (const sim::Link& link : machine_.links) {
      const auto found = std::ranges::find_if(classes_, [&](const LinkClass& known) {
        return std::tuple(known.bandwidth_bytes_per_s, known.latency, known.duplex) ==
               std::tuple(link.bandwidth_bytes_per_s, link.latency, link.duplex);
      });
      class_of_.push_back(static_cast<std::size_t>(found - classes_.begin()));
      if (found == classes_.end()) {
        classes_.push_back({.bandwidth_bytes_per_s = link.bandwidth_bytes_per_s,
                            .latency = link.latency,
                            .duplex = link.duplex});
      }
      ++classes_[class_of_.back()].num_links;
    }
  }

  [[nodiscard]] double LegendHeight() const {
    return kLegendRow * static_cast<double>(classes_.size()) + 16.0;
  }

  void AddText(double x, double y, int size, const std::string& attributes, std::string_view text) {
    text_ += "<text x=\"" + Pixel(x) + "\" y=\"" + Pixel(y) + "\" font-size=\"" +
             std::to_string(size) + "\"" + attributes + ">" + EscapedXml(text) + "</text>\n";
  }

  void AddTitle() {
    constexpr double kLeft = 16.0;
    AddText(kLeft, 22, 15, " font-weight=\"bold\"", machine_.name);
    const auto counted = [](std::size_t count, const char* noun) {
      return Counted(static_cast<std::int64_t>(count), noun);
    };
    AddText(kLeft,
            38,
            11,
            " fill=\"#555555\"",
            counted(machine_.num_devices(), "device") + ", " +
                (machine_.switches.size() == 1
                     ? "1 switch"
                     : std::to_string(machine_.switches.size()) + " switches") +
                ", " + counted(machine_.links.size(), "link"));
  }

  void AddRectangle(const Placement2d& place, const KindColours& colours, double radius) {
    text_ += "<rect x=\"" + Pixel(place.x - place.width / 2) + "\" y=\"" +
             Pixel(place.y - place.height / 2) + "\" width=\"" + Pixel(place.width) +
             "\" height=\"" + Pixel(place.height) + "\" rx=\"" + Pixel(radius) + "\" fill=\"" +
             colours.fill + "\" stroke=\"" + colours.stroke + "\"/>\n";
  }

  void AddFrames() {
    for (const LayoutFrame& frame : layout_.frames) {
      AddRectangle(frame.place, {"#fafafa", "#bbbbbb"}, 6);
      AddText(frame.place.x - frame.place.width / 2 + 8,
              frame.place.y - frame.place.height / 2 + 15,
              11,
              " fill=\"#555555\"",
              frame.title);
    }
  }

  void AddNodes() {
    for (std::size_t i = 0; i < layout_.nodes.size(); ++i) {
      if (i < machine_.num_devices()) {
        AddDevice(machine_.devices[i], layout_.labels[i], layout_.nodes[i]);
      } else {
        AddSwitch(layout_.labels[i], layout_.nodes[i]);
      }
    }
  }

  void AddDevice(const sim::Device& device, const std::string& name, const Placement2d& place) {
    AddRectangle(place, kKindColours.at(static_cast<std::size_t>(device.kind)), 4);
    const std::string middle = " text-anchor=\"middle\"";
    AddText(place.x, place.y - 8, 11, middle + " font-weight=\"bold\"", name);
    AddText(place.x, place.y + 4, 9, middle, device.type);
    AddText(place.x, place.y + 16, 9, middle + " fill=\"#555555\"", BytesText(device.memory));
  }

  // A router beside its device is too small for its name.
  void AddSwitch(const std::string& name, const Placement2d& place) {
    AddRectangle(place, kSwitchColours, place.height / 2);
    if (place.width > 10.0) {
      AddText(place.x, place.y + 4, 10, " text-anchor=\"middle\"", name);
    }
  }

  void AddLinks() {
    std::size_t bus = machine_.num_devices() + machine_.switches.size();
    for (std::size_t i = 0; i < machine_.links.size(); ++i) {
      const sim::Link& link = machine_.links[i];
      if (link.between.size() == 2) {
        AddLine(i,
                layout_.nodes[static_cast<std::size_t>(link.between[0])],
                layout_.nodes[static_cast<std::size_t>(link.between[1])]);
        continue;
      }
      for (const sim::NodeIndex end : link.between) {
        AddLine(i, layout_.nodes[static_cast<std::size_t>(end)], layout_.nodes[bus]);
      }
      ++bus;
    }
  }

  // Straight; an arc below a row of devices; a bow past what stands between in a grid.
  void AddLine(std::size_t link, const Placement2d& from, const Placement2d& to) {
    const double dx = std::abs(to.x - from.x);
    const double dy = std::abs(to.y - from.y);
    const double pitch = layout_.device_pitch;
    if (dy < 1.0 && from.height > 20.0 && !layout_.is_grid) {
      const double depth = 16.0 + 13.0 * std::min(7.0, dx / pitch);
      AddCurve(link, {from.x, from.y + from.height / 2}, {to.x, to.y + to.height / 2}, {0, depth});
    } else if (dy < 1.0 && dx > 1.5 * pitch) {
      AddCurve(link, {from.x, from.y}, {to.x, to.y}, {0, 26});
    } else if (dx < 1.0 && dy > 1.5 * pitch) {
      AddCurve(link, {from.x, from.y}, {to.x, to.y}, {30, 0});
    } else {
      AddCurve(link, {from.x, from.y}, {to.x, to.y}, {0, 0});
    }
  }

  // A curve whose middle is `bow` off the straight line; the label stands at the middle.
  void AddCurve(std::size_t link, const Point& from, const Point& to, const Point& bow) {
    const LinkClass& kind = classes_[class_of_[link]];
    const Point middle{(from.x + to.x) / 2 + bow.x, (from.y + to.y) / 2 + bow.y};
    const Point control{middle.x + bow.x, middle.y + bow.y};
    text_ += "<path d=\"M" + Pixel(from.x) + " " + Pixel(from.y) + "Q" + Pixel(control.x) + " " +
             Pixel(control.y) + " " + Pixel(to.x) + " " + Pixel(to.y) +
             "\" fill=\"none\" stroke=\"" + ColourOf(class_of_[link]) + "\" stroke-width=\"" +
             Pixel(WidthOf(kind)) + "\"" + DashOf(kind) + "/>\n";
    if (machine_.links.size() <= kMostLabels) {
      AddLabel(link, from, control, to);
    }
  }

  // The label of a link stands on its curve, where neither a node nor another label is; it is left
  // out if there is no such place.
  void AddLabel(std::size_t link, const Point& from, const Point& control, const Point& to) {
    for (const double t : {0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8}) {
      const double u = 1.0 - t;
      const Point at{u * u * from.x + 2 * u * t * control.x + t * t * to.x,
                     u * u * from.y + 2 * u * t * control.y + t * t * to.y};
      if (IsFree(at)) {
        taken_.push_back(at);
        labels_ += LabelText(link, at);
        return;
      }
    }
  }

  [[nodiscard]] bool IsFree(const Point& at) const {
    constexpr double kHalfWidth = 14.0;
    constexpr double kHalfHeight = 6.0;
    const auto is_near = [&](double x, double y, double width, double height) {
      return std::abs(at.x - x) < kHalfWidth + width / 2 &&
             std::abs(at.y - y) < kHalfHeight + height / 2;
    };
    return std::ranges::none_of(layout_.nodes,
                                [&](const Placement2d& node) {
                                  return is_near(node.x, node.y, node.width, node.height);
                                }) &&
           std::ranges::none_of(taken_, [&](const Point& other) {
             return is_near(other.x, other.y, 2 * kHalfWidth, 2 * kHalfHeight);
           });
  }

  [[nodiscard]] std::string LabelText(std::size_t link, const Point& at) const {
    return "<text x=\"" + Pixel(at.x) + "\" y=\"" + Pixel(at.y + 3) +
           "\" font-size=\"9\" text-anchor=\"middle\" fill=\"" + ColourOf(class_of_[link]) +
           "\" stroke=\"white\" stroke-width=\"6\" paint-order=\"stroke\">" +
           GigabytesText(classes_[class_of_[link]].bandwidth_bytes_per_s) + "</text>\n";
  }

  static const char* ColourOf(std::size_t link_class) {
    return kLinkColours.at(link_class % kLinkColours.size());
  }

  // From 1 pixel at 1 GB/s and less to 4 at 1 TB/s.
  static double WidthOf(const LinkClass& kind) {
    return std::clamp(1.0 + std::log10(kind.bandwidth_bytes_per_s / 1e9), 1.0, 4.0);
  }

  static const char* DashOf(const LinkClass& kind) {
    return kind.duplex == sim::Duplex::kHalf ? " stroke-dasharray=\"6 3\"" : "";
  }

  void AddLegend(double top) {
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      const LinkClass& kind = classes_[i];
      const double y = top + kLegendRow * static_cast<double>(i) + 8.0;
      text_ += "<path d=\"M16 " + Pixel(y) + "H52\" stroke=\"" + ColourOf(i) +
               "\" stroke-width=\"" + Pixel(WidthOf(kind)) + "\"" + DashOf(kind) + "/>\n";
      AddText(60,
              y + 4,
              11,
              "",
              GigabytesText(kind.bandwidth_bytes_per_s) + " GB/s, " +
                  ToText(kind.latency.seconds() * 1e6) + " us" +
                  (kind.duplex == sim::Duplex::kHalf ? ", half duplex: " : ": ") +
                  Counted(static_cast<std::int64_t>(kind.num_links), "link"));
    }
  }

  const sim::HardwareProfile& machine_;
  MachineLayout layout_;
  std::vector<LinkClass> classes_;     // in the order of their first links
  std::vector<std::size_t> class_of_;  // of link i
  std::string text_;
  std::vector<Point> taken_;  // where labels stand
  std::string labels_;        // above all lines
};

}  // namespace

std::string MachineSvg(const sim::HardwareProfile& machine) {
  return MachineDrawing(machine).Svg();
}

}  // namespace opyard::experiments
