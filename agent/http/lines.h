// Joins the pieces of a streamed body into lines.
#pragma once

#include <string>
#include <string_view>

namespace evenkeel::http {

class LineJoiner {
 public:
  explicit LineJoiner(std::size_t longest) : longest_(longest) {}
  /// Passes on each complete line, without its newline. False: a line is longer than allowed.
  template <class F>
  bool add(std::string_view piece, F&& line) {
    for (auto end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
      partial_.append(piece.substr(0, end));
      piece.remove_prefix(end + 1);
      if (partial_.size() > longest_) return false;
      line(std::string_view(partial_));
      partial_.clear();
    }
    partial_.append(piece);
    return partial_.size() <= longest_;
  }

 private:
  std::size_t longest_;
  std::string partial_{};
};

}  // namespace evenkeel::http
