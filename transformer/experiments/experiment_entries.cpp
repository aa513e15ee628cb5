#include "transformer/experiments/experiment_entries.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/config/flatten.h"
#include "transformer/config/keys.h"
#include "transformer/config/scalar.h"
#include "transformer/config/yaml.h"
#include "transformer/config/yaml_document.h"
#include "transformer/experiments/entries_reader.h"

namespace transformer::experiments {
namespace {

using namespace config;  // whose language a list is written in

namespace fs = std::filesystem;

constexpr const char* kBleu = "BLEU above 0, up to 100";

void check_name(const std::string& origin, const char* key, const std::string& name) {
  const bool fit =
      !name.empty() && name.size() <= 100 && name.front() != '.' && std::ranges::all_of(name, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("-_.+=,").find(c) != std::string_view::npos;
      });
  if (!fit)
    reject(origin, key,
           fmt::format("expected one that can be a folder's (letters, digits and -_.+=,), found {}",
                       quote(name)));
}

template <typename Entry>
bool says(const std::vector<Entry>& entries, const std::string& key) {
  return std::ranges::find(entries, key, &Entry::key) != entries.end();
}

ExperimentEntry read_entry(const EntriesReader& reader, const YAML::Node& node) {
  ExperimentEntry entry;
  entry.origin = place(reader.name(), node.Mark());
  const auto paper = [&](const YAML::Node& value, const std::string&) {
    reader.read_keys(
        value,
        {{"perplexity", EntriesReader::positive("perplexity", entry.paper.perplexity, "one above 0")},
         {"score", EntriesReader::positive("score", entry.paper.score, "a score above 0")},
         {"bleu", EntriesReader::positive("bleu", entry.paper.bleu, kBleu, 100)},
         {"parameters", EntriesReader::positive("parameters", entry.paper.parameters, "millions above 0")}});
  };
  reader.read_keys(node, {{"name", reader.text("name", entry.name)},
                          {"group", reader.text("group", entry.group)},
                          {"config", reader.path("config", entry.config)},
                          {"relative", reader.text("relative", entry.relative)},
                          {"set", reader.settings(entry.set)},
                          {"scale", reader.scalings(entry.scale)},
                          {"seeds", EntriesReader::seeds(entry.seeds)},
                          {"average", EntriesReader::average(entry.average)},
                          {"paper", paper}});
  check_name(entry.origin, "name", entry.name);
  if (!entry.relative.empty()) check_name(entry.origin, "relative", entry.relative);
  for (const auto& scaling : entry.scale)
    if (says(entry.set, scaling.key))
      reject(scaling.origin, scaling.key, "expected a value (set) or a factor (scale), found both");
  return entry;
}

report::PublishedSystem read_published(const EntriesReader& reader, const YAML::Node& node) {
  report::PublishedSystem system;
  reader.read_keys(node, {{"name", EntriesReader::text("name", system.name)},
                          {"group", EntriesReader::text("group", system.group)},
                          {"score", EntriesReader::positive("score", system.score, "a score above 0")},
                          {"bleu", EntriesReader::positive("bleu", system.bleu, kBleu, 100)},
                          {"flops", EntriesReader::positive("flops", system.flops, "FLOPs above 0")}});
  if (system.name.empty())
    reject(place(reader.name(), node.Mark()), "name", "expected that of a system, found nothing");
  return system;
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

report::Direction read_direction(const YAML::Node& value, const std::string& origin) {
  std::string word;
  EntriesReader::text("expected", word)(value, origin);
  if (word == "worse") return report::Direction::worse;
  if (word == "equal") return report::Direction::equal;
  if (word == "better") return report::Direction::better;
  reject(origin, "expected", fmt::format("expected worse, equal or better, found {}", describe(value)));
}

ClaimEntry read_claim(const EntriesReader& reader, const YAML::Node& node) {
  ClaimEntry entry{.claim = {.against = kBaseline}, .origin = place(reader.name(), node.Mark())};
  auto& claim = entry.claim;
  std::optional<report::Direction> expected;
  std::optional<double> within;
  reader.read_keys(
      node, {{"claim", EntriesReader::text("claim", claim.text)},
             {"source", EntriesReader::text("source", claim.source)},
             {"row", EntriesReader::text("row", claim.row)},
             {"against", EntriesReader::text("against", claim.against)},
             {"expected", [&](const YAML::Node& value,
                              const std::string& origin) { expected = read_direction(value, origin); }},
             {"within", EntriesReader::positive("within", within, "a difference above 0")}});
  if (is_blank(claim.text)) reject(entry.origin, "claim", "expected what is claimed, found nothing");
  if (claim.row.empty()) reject(entry.origin, "row", "expected an experiment's name, found nothing");
  if (!expected) reject(entry.origin, "expected", "expected worse, equal or better, found nothing");
  claim.expected = *expected;
  const bool equal = claim.expected == report::Direction::equal;
  if (equal && !within)
    reject(entry.origin, "within", "expected how far apart the scores of equal rows may be, found nothing");
  if (!equal && within) reject(entry.origin, "within", "expected 'expected: equal' beside it");
  claim.within = within.value_or(0);
  return entry;
}

bool overrules(const Scaling& later, const std::string& key) {
  return config::overrules(later.key, key);
}

/// So many epochs stand in the place of steps; none leave it to them.
bool overrules(const Setting& later, const std::string& key) {
  if (later.key == "train.epochs" && key == "train.steps")
    return std::ranges::none_of(later.values, [](const auto& value) { return parse_real(value) == 0; });
  return config::overrules(later.key, key);
}

template <typename Entry, typename Later>
void forget(std::vector<Entry>& entries, const std::vector<Later>& later) {
  std::erase_if(entries, [&](const Entry& entry) {
    return std::ranges::any_of(later, [&](const Later& one) { return overrules(one, entry.key); });
  });
}

/// Adds `later`. Earlier entries for the same keys go, so a single value also replaces a whole grid.
template <typename Entry>
void replace_or_add(std::vector<Entry>& entries, std::vector<Entry> later) {
  forget(entries, later);
  std::ranges::move(later, std::back_inserter(entries));
}

/// Adds an experiment, or its keys to the one of that name.
void add_entry(std::vector<ExperimentEntry>& entries, ExperimentEntry entry, std::size_t inherited) {
  const auto known = std::ranges::find(entries, entry.name, &ExperimentEntry::name);
  if (known == entries.end()) {
    entries.push_back(std::move(entry));
    return;
  }
  if (known - entries.begin() >= static_cast<std::ptrdiff_t>(inherited))
    reject(entry.origin, "name", fmt::format("'{}' stands already at {}", entry.name, known->origin));
  known->origin = entry.origin;
  if (!entry.group.empty()) known->group = entry.group;
  if (!entry.config.empty()) known->config = entry.config;
  if (!entry.relative.empty()) known->relative = entry.relative;
  if (!entry.seeds.empty()) known->seeds = entry.seeds;
  if (entry.average > 0) known->average = entry.average;
  if (entry.paper.perplexity) known->paper.perplexity = entry.paper.perplexity;
  if (entry.paper.score) known->paper.score = entry.paper.score;
  if (entry.paper.bleu) known->paper.bleu = entry.paper.bleu;
  if (entry.paper.parameters) known->paper.parameters = entry.paper.parameters;
  forget(known->scale, entry.set);
  forget(known->set, entry.scale);
  replace_or_add(known->set, std::move(entry.set));
  replace_or_add(known->scale, std::move(entry.scale));
}

ExperimentEntries read_entries(const fs::path& file, std::vector<fs::path>& chain);

/// The list that a key names, read whole; nothing without the key. `chain` has the lists that led here.
std::optional<ExperimentEntries> read_named_list(const EntriesReader& reader, const YAML::Node& root,
                                                 const char* key, std::vector<fs::path>& chain) {
  const auto node = root[key];
  if (!node) return std::nullopt;
  std::string path;
  const auto origin = place(reader.name(), node.Mark());
  reader.path(key, path)(node, origin);
  for (const auto& link : chain) {
    std::error_code ignored;
    if (fs::equivalent(link, path, ignored)) reject(origin, key, fmt::format("circular: {} again", path));
  }
  check_extends(origin, path, key);
  return read_entries(path, chain);
}

Reader each(const char* key, std::function<void(const YAML::Node&)> read) {
  return [key, read = std::move(read)](const YAML::Node& value, const std::string& origin) {
    if (!value.IsSequence()) reject(origin, key, fmt::format("expected a list, found {}", describe(value)));
    for (const auto& node : value) read(node);
  };
}

/// The keys of one list; `entries` has what it extends.
void read_list(const EntriesReader& reader, const YAML::Node& root, ExperimentEntries& entries) {
  const auto read_above = [](const YAML::Node&, const std::string&) {};
  const auto base = [&](const YAML::Node& value, const std::string& origin) {
    reader.path("base", entries.base)(value, origin);
    entries.base_origin = origin;
  };
  const auto target = [&](const YAML::Node& value, const std::string& origin) {
    EntriesReader::number("target", entries.target)(value, origin);
    entries.target_origin = origin;
  };
  const auto published = [&](const YAML::Node& node) {
    entries.published.push_back(read_published(reader, node));
  };
  const auto claim = [&](const YAML::Node& node) { entries.claims.push_back(read_claim(reader, node)); };
  const auto experiment = [&, inherited = entries.experiments.size()](const YAML::Node& node) {
    add_entry(entries.experiments, read_entry(reader, node), inherited);
  };
  reader.read_keys(root,
                   {{"title", reader.text("title", entries.title)},
                    {"extends", read_above},
                    {"relative", read_above},
                    {"base", base},
                    {"output", reader.path("output", entries.output)},
                    {"seeds", EntriesReader::seeds(entries.seeds)},
                    {"average", EntriesReader::average(entries.average)},
                    {"test", EntriesReader::boolean("test", entries.test)},
                    {"tokenize", EntriesReader::tokenizations(entries.tokenize)},
                    {"sustained", EntriesReader::positive("sustained", entries.sustained, "FLOP/s above 0")},
                    {"target", target},
                    {"reach_base", EntriesReader::boolean("reach_base", entries.reach_base)},
                    {"published", each("published", published)},
                    {"claims", each("claims", claim)},
                    {"set",
                     [&](const YAML::Node& value, const std::string& origin) {
                       std::vector<Setting> set;
                       reader.settings(set)(value, origin);
                       replace_or_add(entries.set, std::move(set));
                     }},
                    {"experiments", each("experiments", experiment)}});
}

ExperimentEntries read_entries(const fs::path& file, std::vector<fs::path>& chain) {
  constexpr std::size_t kMost = 100;
  const EntriesReader reader(file);
  ExperimentEntries entries;
  chain.push_back(file);
  if (chain.size() > kMost)
    throw InputError(fmt::format("{}: expected at most {} lists that extend one another, found more",
                                 reader.name(), kMost));
  with_document(read_file(file, kLongestConfiguration), reader.name(), [&](const YAML::Node& root) {
    if (!root.IsMap())
      throw InputError(fmt::format("{}: expected keys with values, found {}",
                                   place(reader.name(), root.Mark()), describe(root)));
    if (auto parent = read_named_list(reader, root, "extends", chain)) entries = std::move(*parent);
    if (auto rows = read_named_list(reader, root, "relative", chain)) {
      const auto inherited = entries.experiments.size();
      for (auto& entry : in_proportion(std::move(*rows), place(reader.name(), root["relative"].Mark())))
        add_entry(entries.experiments, std::move(entry), inherited);
    }
    read_list(reader, root, entries);
  });
  chain.pop_back();
  return entries;
}

}  // namespace

ExperimentEntries read_experiment_entries(const fs::path& file) {
  std::vector<fs::path> chain;
  return read_entries(file, chain);
}

}  // namespace transformer::experiments
