// Attention maps as a file: JSON for programs, or a page for people (docs/guides/looking-inside.md). Free of
// LibTorch.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "transformer/maps/attention_map.h"

namespace transformer::maps {

enum class DocumentFormat {
  json,  ///< weights as numbers with six decimals
  page,  ///< one file of HTML that needs nothing else; weights in steps of 1/255
};

/// By the end of a file's name: .json or .html; nothing for any other.
std::optional<DocumentFormat> document_format(const std::string& path);

/// The text of a document, part by part, so that its maps need not be in memory together.
class AttentionDocument {
 public:
  /// A page with more would be too much for a browser; JSON has no such limit.
  static constexpr std::size_t kMostOnPage = 200;

  /// model: what was asked, for the reader.
  AttentionDocument(DocumentFormat format, std::string model);

  /// Whether a further sentence finds its place.
  bool has_room() const { return format_ == DocumentFormat::json || sentences_ < kMostOnPage; }

  /// The parts, each called once, in this order, sentence() as often as there are maps and room. left_out:
  /// the number of sentences for which there was no room, which the page says.
  std::string begin() const;
  std::string sentence(const AttentionMap& map);
  std::string end(std::size_t left_out = 0) const;

 private:
  DocumentFormat format_;
  std::string model_;
  std::size_t sentences_ = 0;
};

}  // namespace transformer::maps
