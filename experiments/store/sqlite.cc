#include "experiments/store/sqlite.h"

#include <system_error>

#include <sqlite3.h>

#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

constexpr int kBusyMilliseconds = 5000;
constexpr int kLargestValue = 512 << 20;

[[noreturn]] void Refuse(const std::string& place, const std::string& message) {
  throw InputError(place + ": " + message);
}

int FlagsOf(OpenMode mode) {
  switch (mode) {
    case OpenMode::kReadOnly:
      return SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
    case OpenMode::kReadWrite:
      return SQLITE_OPEN_READWRITE;
    case OpenMode::kCreate:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  }
  return SQLITE_OPEN_READONLY;
}

// The name that SQLite opens. A file without a write-ahead log has no writer: it is read as
// immutable, which needs no right to write beside it and leaves nothing there.
std::string NameFor(const std::filesystem::path& path, OpenMode mode) {
  if (mode != OpenMode::kReadOnly) {
    return path.string();
  }
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    const bool is_special = c == '?' || c == '#' || c == '%';
    uri += is_special ? (c == '?' ? "%3F" : c == '#' ? "%23" : "%25") : std::string(1, c);
  }
  std::error_code ignored;
  const bool has_log = std::filesystem::exists(path.string() + "-wal", ignored);
  return has_log ? uri : uri + "?immutable=1";
}

}  // namespace

const char* SqliteVersion() {
  return sqlite3_libversion();
}

Statement::Statement(sqlite3* database, std::string place, std::string_view sql)
    : database_(database), place_(std::move(place)), statement_(nullptr, &sqlite3_finalize) {
  sqlite3_stmt* statement = nullptr;
  Check(
      sqlite3_prepare_v2(database_, sql.data(), static_cast<int>(sql.size()), &statement, nullptr));
  statement_.reset(statement);
}

void Statement::Check(int status) const {
  if (status != SQLITE_OK) {
    Refuse(place_, std::string("cannot be used as a results file: ") + sqlite3_errmsg(database_));
  }
}

Statement& Statement::Bind(int parameter, std::int64_t value) {
  Check(sqlite3_bind_int64(statement_.get(), parameter, value));
  return *this;
}

Statement& Statement::Bind(int parameter, double value) {
  Check(sqlite3_bind_double(statement_.get(), parameter, value));
  return *this;
}

Statement& Statement::Bind(int parameter, const std::string& text) {
  Check(sqlite3_bind_text64(
      statement_.get(), parameter, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::BindBlob(int parameter, const std::string& bytes) {
  Check(sqlite3_bind_blob64(
      statement_.get(), parameter, bytes.data(), bytes.size(), SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::BindNull(int parameter) {
  Check(sqlite3_bind_null(statement_.get(), parameter));
  return *this;
}

bool Statement::Step() {
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW) {
    return true;
  }
  Check(status == SQLITE_DONE ? SQLITE_OK : status);
  return false;
}

Statement& Statement::Reset() {
  Check(sqlite3_reset(statement_.get()));
  return *this;
}

void Statement::Expect(int column, int type, const char* name) const {
  if (sqlite3_column_type(statement_.get(), column) != type) {
    Refuse(place_,
           std::string("damaged: column ") + sqlite3_column_name(statement_.get(), column) +
               " does not hold " + name);
  }
}

std::int64_t Statement::Int(int column) const {
  Expect(column, SQLITE_INTEGER, "a whole number");
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::Double(int column) const {
  Expect(column, SQLITE_FLOAT, "a number");
  return sqlite3_column_double(statement_.get(), column);
}

std::string Statement::Text(int column) const {
  Expect(column, SQLITE_TEXT, "text");
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return text == nullptr ? std::string() : std::string(text, static_cast<std::size_t>(size));
}

std::string Statement::Blob(int column) const {
  Expect(column, SQLITE_BLOB, "a blob");
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
}

bool Statement::IsNull(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

Database::Database(const std::filesystem::path& path, OpenMode mode)
    : place_(path.string()), database_(nullptr, &sqlite3_close) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    Refuse(place_, "found no regular file, expected a results file");  // a pipe would block
  }
  sqlite3* database = nullptr;
  const int status =
      sqlite3_open_v2(NameFor(path, mode).c_str(), &database, FlagsOf(mode), nullptr);
  database_.reset(database);
  if (status != SQLITE_OK) {
    Refuse(place_, std::string("cannot be opened: ") + sqlite3_errmsg(database));
  }
  sqlite3_busy_timeout(database, kBusyMilliseconds);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kLargestValue);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
}

void Database::Execute(std::string_view sql) {
  if (sqlite3_exec(database_.get(), std::string(sql).c_str(), nullptr, nullptr, nullptr) !=
      SQLITE_OK) {
    Refuse(place_,
           std::string("cannot be used as a results file: ") + sqlite3_errmsg(database_.get()));
  }
}

Statement Database::Prepare(std::string_view sql) {
  return Statement(database_.get(), place_, sql);
}

std::int64_t Database::GetInt(std::string_view sql) {
  Statement statement = Prepare(sql);
  if (!statement.Step()) {
    Refuse(place_, "damaged: no answer to " + std::string(sql));
  }
  return statement.Int(0);
}

std::int64_t Database::last_row_id() const {
  return sqlite3_last_insert_rowid(database_.get());
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.Execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (is_open_) {
    // A failed rollback cannot be reported; SQLite rolls back when the file is next opened.
    try {
      database_.Execute("ROLLBACK");
    } catch (const Error&) {
    }
  }
}

void Transaction::Commit() {
  database_.Execute("COMMIT");
  is_open_ = false;
}

}  // namespace opyard::experiments
