#include "apps/inspect/request.h"

#include "apps/common/not_empty.h"

namespace transformer::apps {

void add_options(CLI::App& app, InspectRequest& request) {
  auto* subject = app.add_option_group("What to show")->require_option(1);
  auto* config =
      subject->add_option("--config", request.config, "An experiment")->type_name("FILE")->check(kNotEmpty);
  subject->add_option("--model", request.model, "A model or run directory")
      ->type_name("DIR")
      ->check(kNotEmpty);
  add_run_options(app, *subject, request.page);
  subject->add_flag("--help-config", request.keys, "Every key of a configuration file");
  auto* variant = subject
                      ->add_option("--check-variant", request.variant,
                                   "A variant of --load (\"local window=8\"): whether it computes as it must")
                      ->check(kNotEmpty);
  auto* run = subject->get_option("--run");
  auto* keys = subject->get_option("--help-config");
  auto* update = app.add_option("--update", request.update,
                                "With --run: print the examples of this update instead, counted from 1")
                     ->needs(run)
                     ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40).description(""));
  app.add_flag("--json", request.json, "Print one JSON object")->excludes(keys);
  auto* sentences =
      app.add_option(
             "--sentences", request.sentences,
             "With --config: print these pairs of the prepared training set instead, by number, from 0")
          ->delimiter(',')
          ->check(kNotEmpty)
          ->needs(config);
  auto* shapes =
      app.add_option("--shapes", request.shapes,
                     "Print the shapes of a model's tensors instead, for a source and a target of so many "
                     "tokens, as in 7,5")
          ->delimiter(',')
          ->expected(2)
          ->check(CLI::Range(1, 100'000).description(""))
          ->type_name("S,T")
          ->excludes(run)
          ->excludes(sentences);
  auto* tokens =
      app.add_option("--tokens", request.texts, "Print the pieces and ids of a text instead; may be repeated")
          ->type_name("TEXT")
          ->expected(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
          ->excludes(run)
          ->excludes(sentences)
          ->excludes(shapes);
  auto* length = app.add_option("--sentence-tokens", request.sentence_tokens,
                                "Length of a sentence, for FLOPs and memory")
                     ->check(CLI::Range(1.0, 1e6).description(""))
                     ->capture_default_str();
  add_device_options(app, request.device);
  for (auto* costs : {length, app.get_option("--device-peak")})
    for (auto* others : {run, keys, variant, sentences, shapes, tokens}) costs->excludes(others);
  for (auto* others : {shapes, tokens}) others->excludes(variant);
  update->excludes(app.get_option("--output"));
}

}  // namespace transformer::apps
