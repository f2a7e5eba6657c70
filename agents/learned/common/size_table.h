// The sizes of a network in the configuration of a checkpoint: one table writes and reads them.
//
//   SizeTable<Sizes>({{.name = "faithful", .field = FlagField(&Sizes::faithful)},
//                     {.name = "hidden", .field = CountField(&Sizes::hidden)}})
//
// Rows are read in their order, and the first one that does not fit throws. Tables are values, made
// when they are asked for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/learned/common/checkpoint.h"

namespace opyard::agents {

// One entry of the configuration of a checkpoint, which may be missing. A view: it stores
// references.
class ConfigEntry {
 public:
  // The entry `name` of `checkpoint`, which was read from `path`.
  ConfigEntry(const Checkpoint& checkpoint,
              const std::string& name,
              const std::filesystem::path& path)
      : checkpoint_(checkpoint), name_(name), path_(path) {}

  [[nodiscard]] bool exists() const { return checkpoint_.config.contains(name_); }
  // TextOf, NumberOf and SizeOf (checkpoint.h), with their errors.
  [[nodiscard]] const std::string& Text() const { return TextOf(checkpoint_, name_, path_); }
  [[nodiscard]] double Number() const { return NumberOf(checkpoint_, name_, path_); }
  [[nodiscard]] std::int64_t Size() const { return SizeOf(checkpoint_, name_, path_); }
  // A number in [least, most]. Throws InputError if it is none.
  [[nodiscard]] double NumberIn(double least, double most, const std::string& range) const;
  [[nodiscard]] std::int64_t SizeIn(std::int64_t least, std::int64_t most) const;
  // A size below `end`. Throws InputError if it is none.
  [[nodiscard]] std::int64_t SizeBelow(std::int64_t end) const;

 private:
  [[noreturn]] void Refuse(const std::string& found, const std::string& expected) const;

  const Checkpoint& checkpoint_;
  const std::string& name_;
  const std::filesystem::path& path_;
};

// The writer and the reader of one of the sizes.
template <class Sizes>
struct SizeField {
  // Nothing where the configuration is to have no such entry.
  std::function<std::optional<std::string>(const Sizes& sizes)> text;
  // Sets the size. Null: it is not read. Throws InputError where the entry does not fit.
  std::function<void(const ConfigEntry& entry, Sizes& sizes)> read;
};

// A whole number that sizes a network.
template <class Sizes>
[[nodiscard]] SizeField<Sizes> CountField(std::int64_t Sizes::*member) {
  return {
      .text = [member](const Sizes& sizes) { return std::to_string(sizes.*member); },
      .read = [member](const ConfigEntry& entry, Sizes& sizes) { sizes.*member = entry.Size(); }};
}
// The same in [least, most].
template <class Sizes>
[[nodiscard]] SizeField<Sizes> CountField(std::int64_t Sizes::*member,
                                          std::int64_t least,
                                          std::int64_t most) {
  return {.text = CountField(member).text, .read = [=](const ConfigEntry& entry, Sizes& sizes) {
            sizes.*member = entry.SizeIn(least, most);
          }};
}

// A number with all its bits.
template <class Sizes>
[[nodiscard]] SizeField<Sizes> NumberField(double Sizes::*member) {
  return {
      .text = [member](const Sizes& sizes) { return ExactText(sizes.*member); },
      .read = [member](const ConfigEntry& entry, Sizes& sizes) { sizes.*member = entry.Number(); }};
}

// 1 or 0; read as a size, of which each but 0 is true.
template <class Sizes>
[[nodiscard]] SizeField<Sizes> FlagField(bool Sizes::*member) {
  return {.text = [member](const Sizes& sizes) { return sizes.*member ? "1" : "0"; },
          .read = [member](const ConfigEntry& entry,
                           Sizes& sizes) { sizes.*member = entry.Size() != 0; }};
}

// 1 where the member is `one`, else 0; read as a number, of which each but 0 is `one`.
template <class Sizes, class Value>
[[nodiscard]] SizeField<Sizes> EitherField(Value Sizes::*member, Value zero, Value one) {
  return {.text = [=](const Sizes& sizes) { return sizes.*member == one ? "1" : "0"; },
          .read = [=](const ConfigEntry& entry,
                      Sizes& sizes) { sizes.*member = entry.Number() != 0.0 ? one : zero; }};
}

// An enumerator as its number; read as a size.
template <class Sizes, class Word>
[[nodiscard]] SizeField<Sizes> WordField(Word Sizes::*member) {
  return {
      .text =
          [member](const Sizes& sizes) { return std::to_string(static_cast<int>(sizes.*member)); },
      .read = [member](const ConfigEntry& entry,
                       Sizes& sizes) { sizes.*member = static_cast<Word>(entry.Size()); }};
}
// The same of an enumeration with `count` enumerators.
template <class Sizes, class Word>
[[nodiscard]] SizeField<Sizes> WordField(Word Sizes::*member, std::int64_t count) {
  return {.text = WordField(member).text, .read = [=](const ConfigEntry& entry, Sizes& sizes) {
            sizes.*member = static_cast<Word>(entry.SizeBelow(count));
          }};
}

// The same as `field`, which is written but not read.
template <class Sizes>
[[nodiscard]] SizeField<Sizes> WrittenAlone(SizeField<Sizes> field) {
  return {.text = std::move(field.text), .read = nullptr};
}

template <class Sizes>
struct SizeRow {
  std::string name;  // of the entry; without spaces
  SizeField<Sizes> field;
};

template <class Sizes>
class SizeTable {
 public:
  explicit SizeTable(std::vector<SizeRow<Sizes>> rows) : rows_(std::move(rows)) {}

  [[nodiscard]] std::map<std::string, std::string> Write(const Sizes& sizes) const {
    std::map<std::string, std::string> config;
    for (const SizeRow<Sizes>& row : rows_) {
      if (std::optional<std::string> text = row.field.text(sizes); text.has_value()) {
        config[row.name] = *std::move(text);
      }
    }
    return config;
  }

  // Sets what the table has in `sizes`. Throws InputError if an entry of `found` (from `path`) is
  // missing or does not fit.
  [[nodiscard]] Sizes Read(const Checkpoint& found,
                           const std::filesystem::path& path,
                           Sizes sizes = {}) const {
    for (const SizeRow<Sizes>& row : rows_) {
      if (row.field.read) {
        row.field.read(ConfigEntry(found, row.name, path), sizes);
      }
    }
    return sizes;
  }

 private:
  std::vector<SizeRow<Sizes>> rows_;
};

}  // namespace opyard::agents
