// The tables of the report, before they become Markdown or HTML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transformer/report/report.h"
#include "transformer/report/statistics.h"

namespace transformer::report {

enum class Kind {
  word,    ///< a few words that stay on their line
  text,    ///< of any length
  number,  ///< set to the right
};

struct Column {
  std::string name;
  Kind kind = Kind::word;
};

/// A cell that deserves the reader's eye.
enum class Mark { none, agrees, opposite };

struct Cell {
  std::string text;  ///< not escaped
  Mark mark = Mark::none;
};

struct Line {
  bool starts_group = false;  ///< another letter than that of the line above
  bool is_baseline = false;
  std::vector<Cell> cells;  ///< as many as there are columns
};

struct Table {
  std::vector<Column> columns;
  std::size_t name_column = 0;  ///< the one that names the line
  std::vector<Line> lines;
};

/// A line for each row: what was trained, at what cost, and how well it does.
Table results_table(const Report& report);

/// How to read it, a sentence each.
std::vector<std::string> results_legend(const Report& report);

/// Whether the report has anything to compare with the paper.
bool has_paper_figures(const Report& report);

/// A line for each row of which the paper has a figure.
Table paper_table(const Report& report);

/// How to read it, and what it says altogether, a sentence each.
std::vector<std::string> paper_legend(const Report& report);

/// Whether the report has figures of test sets, of published systems, or of time as a cost.
bool has_test_table(const Report& report);

/// As the paper's Table 2: a line for each row and each published system, with the score of its test set and
/// the cost of its training.
Table test_table(const Report& report);

/// How to read it, a sentence each.
std::vector<std::string> test_legend(const Report& report);

/// A line for each claim: what was found of it.
Table claims_table(const Report& report);

/// How to read it, and how many claims hold, a sentence each.
std::vector<std::string> claims_legend(const Report& report);

/// Whether a row has several seeds.
bool has_seed_table(const Report& report);

/// A line for each row with the scores of its runs, a column a seed.
Table seed_table(const Report& report);

std::vector<std::string> seed_legend(const Report& report);

struct Section {
  std::string title;
  Table table;
  std::vector<std::string> legend;  ///< how to read it, a sentence each
  bool folded = false;              ///< for who asks for more: pages show its title alone
};

/// The tables above of which the report has anything, in the order of its pages: verdicts first.
std::vector<Section> sections(const Report& report);

/// What a reader must know before any verdict (doubts.h), a sentence each; none where there are no verdicts.
std::vector<std::string> warnings(const Report& report);

}  // namespace transformer::report
