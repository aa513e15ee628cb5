#include "data/demo_corpus/sentence_sampler.h"

#include <memory>

namespace transformer::demo {
namespace {

using Kind = Conjunction::Kind;

struct Link {
  Conjunction conjunction;
  Period main, other;
  unsigned weight;
  bool may_lead;  // the subordinate clause may stand in front
};

const std::vector<Link>& links() {
  static const std::vector<Link> all = {
      {{"because", "weil", Kind::subordinating}, Period::past, Period::past, 9, true},
      {{"because", "weil", Kind::subordinating}, Period::present, Period::present, 9, true},
      {{"although", "obwohl", Kind::subordinating}, Period::past, Period::past, 7, true},
      {{"although", "obwohl", Kind::subordinating}, Period::present, Period::present, 7, true},
      {{"if", "wenn", Kind::subordinating}, Period::present, Period::present, 10, true},
      {{"when", "als", Kind::subordinating}, Period::past, Period::past, 8, true},
      {{"before", "bevor", Kind::subordinating}, Period::past, Period::past, 5, true},
      {{"while", "während", Kind::subordinating}, Period::past, Period::past, 5, true},
      {{"as soon as", "sobald", Kind::subordinating}, Period::present, Period::present, 5, true},
      {{"after", "nachdem", Kind::subordinating}, Period::past, Period::past, 6, true},
      {{"so that", "damit", Kind::subordinating}, Period::present, Period::present, 5, false},
      {{"and", "und", Kind::coordinating}, Period::any, Period::any, 8, false},
      {{"but", "aber", Kind::coordinating}, Period::any, Period::any, 8, false},
      {{"and therefore", "und deshalb", Kind::inverting}, Period::past, Period::past, 4, false},
      {{"and therefore", "und deshalb", Kind::inverting}, Period::present, Period::present, 4, false}};
  return all;
}

// Simple tenses only: what happens while, when or before something else.
void make_simple(Clause& clause, Tense tense) {
  clause.tense = tense;
  clause.modal = Modal::none;
  clause.time = nullptr;
  if (clause.front == Front::time) clause.front = Front::none;
}

}  // namespace

SentenceSampler::SentenceSampler(Random& random) : random_(random), phrases_(random) {}

Clause SentenceSampler::thing_at_place(const ClauseShape& shape) {
  Clause clause;
  clause.verb = &verb(Frame::position);
  clause.subject = phrases_.noun_phrase(clause.verb->objects);
  fill_objects(clause);
  choose_tense(clause, shape.period);
  if (shape.relatives) add_relative(clause.subject, shape.period);
  add_adverbials(clause, shape);
  maybe_negate(clause);
  return clause;
}

Clause SentenceSampler::weather(const ClauseShape& shape) {
  Clause clause;
  clause.verb = &verb(Frame::weather);
  clause.subject = NounPhrase{};
  clause.subject->pronoun = Pronoun::it;
  choose_tense(clause, shape.period);
  if (clause.modal != Modal::none) {
    clause.modal = Modal::none;
    clause.tense = shape.period == Period::past ? Tense::past : Tense::present;
  }
  if (random_.chance(35)) {
    clause.place = PlacePhrase{"in", "in", Case::dative, std::nullopt, phrases_.town()};
  }
  add_adverbials(clause, shape);
  return clause;
}

Clause SentenceSampler::clause(const ClauseShape& shape) {
  switch (phrases_.weighted({74, 16, 7, 3})) {
    case 0:
      return action(shape);
    case 1:
      return copula(shape);
    case 2:
      return thing_at_place(shape);
    default:
      return weather(shape);
  }
}

Clause SentenceSampler::infinitive() {
  constexpr std::array<Frame, 6> frames = {Frame::transitive,   Frame::transitive, Frame::dative,
                                           Frame::ditransitive, Frame::motion,     Frame::prepositional};
  Clause clause;
  clause.verb = &verb(frames.at(random_.below(frames.size())));
  fill_objects(clause);
  if (random_.chance(12)) clause.manner = &random_.pick(lexicon().manner);
  return clause;
}

Clause SentenceSampler::with_complement(Frame frame, const ClauseShape& shape) {
  Clause result;
  result.verb = &verb(frame);
  result.subject = phrases_.person(shape.pronouns, {true, false});
  choose_tense(result, shape.period);
  add_adverbials(result, {.front = shape.front, .trailing = false});
  if (frame == Frame::infinitive) {
    result.complement = std::make_shared<Clause>(infinitive());
  } else {
    result.complement = std::make_shared<Clause>(clause({.relatives = random_.chance(12)}));
  }
  maybe_negate(result);
  return result;
}

Sentence SentenceSampler::joined() {
  unsigned total = 0;
  for (const Link& link : links()) total += link.weight;
  auto left = static_cast<unsigned>(random_.below(total));
  const Link* link = links().data();
  for (; left >= link->weight; ++link) left -= link->weight;

  Sentence sentence;
  sentence.conjunction = &link->conjunction;
  const bool subordinate = link->conjunction.kind == Kind::subordinating;
  sentence.other_first = link->may_lead && random_.chance(40);
  // In front of a conjunction nothing may be left open; behind it everything is settled.
  sentence.main = clause({.period = link->main, .front = !sentence.other_first && random_.chance(20)});
  const bool coordinate_front = link->conjunction.kind == Kind::coordinating && random_.chance(15);
  sentence.other = clause({.period = link->other, .front = coordinate_front});
  Clause& other = *sentence.other;
  const std::string& word = link->conjunction.de;
  if (word == "nachdem") {
    make_simple(other, Tense::pluperfect);
  } else if (word == "als" || word == "bevor" || word == "während") {
    const bool readable = other.verb->en != other.verb->en_past;
    if (readable) make_simple(other, Tense::past);
  } else if (word == "sobald" || word == "wenn") {
    if (other.tense == Tense::future) make_simple(other, Tense::present);
  }
  if (word == "nachdem" && other.verb->frame == Frame::copula) other.tense = Tense::past;
  if (subordinate && random_.chance(20) && !sentence.other_first) sentence.main.time = nullptr;
  if (sentence.main.time == nullptr && sentence.main.front == Front::time) sentence.main.front = Front::none;
  return sentence;
}

// Anna buys the old table because it is cheap: the pronoun takes the noun's gender.
Sentence SentenceSampler::about_object() {
  Sentence sentence;
  const Period period = random_.chance(50) ? Period::past : Period::present;
  Clause main;
  do {
    main.verb = &verb(Frame::transitive);
    fill_objects(main);
  } while (main.accusative->noun == nullptr || main.accusative->noun->kind == Class::person ||
           main.accusative->determiner == Determiner::every || main.accusative->determiner == Determiner::no);
  main.subject = phrases_.person(false, {false, false});
  choose_tense(main, period);
  add_adverbials(main, {.front = true, .trailing = false});
  Clause other;
  other.verb = &lexicon().verb("be");
  NounPhrase pronoun;
  pronoun.pronoun = main.accusative->number == Number::plural ? Pronoun::they : Pronoun::it;
  pronoun.owner_gender = main.accusative->noun->gender;
  pronoun.refers_to_object = true;
  other.subject = pronoun;
  other.predicate = phrases_.predicate(*main.accusative->noun);
  if (other.predicate == nullptr) other.predicate = &lexicon().adjective("good");
  other.tense = period == Period::past ? Tense::past : Tense::present;
  other.negated = random_.chance(15);
  sentence.conjunction = &links()[random_.chance(60) ? 0 : 2].conjunction;
  sentence.main = std::move(main);
  sentence.other = std::move(other);
  return sentence;
}

Sentence SentenceSampler::sentence() {
  Sentence sentence;
  switch (phrases_.weighted({22, 5, 24, 27, 6, 9, 2, 7, 6})) {
    case 0:
      sentence.main = clause({.front = true});
      break;
    case 1:
      sentence.main = action({.question = true});
      break;
    case 2:
      sentence.main = clause({.front = random_.chance(40), .relatives = true});
      break;
    case 3:
      return joined();
    case 4:
      return about_object();
    case 5:
      sentence.main = with_complement(Frame::that, {.front = random_.chance(30)});
      break;
    case 6:
      sentence.main = with_complement(Frame::whether, {});
      break;
    case 7:
      sentence.main = with_complement(Frame::infinitive, {.front = random_.chance(30)});
      break;
    default:
      sentence.main = action({.front = true, .trailing = false});
      sentence.main.purpose = std::make_shared<Clause>(infinitive());
  }
  return sentence;
}

}  // namespace transformer::demo
