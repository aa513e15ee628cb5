// The subcommands of transformer-bench.
#pragma once

#include <functional>
#include <string>

#include "apps/bench/report.h"
#include "apps/common/program.h"

namespace transformer::bench {

/// Results go to standard output, as text or JSON. If a file is named, they are also appended to it as JSON.
struct Output {
  bool json = false;
  std::string append;

  /// Throws InputError when the file cannot be appended to: before anything is measured.
  void check() const;
  /// Throws RunError when it cannot be written after all.
  void show(const Json& object, const std::string& text) const;
};

struct Shared {
  const apps::CommonOptions& options;
  const Output& output;
  int argc;  ///< the program's, for those that begin it several times
  char** argv;
};

/// Each adds its subcommand, and gives what is to be run when it was chosen.
using Command = std::function<int()>;
Command add_gemm(CLI::App& app, const Shared& shared);
Command add_copy(CLI::App& app, const Shared& shared);
Command add_attention(CLI::App& app, const Shared& shared);
Command add_layers(CLI::App& app, const Shared& shared);
Command add_train(CLI::App& app, const Shared& shared);
Command add_decode(CLI::App& app, const Shared& shared);
Command add_generate(CLI::App& app, const Shared& shared);
Command add_prepare(CLI::App& app, const Shared& shared);

}  // namespace transformer::bench
