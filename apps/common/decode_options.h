// Options that stand for the configuration's keys of decoding.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "transformer/search/options.h"

namespace transformer::apps {

/// Adds such options; each notes `decode.key=value`, to be laid over what --set says.
class DecodeOptionAdder {
 public:
  DecodeOptionAdder(CLI::App& app, std::vector<std::string>& set) : app_(app), set_(set) {}

  /// type: of the value, for --help. given: called where the option is given.
  CLI::Option* add(const char* option, const char* type, const std::string& key, const std::string& help,
                   const std::function<void()>& given = {}) {
    const auto note = [&set = set_, key, given](const std::string& value) {
      set.push_back("decode." + key + "=" + value);
      if (given) given();
    };
    return app_.add_option_function<std::string>(option, note, help + " (decode." + key + ")")
        ->type_name(type);
  }

  std::vector<CLI::Option*> add_length_penalty(const std::function<void()>& given = {}) {
    return {add("--alpha", "FLOAT", "alpha", "Strength of the length penalty", given),
            add("--length-penalty", "TEXT", "length_penalty",
                "gnmt, the paper's ((5 + |Y|) / 6)^alpha, or length, |Y|^alpha", given)};
  }

  /// The options of a search but --beam and the length penalty.
  std::vector<CLI::Option*> add_search(const std::string& nbest_help,
                                       const std::function<void()>& nbest = {}) {
    return {add("--candidates", "TEXT", "candidates",
                "Continuations considered at each step: twice the beam, as in the paper's program, or beam"),
            add("--nbest", "INT", "nbest", nbest_help, nbest)};
  }

 private:
  CLI::App& app_;
  std::vector<std::string>& set_;
};

/// The model's own, with what --set says, and over it what options note. An error of an option's value names
/// the option.
search::DecodeOptions override_decode_options(const std::string& model, const std::vector<std::string>& set,
                                              const std::vector<std::string>& of_options);

}  // namespace transformer::apps
