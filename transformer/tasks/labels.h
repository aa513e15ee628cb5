// What a task needs to know of labels, besides the data set.
#pragma once

#include <memory>

#include "transformer/checkpoints/tokenizers.h"
#include "transformer/config/experiment.h"
#include "transformer/data/prepared.h"
#include "transformer/tasks/next_tokens.h"

namespace transformer::tasks {

/// Null unless data.examples is labelled or answers. Throws InputError, naming the file and the text's number
/// from 1, for these:
/// * Of model.head classes and number a text has no label or several; of words another number of labels than
///   words, unless it was cut.
/// * A label of the dev set of classes or words that no training text has.
/// * A label that is no number, of model.head number.
std::shared_ptr<const LabelDrawing> labels_of(const config::Experiment& experiment,
                                              const data::Prepared& data,
                                              const checkpoints::Tokenizers& tokenizers);

}  // namespace transformer::tasks
