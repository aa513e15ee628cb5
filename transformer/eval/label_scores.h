// Scores of labels: how good the labels that a model gives to texts or words are, beside the right ones.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transformer::eval {

/// A line for each text: its label, its number, or the labels of its words with blanks between.
using LabelLines = std::span<const std::string>;

/// The share of labels that are right. Of words all count once. 0 … 1
double accuracy(LabelLines found, LabelLines expected);

/// The mean of F1 over all labels that either has: as scikit-learn's f1_score(average="macro"). 0 … 1
double macro_f1(LabelLines found, LabelLines expected);

/// Matthews' correlation, of two labels or more: as scikit-learn's matthews_corrcoef; 0 where it is
/// undefined. −1 … 1
double matthews(LabelLines found, LabelLines expected);

/// The correlation of numbers, and of their ranks, where equal ones share their mean rank: as SciPy's
/// pearsonr and spearmanr; 0 where they are undefined. −1 … 1
double pearson(LabelLines found, LabelLines expected);
double spearman(LabelLines found, LabelLines expected);

/// Labels O, B-TYPE, I-TYPE (E- and S-, too) of words make entities, which are right if begin, end and type
/// are: F1 over all of them, as seqeval's f1_score. 0 … 1. Throws InputError for other labels.
double entity_f1(LabelLines found, LabelLines expected);

/// Means of is_exact_answer() and answer_overlap() (answer_scores.h), of one answer a text. 0 … 1
double exact_match(LabelLines found, LabelLines expected);
double answer_f1(LabelLines found, LabelLines expected);

struct LabelScore {
  std::string name;
  double (*score)(LabelLines found, LabelLines expected);
};

/// By name. Throws InputError, naming the origin, such as "train.metric", where there is none. The functions
/// throw InputError for unequal numbers of lines or of labels in a line, for no lines, and for what is no
/// number where numbers are compared.
const LabelScore& find_label_score(std::string_view name, std::string_view origin);
std::vector<std::string> label_score_names();

/// The labels of a line.
std::vector<std::string> labels_of(std::string_view line);

/// A label as a number. Throws InputError for one that is none.
double number_of_label(std::string_view label);

}  // namespace transformer::eval
