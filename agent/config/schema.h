// The NodeSLO schema as tables, one row per key. Parsing, range checks, "did you mean", `evenkeel check` and
// the example file are all generated from these rows alone. Does not read text (schema_read.h does).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "qos/model/nodeslo.h"

namespace evenkeel::config {

enum class Kind : std::uint8_t {
  toggle,     ///< true or false
  number,     ///< a whole number
  ratio,      ///< a decimal number
  bytes,      ///< a whole number of bytes or a quantity ("64Mi")
  quantity,   ///< a quantity of something else ("10G")
  duration,   ///< "1m30s"
  word,       ///< one of the row's words, as its position
  word_text,  ///< one of the row's words, as text
  text,       ///< any text
  bandwidth,  ///< a percentage as a number, or a quantity in quotes
  toggles,    ///< a map from any name to true or false
  durations,  ///< a list of durations
  text_list,  ///< a list of texts
  texts,      ///< a map from any name to a text
  section,    ///< a map with rows of its own
  list,       ///< a list of maps with rows of their own
  maps,       ///< a map from any name to a map with rows of its own
};

/// A value between the file and a member; monostate is "not set".
using Content =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Bandwidth,
                 std::map<std::string, bool>, std::vector<Duration>, TextMap, std::vector<std::string>>;

/// Both ends included; durations in nanoseconds.
struct Range {
  std::int64_t low = 0, high = 0;
};
using Words = std::span<const std::string_view>;

struct Row;
using Rows = std::span<const Row> (*)();

struct Row {
  std::string_view key{};
  Kind kind = Kind::toggle;
  Range range{};
  Words words{};
  std::string_view unit{};
  std::string_view doc{};
  std::string_view example{};  ///< shown in the example file instead of the default
  bool foreign_keys = false;   ///< section: unknown keys belong to other programs, not errors
  void (*put)(void* owner, const Content& content) = nullptr;
  Content (*get)(const void* owner) = nullptr;
  Rows rows = nullptr;                   ///< section, list and maps
  void* (*open)(void* owner) = nullptr;  ///< the section, created if absent; a new last element of the others
  const void* (*peek)(const void* owner, std::size_t index) = nullptr;  ///< null: absent, or past the end
  std::string& (*name)(void* element) = nullptr;                        ///< maps: the name of an element
  const std::string& (*name_of)(const void* element) = nullptr;         ///< the same
};

/// The whole spec, rooted at a NodeSlo.
std::span<const Row> node_slo_rows();

std::span<const Row> threshold_rows();
std::span<const Row> qos_rows();
std::span<const Row> blkio_rows();
/// extensions.evenkeel.resctrlDynamic, rooted at a ResctrlDynamic.
std::span<const Row> resctrl_dynamic_rows();
/// For a pod's annotation, rooted at NetworkLimits.
std::span<const Row> network_limit_rows();
std::span<const Row> cpu_burst_rows();
std::span<const Row> system_rows();
std::span<const Row> host_application_rows();
std::span<const Row> extension_rows();
std::span<const Row> brake_rows();
std::span<const Row> proof_rows();
/// One entry of extensions.evenkeel.trust, rooted at a TrustRule.
std::span<const Row> trust_rows();
std::span<const Row> request_size_rows();
std::span<const Row> contention_rows();
/// extensions.evenkeel.cpuNormalizationModels, rooted at a CpuNormalizationModels.
std::span<const Row> normalization_rows();
/// cpuNormalization, the position of one of false, true, auto: two members of the EvenkeelSettings at
/// `owner`.
void put_normalization(void* owner, const Content& content);
Content normalization_of(const void* owner);
/// One entry of extensions.evenkeel.objectives, rooted at an Objective.
std::span<const Row> objective_rows();
/// extensions.colocation, rooted at a ColocationStrategy: the node's annotation has the same keys.
std::span<const Row> colocation_rows();

namespace schema {

inline constexpr Range kPercent{0, 100};
inline constexpr Range kNotNegative{0, INT32_MAX};
inline constexpr Range kPositive{1, INT32_MAX};
inline constexpr Range kBit{0, 1};
inline constexpr Range kAnyCount{0, INT64_MAX};

template <class M>
struct IsOptional : std::false_type {};
template <class M>
struct IsOptional<std::optional<M>> : std::true_type {
  using Inner = M;
};
template <class M>
struct IsQuantity : std::false_type {};
template <class Tag>
struct IsQuantity<Quantity<Tag>> : std::true_type {};

/// Content -> member. The reader has checked that the alternative is the row's.
template <class M>
void assign(M& member, const Content& content) {
  if constexpr (IsOptional<M>::value) {
    assign(member.emplace(), content);
  } else if constexpr (IsQuantity<M>::value || std::is_same_v<M, Duration> || std::is_enum_v<M>) {
    member = static_cast<M>(std::get<std::int64_t>(content));
  } else {
    member = std::get<M>(content);
  }
}

/// Member -> content.
template <class M>
Content content_of(const M& member) {
  if constexpr (IsOptional<M>::value) {
    return member ? content_of(*member) : Content{};
  } else if constexpr (IsQuantity<M>::value || std::is_same_v<M, Duration>) {
    return member.count();
  } else if constexpr (std::is_enum_v<M>) {
    return static_cast<std::int64_t>(member);
  } else {
    return member;
  }
}

template <auto Member>
struct Access;
template <class Owner, class M, M Owner::*Member>
struct Access<Member> {
  static M& of(void* owner) { return static_cast<Owner*>(owner)->*Member; }
  static const M& of(const void* owner) { return static_cast<const Owner*>(owner)->*Member; }
  static void put(void* owner, const Content& content) { assign(of(owner), content); }
  static Content get(const void* owner) { return content_of(of(owner)); }
  static void* open(void* owner) { return &of(owner); }
  static const void* peek(const void* owner, std::size_t) { return &of(owner); }
  static void* open_new(void* owner) { return &of(owner).emplace_back(); }
  static const void* peek_at(const void* owner, std::size_t index) {
    return index < of(owner).size() ? &of(owner)[index] : nullptr;
  }
  template <M (*make)()>
  static void* open_or_create(void* owner) {
    if (!of(owner)) of(owner) = make();
    return &*of(owner);
  }
  static const void* peek_or_default(const void* owner, std::size_t) {
    return of(owner) ? &*of(owner) : nullptr;
  }
};

/// A table of one file in the form that a section refers to.
template <const auto& table>
std::span<const Row> rows_of() {
  return table;
}

/// The row with a text that the example file shows instead of the default.
constexpr Row with_example(Row row, std::string_view example) {
  row.example = example;
  return row;
}

inline void* same(void* owner) { return owner; }
inline const void* same_as_default(const void* owner, std::size_t) { return owner; }

template <auto Member>
constexpr Row field(std::string_view key, Kind kind, std::string_view unit, std::string_view doc) {
  return {.key = key,
          .kind = kind,
          .unit = unit,
          .doc = doc,
          .put = &Access<Member>::put,
          .get = &Access<Member>::get};
}
template <auto Member>
constexpr Row toggle(std::string_view key, std::string_view doc) {
  return field<Member>(key, Kind::toggle, "", doc);
}
template <auto Member>
constexpr Row number(std::string_view key, Range range, std::string_view unit, std::string_view doc,
                     Kind kind = Kind::number) {
  auto row = field<Member>(key, kind, unit, doc);
  row.range = range;
  return row;
}
template <auto Member>
constexpr Row span_of_time(std::string_view key, Range range, std::string_view doc) {
  return number<Member>(key, range, "duration", doc, Kind::duration);
}
template <auto Member>
constexpr Row word(std::string_view key, Words words, std::string_view doc, Kind kind = Kind::word) {
  auto row = field<Member>(key, kind, "", doc);
  row.words = words;
  return row;
}
template <auto Member>
constexpr Row section(std::string_view key, Rows rows, std::string_view doc) {
  return {.key = key,
          .kind = Kind::section,
          .doc = doc,
          .rows = rows,
          .open = &Access<Member>::open,
          .peek = &Access<Member>::peek};
}
/// A section that exists only if the file names it; `make` creates its initial value.
template <auto Member, auto make>
constexpr Row optional_section(std::string_view key, Rows rows, std::string_view doc) {
  auto row = Row{.key = key, .kind = Kind::section, .doc = doc, .rows = rows};
  row.open = &Access<Member>::template open_or_create<make>;
  row.peek = &Access<Member>::peek_or_default;
  return row;
}
/// A map in the file without a struct of its own: its rows set the owner's members.
constexpr Row inline_section(std::string_view key, Rows rows, std::string_view doc) {
  return {
      .key = key, .kind = Kind::section, .doc = doc, .rows = rows, .open = &same, .peek = &same_as_default};
}
template <auto Member>
constexpr Row list(std::string_view key, Rows rows, std::string_view doc) {
  return {.key = key,
          .kind = Kind::list,
          .doc = doc,
          .rows = rows,
          .open = &Access<Member>::open_new,
          .peek = &Access<Member>::peek_at};
}
/// A list whose elements are named by their keys in the file; `with_example` gives the name in the example
/// file.
template <auto Member, auto Name>
constexpr Row maps(std::string_view key, Rows rows, std::string_view doc) {
  auto row = list<Member>(key, rows, doc);
  row.kind = Kind::maps;
  row.name = &Access<Name>::of;
  row.name_of = &Access<Name>::of;
  return row;
}

}  // namespace schema
}  // namespace evenkeel::config
