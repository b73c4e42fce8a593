#include <algorithm>
#include <charconv>
#include <cstdint>

#include "cgroup/base/text.h"
#include "cgroup/executor/journal.h"
#include "cgroup/kernel/knob_files.h"

namespace evenkeel::executor {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

void put(std::string& line, std::string_view field) {
  line += ' ';
  if (field.empty()) line += '%';
  for (const char c : field) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 0x7F && c != '%') {
      line += c;
    } else {
      line += {'%', kHex[byte >> 4U], kHex[byte & 0xFU]};
    }
  }
}

std::optional<std::string> unescaped(std::string_view field) {
  if (field == "%") return std::string();
  std::string out;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '%') {
      out += field[i];
      continue;
    }
    unsigned byte = 0;
    const char* const digits = field.data() + i + 1;
    if (i + 2 >= field.size() || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2)
      return std::nullopt;
    out += static_cast<char>(byte);
    i += 2;
  }
  return out.empty() ? std::nullopt : std::optional(out);
}

/// Reads the fields of a line in order; broken() once a field was missing or malformed.
class Fields {
 public:
  explicit Fields(std::string_view rest) : rest_(rest) {}
  std::string next() {
    const auto end = rest_.find(' ');
    const auto field = unescaped(rest_.substr(0, end));
    if (!field || ended_) broken_ = true;
    ended_ = end == std::string_view::npos;
    rest_.remove_prefix(ended_ ? rest_.size() : end + 1);
    return field.value_or("");
  }
  [[nodiscard]] bool more() const { return !ended_; }
  [[nodiscard]] bool broken() const { return broken_ || !ended_; }

 private:
  std::string_view rest_;
  bool ended_ = false, broken_ = false;
};

std::optional<std::uint64_t> inode_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Whether the text is a plain directory name, without a path.
bool is_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos;
}

void read_texts(Fields& fields, JournalEntry& entry) {
  entry.original = fields.next();
  while (fields.more() && entry.ours.size() < Journal::kMaxWrittenTexts) entry.ours.push_back(fields.next());
}

}  // namespace

std::string journal_line(const JournalRecord& record) {
  const auto& entry = record.entry;
  std::string body;
  put(body, record.boot);
  put(body, record.directory ? (record.done ? "u" : "m") : record.done ? "d" : "w");
  put(body, std::to_string(entry.inode));
  put(body, entry.file);
  put(body, entry.dir);
  if (!record.done && !record.directory) {
    put(body, entry.original);
    for (const auto& ours : entry.ours) put(body, ours);
  }
  return sealed_line(std::string_view(body).substr(1));  // without the blank before the first field
}

std::optional<JournalRecord> parse_journal_line(std::string_view line) {
  const auto body = body_of_line(line);
  if (!body) return std::nullopt;
  Fields fields(*body);
  JournalRecord record;
  record.boot = fields.next();
  const auto kind = fields.next();
  const auto inode = inode_number(fields.next());
  record.entry.file = fields.next();
  record.entry.dir = fields.next();
  record.directory = kind == "m" || kind == "u";
  record.done = kind == "d" || kind == "u";
  if (kind == "w") read_texts(fields, record.entry);
  if (fields.broken() || !inode) return std::nullopt;
  record.entry.inode = *inode;
  if (record.directory) return is_name(record.entry.file) ? std::optional(record) : std::nullopt;
  const auto knob = kernel::knob_of_entry(record.entry.file);
  const bool complete = record.done || (kind == "w" && !record.entry.ours.empty());
  if (!knob || !complete) return std::nullopt;
  record.entry.knob = *knob;
  return record;
}

KnobFile file_of(const JournalEntry& entry) {
  const auto& lever = row(entry.knob);
  const auto at = std::min(entry.file.find('@'), entry.file.size());
  const auto name = std::string_view(entry.file).substr(0, at);
  const auto device = at == entry.file.size() ? std::nullopt : parse_device(entry.file.substr(at + 1));
  return {entry.dir, name == lever.v2_file ? lever.v2_file : lever.v1_file, entry.inode, device.value_or(0)};
}

}  // namespace evenkeel::executor
