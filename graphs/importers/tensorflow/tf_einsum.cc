#include "graphs/importers/tensorflow/tf_einsum.h"

#include <algorithm>
#include <map>
#include <vector>

namespace opyard::graphs {
namespace {

// A letter, or for axes of an ellipsis their place from the end, beyond all letters.
using Label = int;
constexpr Label kEllipsis = 256;
constexpr std::string_view kDots = "...";

using Labels = std::vector<Label>;
using Extents = std::map<Label, std::int64_t>;

// Blanks are dropped. Nothing where the letters and `rank` axes do not fit; without a rank, the
// ellipsis stands for `num_dotted` axes.
std::optional<Labels> LabelsOf(std::string_view text,
                               std::optional<std::size_t> rank,
                               std::size_t num_dotted) {
  const std::size_t dots = text.find(kDots);
  std::size_t num_letters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    num_letters += text[i] != ' ' && text[i] != '.' ? 1 : 0;
  }
  const bool has_dots = dots != std::string_view::npos;
  if (rank.has_value() && (num_letters > *rank || (!has_dots && num_letters != *rank))) {
    return std::nullopt;
  }
  const std::size_t stands_for = rank.has_value() ? *rank - num_letters : num_dotted;
  Labels labels;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (has_dots && i == dots) {
      for (std::size_t axis = stands_for; axis > 0; --axis) {
        labels.push_back(kEllipsis + static_cast<Label>(axis));
      }
      i += kDots.size() - 1;
    } else if (text[i] == '.') {
      return std::nullopt;
    } else if (text[i] != ' ') {
      labels.push_back(static_cast<unsigned char>(text[i]));
    }
  }
  return labels;
}

// Adds the extents of one tensor; false where a label has two of them.
bool Add(const Labels& labels, const Shape& shape, Extents& extents) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::int64_t& extent = extents.try_emplace(labels[i], shape[i]).first->second;
    const bool broadcasts = labels[i] >= kEllipsis && (extent == 1 || shape[i] == 1);
    if (extent != shape[i] && !broadcasts) {
      return false;
    }
    extent = std::max(extent, shape[i]);
  }
  return true;
}

bool Has(const Labels& labels, Label label) {
  return std::ranges::find(labels, label) != labels.end();
}

// The work of an einsum of two tensors.
OpWork ProductWork(const std::vector<Labels>& tensors,
                   const Labels& result,
                   const Extents& extents,
                   std::span<const Shape> shapes) {
  double m = 1.0;
  double n = 1.0;
  double k = 1.0;
  double batch = 1.0;
  double summed = 0.0;
  for (const auto& [label, size] : extents) {
    const auto extent = static_cast<double>(size);
    const bool is_left = Has(tensors[0], label);
    const bool is_right = Has(tensors[1], label);
    if (is_left && is_right) {
      (Has(result, label) ? batch : k) *= extent;
    } else if (Has(result, label)) {
      (is_left ? m : n) *= extent;
    } else {
      summed += Elements(shapes[is_left ? 0 : 1]);
    }
  }
  return Plus(GemmWork(m, n, k, batch), summed);
}

}  // namespace

std::optional<TfEinsum> ParseEinsum(std::string_view equation, std::span<const Shape> shapes) {
  const std::size_t arrow = equation.find("->");
  if (arrow == std::string_view::npos || shapes.empty() || shapes.size() > 2) {
    return std::nullopt;
  }
  std::string_view rest = equation.substr(0, arrow);
  std::vector<Labels> tensors;
  Extents extents;
  std::size_t num_dotted = 0;
  for (const Shape& shape : shapes) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto labels = LabelsOf(rest.substr(0, comma), shape.size(), 0);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (!labels.has_value() || !Add(*labels, shape, extents)) {
      return std::nullopt;
    }
    const auto dotted = std::ranges::count_if(*labels, [](Label l) { return l >= kEllipsis; });
    num_dotted = std::max(num_dotted, static_cast<std::size_t>(dotted));
    tensors.push_back(*labels);
  }
  const auto result = LabelsOf(equation.substr(arrow + 2), std::nullopt, num_dotted);
  const bool takes_all = std::ranges::count(equation.substr(0, arrow), ',') + 1 ==
                         static_cast<std::ptrdiff_t>(shapes.size());
  if (!result.has_value() || !takes_all) {
    return std::nullopt;
  }
  TfEinsum sum;
  for (const Label label : *result) {
    if (!extents.contains(label)) {
      return std::nullopt;
    }
    sum.result.push_back(extents.at(label));
  }
  if (shapes.size() == 2) {
    sum.work = ProductWork(tensors, *result, extents, shapes);
  } else if (Elements(sum.result) < Elements(shapes[0])) {
    sum.work.flops = Flops{Elements(shapes[0])};
  }
  return sum;
}

}  // namespace opyard::graphs
