// Why a search found what it found (section 6.1): its trees as JSON for programs, or as a page for people.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "transformer/search/hypothesis.h"
#include "transformer/search/options.h"
#include "transformer/search/tree.h"

namespace transformer::report {

struct ExplainedSentence {
  std::string source;
  std::vector<std::string> pieces;               ///< of the source, as the model reads them
  search::SearchTree tree;                       ///< the root alone where there was nothing to translate
  std::vector<search::Hypothesis> hypotheses{};  ///< what was found, best first
  std::vector<std::string> texts{};              ///< of these
};

struct Explanation {
  std::string model;  ///< its name, for the reader
  search::DecodeOptions options;
  std::function<std::string(std::int32_t token)> piece_of;  ///< of the target's tokens
  std::vector<ExplainedSentence> sentences;
};

/// An object with model, options and sentences, each with source, translations and the nodes of its tree.
/// docs/guides/looking-inside.md lists the keys. What is no number (-infinity) is null.
std::string explanation_json(const Explanation& explanation);

/// One file of HTML that holds the same and needs nothing else.
std::string explanation_page(const Explanation& explanation);

}  // namespace transformer::report
