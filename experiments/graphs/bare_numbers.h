// Numbers that programs write into JSON although it has none such.
#pragma once

#include <string>

namespace opyard::experiments {

// Turns inf, nan and Infinity outside of strings, in whatever letters and with a sign or without,
// into strings of the same length, so that a JSON parser takes them for no number. All other
// characters stay, and so do their places.
void QuoteNonFiniteNumbers(std::string& text);

}  // namespace opyard::experiments
