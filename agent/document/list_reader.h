// Reads a Kubernetes list, a JSON object with a list "items", while it arrives: no more than one item is in
// memory, however long the list is. Does not know what the items are.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "agent/document/document.h"

namespace evenkeel::document {

/// More than any object has that an API server stores (1.5 MiB by etcd's --max-request-bytes).
inline constexpr std::size_t kLongestItem = std::size_t{4} << 20;
/// Of a whole list, with 340 of the largest objects.
inline constexpr std::size_t kLongestList = std::size_t{512} << 20;

class ListReader {
 public:
  struct Options {
    std::string file = "answer";              ///< for problems
    std::span<const KeyFilter> rest{};        ///< the members beside the items to keep; "items" is one
    std::span<const KeyFilter> items{};       ///< the members of an item to keep
    std::size_t longest_item = kLongestItem;  ///< bytes
  };
  struct Takers {
    std::function<void(const Value&)> item{};
    /// The first bytes of an item that is too long, which is left out.
    std::function<void(std::string_view)> too_long{};
  };
  ListReader(Options options, Takers takers) : options_(std::move(options)), takers_(std::move(takers)) {}

  /// Forgets what has arrived.
  void begin() { state_ = {}; }
  /// The next bytes, in pieces of any size. False: the list cannot be used, for the reason that end() gives.
  bool add(std::string_view piece);
  /// After the last bytes: the document with 0 in place of each item; or a problem, and then the items that
  /// were passed on do not count.
  Parsed end();

 private:
  /// Where in the text it is. Only brackets and strings count; the JSON parser checks the rest.
  struct Scan {
    int depth = 0;
    bool in_string = false, escaped = false;
    std::string word{};     ///< the beginning of the last string in the outermost object
    bool of_items = false;  ///< the member "items" of that object follows
    bool in_list = false;   ///< in its list
    void step(char c);
    std::size_t skip_string(std::string_view piece, std::size_t at);
  };
  struct State {
    Scan scan{};
    bool in_item = false;
    std::string item{}, rest{};
    std::size_t item_size = 0;  ///< bytes that the item has, of which `item` has the first
    std::size_t items = 0;      ///< so far
    std::optional<Problem> problem{};
  };
  void keep(std::string_view bytes);
  void end_item();

  Options options_;
  Takers takers_;
  State state_{};
};

}  // namespace evenkeel::document
