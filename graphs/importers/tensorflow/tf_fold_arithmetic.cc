#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "graphs/importers/tensorflow/tf_fold_rules.h"

namespace opyard::graphs {
namespace {

struct Binary {
  std::string_view type;
  TfBinary of_reals;
  TfBinary of_integers;
};

double FloorQuotient(double a, double b) {
  return std::floor(a / b);
}
double TruncatedQuotient(double a, double b) {
  return std::trunc(a / b);
}
double FloorRemainder(double a, double b) {
  return a - std::floor(a / b) * b;
}
double TruncatedRemainder(double a, double b) {
  return std::fmod(a, b);
}
double Quotient(double a, double b) {
  return a / b;
}
double Sum(double a, double b) {
  return a + b;
}
double Difference(double a, double b) {
  return a - b;
}
double Product(double a, double b) {
  return a * b;
}
double Power(double a, double b) {
  return std::pow(a, b);
}
double Greatest(double a, double b) {
  return std::max(a, b);
}
double Least(double a, double b) {
  return std::min(a, b);
}
double IsEqual(double a, double b) {
  return a == b ? 1.0 : 0.0;
}
double IsNotEqual(double a, double b) {
  return a != b ? 1.0 : 0.0;
}
double IsLess(double a, double b) {
  return a < b ? 1.0 : 0.0;
}
double IsLessOrEqual(double a, double b) {
  return a <= b ? 1.0 : 0.0;
}
double IsGreater(double a, double b) {
  return a > b ? 1.0 : 0.0;
}
double IsGreaterOrEqual(double a, double b) {
  return a >= b ? 1.0 : 0.0;
}
double Both(double a, double b) {
  return a != 0.0 && b != 0.0 ? 1.0 : 0.0;
}
double Either(double a, double b) {
  return a != 0.0 || b != 0.0 ? 1.0 : 0.0;
}

constexpr auto kBinaries = std::to_array<Binary>({
    {"Add", Sum, Sum},
    {"AddV2", Sum, Sum},
    {"Div", Quotient, TruncatedQuotient},
    {"Equal", IsEqual, IsEqual},
    {"FloorDiv", FloorQuotient, FloorQuotient},
    {"FloorMod", FloorRemainder, FloorRemainder},
    {"Greater", IsGreater, IsGreater},
    {"GreaterEqual", IsGreaterOrEqual, IsGreaterOrEqual},
    {"Less", IsLess, IsLess},
    {"LessEqual", IsLessOrEqual, IsLessOrEqual},
    {"LogicalAnd", Both, Both},
    {"LogicalOr", Either, Either},
    {"Maximum", Greatest, Greatest},
    {"Minimum", Least, Least},
    {"Mod", TruncatedRemainder, TruncatedRemainder},
    {"Mul", Product, Product},
    {"NotEqual", IsNotEqual, IsNotEqual},
    {"Pow", Power, Power},
    {"RealDiv", Quotient, TruncatedQuotient},
    {"Sub", Difference, Difference},
    {"TruncateDiv", TruncatedQuotient, TruncatedQuotient},
    {"TruncateMod", TruncatedRemainder, TruncatedRemainder},
});
static_assert(std::ranges::is_sorted(kBinaries, {}, &Binary::type));

struct Unary {
  std::string_view type;
  TfUnary apply;
};

constexpr auto kUnaries = std::to_array<Unary>({
    {"Abs", [](double a) { return std::abs(a); }},
    {"Ceil", [](double a) { return std::ceil(a); }},
    {"Floor", [](double a) { return std::floor(a); }},
    {"LogicalNot", [](double a) { return a == 0.0 ? 1.0 : 0.0; }},
    {"Neg", [](double a) { return -a; }},
    {"OnesLike", [](double /*a*/) { return 1.0; }},
    {"Rint", [](double a) { return std::nearbyint(a); }},
    {"Round", [](double a) { return std::nearbyint(a); }},
    {"Sqrt", [](double a) { return std::sqrt(a); }},
    {"Square", [](double a) { return a * a; }},
    {"ZerosLike", [](double /*a*/) { return 0.0; }},
});
static_assert(std::ranges::is_sorted(kUnaries, {}, &Unary::type));

// Where element `index` of a result of shape `to` stands in a tensor of shape `from`, which
// broadcasts to it.
std::size_t BroadcastIndex(std::size_t index, const Shape& to, const Shape& from) {
  std::size_t place = 0;
  std::size_t step = 1;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto extent = static_cast<std::size_t>(to[to.size() - 1 - i]);
    const auto own = static_cast<std::size_t>(from[from.size() - 1 - i]);
    place += own == 1 ? 0 : (index % extent) * step;
    step *= own;
    index /= extent;
  }
  return place;
}

bool Broadcasts(const Shape* from, const Shape& to) {
  if (from == nullptr || from->size() > to.size()) {
    return false;
  }
  for (std::size_t i = 0; i < from->size(); ++i) {
    const std::int64_t own = (*from)[from->size() - 1 - i];
    if (own != 1 && own != to[to.size() - 1 - i]) {
      return false;
    }
  }
  return true;
}

std::size_t CountOf(const Shape& shape) {
  return std::accumulate(
      shape.begin(), shape.end(), std::size_t{1}, [](std::size_t a, std::int64_t b) {
        return a * static_cast<std::size_t>(b);
      });
}

double Identity(std::string_view type) {
  return type == "Prod" || type == "All" ? 1.0 : 0.0;
}

double Combine(std::string_view type, double a, double b) {
  if (type == "Prod") {
    return a * b;
  }
  if (type == "Max") {
    return std::max(a, b);
  }
  if (type == "Min") {
    return std::min(a, b);
  }
  if (type == "All") {
    return Both(a, b);
  }
  return type == "Any" ? Either(a, b) : a + b;
}

}  // namespace

TfBinary FindTfBinary(std::string_view type, bool is_integer) {
  const auto found = std::ranges::lower_bound(kBinaries, type, {}, &Binary::type);
  if (found == kBinaries.end() || found->type != type) {
    return nullptr;
  }
  return is_integer ? found->of_integers : found->of_reals;
}

TfUnary FindTfUnary(std::string_view type) {
  const auto found = std::ranges::lower_bound(kUnaries, type, {}, &Unary::type);
  return found != kUnaries.end() && found->type == type ? found->apply : nullptr;
}

// A false side decides a conjunction, and a true one a disjunction, whatever the other side is.
TfElements FoldBinary(const TfOp& op, const Shape& shape, TfBinary binary) {
  const std::vector<double>* left = op.ConstantOf(0);
  const std::vector<double>* right = op.ConstantOf(1);
  if ((op.type == "LogicalAnd" || op.type == "LogicalOr") && shape.empty()) {
    const double deciding = op.type == "LogicalOr" ? 1.0 : 0.0;
    for (const std::vector<double>* side : {left, right}) {
      if (side != nullptr && side->size() == 1 && (*side)[0] == deciding) {
        return std::vector<double>{deciding};
      }
    }
  }
  if (left == nullptr || right == nullptr || !Broadcasts(op.ShapeOf(0), shape) ||
      !Broadcasts(op.ShapeOf(1), shape)) {
    return std::nullopt;
  }
  std::vector<double> elements(CountOf(shape));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i] = binary((*left)[BroadcastIndex(i, shape, *op.ShapeOf(0))],
                         (*right)[BroadcastIndex(i, shape, *op.ShapeOf(1))]);
  }
  return elements;
}

// condition, then, else.
TfElements FoldSelect(const TfOp& op, const Shape& shape) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (op.ConstantOf(i) == nullptr || !Broadcasts(op.ShapeOf(i), shape)) {
      return std::nullopt;
    }
  }
  std::vector<double> elements(CountOf(shape));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const bool is_set = (*op.ConstantOf(0))[BroadcastIndex(i, shape, *op.ShapeOf(0))] != 0.0;
    const std::size_t side = is_set ? 1 : 2;
    elements[i] = (*op.ConstantOf(side))[BroadcastIndex(i, shape, *op.ShapeOf(side))];
  }
  return elements;
}

// The reduction of a whole list, or along no axis.
TfElements FoldReduction(const TfOp& op, const Shape& shape) {
  const std::vector<double>* from = op.ConstantOf(0);
  const std::vector<double>* axes = op.ConstantOf(1);
  if (from == nullptr || axes == nullptr || op.ShapeOf(0) == nullptr) {
    return std::nullopt;
  }
  if (axes->empty() || op.ShapeOf(0)->empty()) {
    return *from;
  }
  if (CountOf(shape) != 1) {
    return std::nullopt;
  }
  const bool is_extreme = op.type == "Max" || op.type == "Min";
  if (from->empty() && (is_extreme || op.type == "Mean")) {
    return std::nullopt;
  }
  double result = is_extreme ? from->front() : Identity(op.type);
  for (const double element : *from) {
    result = Combine(op.type, result, element);
  }
  return std::vector<double>{op.type == "Mean" ? result / static_cast<double>(from->size())
                                               : result};
}

}  // namespace opyard::graphs
