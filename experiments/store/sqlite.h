// The few calls of SQLite that the result store needs, with errors as InputError.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace opyard::experiments {

// The version of the library in use: "3.45.1".
[[nodiscard]] const char* SqliteVersion();

enum class OpenMode : std::uint8_t { kReadOnly, kReadWrite, kCreate };

// One prepared statement. Columns count from 0, parameters from 1.
class Statement {
 public:
  Statement(sqlite3* database, std::string place, std::string_view sql);

  Statement& Bind(int parameter, std::int64_t value);
  Statement& Bind(int parameter, double value);
  Statement& Bind(int parameter, const std::string& text);
  Statement& BindBlob(int parameter, const std::string& bytes);
  Statement& BindNull(int parameter);

  // Goes to the next row; false when there is none.
  bool Step();
  // Makes it ready to be bound and stepped through once more.
  Statement& Reset();
  // The values of the current row. Each throws InputError if the column holds another type: the
  // file may come from anywhere.
  [[nodiscard]] std::int64_t Int(int column) const;
  [[nodiscard]] double Double(int column) const;
  [[nodiscard]] std::string Text(int column) const;
  [[nodiscard]] std::string Blob(int column) const;
  [[nodiscard]] bool IsNull(int column) const;

 private:
  void Expect(int column, int type, const char* name) const;
  void Check(int status) const;

  sqlite3* database_;
  std::string place_;
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
};

// One connection. Throws InputError ("FILE: what SQLite says") for everything that goes wrong.
class Database {
 public:
  // Trusts nothing in the file: no functions from its schema, no values beyond 512 MiB.
  Database(const std::filesystem::path& path, OpenMode mode);

  void Execute(std::string_view sql);
  [[nodiscard]] Statement Prepare(std::string_view sql);
  // The only value of a one-row statement that answers with a whole number, e.g. a pragma.
  [[nodiscard]] std::int64_t GetInt(std::string_view sql);
  [[nodiscard]] std::int64_t last_row_id() const;
  [[nodiscard]] const std::string& place() const { return place_; }

 private:
  std::string place_;
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> database_;
};

// BEGIN IMMEDIATE … COMMIT; what is not committed is rolled back.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void Commit();

 private:
  Database& database_;
  bool is_open_ = true;
};

}  // namespace opyard::experiments
