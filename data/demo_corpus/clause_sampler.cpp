// The parts of SentenceSampler that draw one clause.
#include <memory>

#include "data/demo_corpus/sentence_sampler.h"

namespace transformer::demo {
namespace {

bool scopeless(const std::optional<NounPhrase>& phrase) {
  if (!phrase || phrase->noun == nullptr) return true;
  switch (phrase->determiner) {
    case Determiner::no:
    case Determiner::every:
    case Determiner::many:
    case Determiner::some:
    case Determiner::both:
      return false;
    default:
      return true;
  }
}

bool has_no(const std::optional<NounPhrase>& phrase) {
  return phrase && phrase->noun != nullptr && phrase->determiner == Determiner::no;
}

// Verbs that say nothing without a place.
bool needs_place(const Verb& verb) {
  return verb.en == "live" || verb.en == "stay" || verb.en == "arrive" || verb.en == "appear" ||
         verb.en == "sit";
}

constexpr Classes kThings = bit(Class::clothing) | bit(Class::furniture) | bit(Class::object) |
                            bit(Class::opening) | bit(Class::device) | bit(Class::vehicle) |
                            bit(Class::building) | bit(Class::plant) | bit(Class::text) | bit(Class::room) |
                            bit(Class::fruit) | bit(Class::pastry);

}  // namespace

const Verb& SentenceSampler::verb(Frame frame) {
  std::vector<const Verb*> choices;
  for (const Verb& verb : lexicon().verbs) {
    if (verb.frame == frame) choices.push_back(&verb);
  }
  return *pick_common(random_, choices);
}

const Verb* SentenceSampler::verb_for(Frame frame, const Noun& object) {
  std::vector<const Verb*> choices;
  for (const Verb& verb : lexicon().verbs) {
    if (verb.frame == frame && (verb.objects & bit(object.kind)) != 0) choices.push_back(&verb);
  }
  return choices.empty() ? nullptr : pick_common(random_, choices);
}

void SentenceSampler::fill_objects(Clause& clause) {
  const Verb& verb = *clause.verb;
  const bool of_persons = (verb.objects & bit(Class::person)) != 0;
  const auto object = [&]() -> NounPhrase {
    if (of_persons && random_.chance(30))
      return random_.chance(40) ? phrases_.someone_else() : phrases_.name();
    return phrases_.noun_phrase(verb.objects);
  };
  switch (verb.frame) {
    case Frame::transitive:
      clause.accusative = object();
      break;
    case Frame::dative:
      clause.dative = object();
      break;
    case Frame::prepositional:
      do {
        clause.prepositional = object();
      } while (clause.prepositional->determiner == Determiner::no);  // no "kein" behind a preposition
      break;
    case Frame::ditransitive:
      // No pronoun: "gives her books" would have two readings.
      clause.dative = phrases_.person(false, {false, false});
      clause.accusative = phrases_.noun_phrase(verb.objects, {true, false});
      break;
    case Frame::motion:
      clause.place = phrases_.goal();
      break;
    case Frame::put:
      clause.accusative = phrases_.noun_phrase(verb.objects, {true, false});
      clause.place = phrases_.surface(true);
      break;
    case Frame::position:
      clause.place = phrases_.surface(false);
      break;
    case Frame::location:
      if (needs_place(verb) || random_.chance(65)) clause.place = phrases_.location();
      break;
    default:
      break;
  }
}

void SentenceSampler::choose_tense(Clause& clause, Period period) {
  if (period == Period::any) period = random_.chance(50) ? Period::present : Period::past;
  const bool plain = clause.verb->frame == Frame::copula || clause.verb->frame == Frame::position;
  if (period == Period::present) {
    constexpr std::array<Modal, 5> modals = {Modal::can, Modal::must, Modal::should, Modal::may,
                                             Modal::wants};
    switch (phrases_.weighted({58, plain ? 0U : 26U, plain ? 8U : 16U})) {
      case 0:
        break;
      case 1:
        clause.modal = modals.at(random_.below(modals.size()));
        break;
      default:
        clause.tense = Tense::future;
    }
    return;
  }
  constexpr std::array<Modal, 3> modals = {Modal::could, Modal::had_to, Modal::wanted};
  const bool same_past = clause.verb->en == clause.verb->en_past;  // "they read": present or past?
  switch (phrases_.weighted({same_past ? 0U : 58U, plain ? 0U : 28U, plain ? (same_past ? 1U : 0U) : 14U})) {
    case 0:
      clause.tense = Tense::past;
      break;
    case 1:
      clause.tense = Tense::perfect;
      break;
    default:
      clause.modal = modals.at(random_.below(modals.size()));
  }
}

void SentenceSampler::add_adverbials(Clause& clause, const ClauseShape& shape) {
  if (random_.chance(9) && !has_no(clause.subject) && !has_no(clause.accusative) && !has_no(clause.dative)) {
    clause.frequency = &random_.pick(lexicon().frequency);
  }
  const bool perfect = clause.tense == Tense::perfect || clause.tense == Tense::pluperfect;
  const bool past = clause.tense == Tense::past || clause.modal == Modal::could ||
                    clause.modal == Modal::had_to || clause.modal == Modal::wanted;
  const Lexicon& words = lexicon();
  const auto& times = past                            ? words.past_times
                      : clause.tense == Tense::future ? words.future_times
                                                      : words.present_times;
  const bool time = !perfect && clause.frequency == nullptr && random_.chance(36);
  if (time && (shape.front || shape.trailing)) {
    clause.time = &random_.pick(times);
    if (shape.front && (!shape.trailing || random_.chance(50))) clause.front = Front::time;
  }
  const Frame frame = clause.verb->frame;
  const bool agent = frame == Frame::transitive || frame == Frame::prepositional || frame == Frame::location;
  if (agent && shape.trailing && random_.chance(10)) clause.manner = &random_.pick(words.manner);
  const bool takes_place =
      frame == Frame::transitive && (shape.trailing || (shape.front && clause.front == Front::none));
  if (takes_place && random_.chance(22)) clause.place = phrases_.location();
  const bool place_in_front =
      clause.place && clause.front == Front::none && shape.front &&
      (frame == Frame::location || frame == Frame::position || frame == Frame::transitive);
  if (place_in_front && (!shape.trailing || random_.chance(25))) clause.front = Front::place;
}

void SentenceSampler::maybe_negate(Clause& clause) {
  if (!random_.chance(15) || clause.frequency != nullptr || clause.modal == Modal::must) return;
  for (const auto* phrase : {&clause.subject, &clause.accusative, &clause.dative, &clause.prepositional}) {
    if (!scopeless(*phrase) || (*phrase && (*phrase)->relative != nullptr)) return;
  }
  clause.negated = true;
}

void SentenceSampler::add_relative(std::optional<NounPhrase>& phrase, Period period) {
  const bool free = phrase && phrase->noun != nullptr && phrase->town.empty() && phrase->with == nullptr &&
                    phrase->possessor == nullptr && !phrase->noun->mass() &&
                    phrase->determiner != Determiner::no;
  if (!free) return;
  Clause clause = relative(*phrase, period);
  if (clause.verb != nullptr) phrase->relative = std::make_shared<Clause>(std::move(clause));
}

Clause SentenceSampler::relative(const NounPhrase& antecedent, Period period) {
  const Noun& noun = *antecedent.noun;
  const bool person = noun.kind == Class::person;
  const bool enterable = noun.kind == Class::building || noun.kind == Class::room;
  const Extras plain{false, false};
  Clause clause;
  switch (phrases_.weighted(
      {person ? 34U : 0U, 30, person ? 8U : 0U, 12, enterable ? 30U : 0U, person ? 12U : 4U, 14})) {
    case 0: {  // who helps the child
      constexpr std::array<Frame, 6> frames = {Frame::transitive,    Frame::transitive, Frame::dative,
                                               Frame::prepositional, Frame::location,   Frame::motion};
      clause.gap = Gap::subject;
      clause.verb = &verb(frames.at(random_.below(frames.size())));
      fill_objects(clause);
      break;
    }
    case 1:  // that Anna buys
      clause.gap = Gap::accusative;
      clause.verb = verb_for(Frame::transitive, noun);
      clause.subject = phrases_.person(true, plain);
      break;
    case 2:  // whom Anna thanks
      clause.gap = Gap::dative;
      clause.verb = verb_for(Frame::dative, noun);
      clause.subject = phrases_.person(true, plain);
      break;
    case 3:  // for whom Anna waits
      clause.gap = Gap::prepositional;
      clause.verb = verb_for(Frame::prepositional, noun);
      // "doubt" has no preposition to stand before "which".
      if (clause.verb != nullptr && clause.verb->en_particle.empty()) return {};
      if (clause.verb != nullptr && clause.verb->en_particle.find(' ') != std::string::npos) return {};
      clause.subject = phrases_.person(true, plain);
      break;
    case 4:  // in which Anna works
      clause.gap = Gap::place;
      clause.verb = &verb(Frame::location);
      clause.place = PlacePhrase{"in", "in", Case::dative, std::nullopt, ""};
      clause.subject = phrases_.person(true, plain);
      break;
    case 5: {  // whose house is old
      clause.gap = Gap::whose;
      const Classes owned = person ? kThings | bit(Class::animal) | bit(Class::person) : bit(Class::part);
      NounPhrase subject = phrases_.noun_phrase(owned & ~bit(Class::fruit) & ~bit(Class::pastry), plain);
      subject.determiner = Determiner::whose;
      subject.owner_gender = noun.gender;
      subject.owner_number = antecedent.number;
      std::erase_if(subject.adjectives, [](const Adjective* a) { return a->degree != Degree::positive; });
      clause.verb = &lexicon().verb("be");
      clause.predicate = phrases_.predicate(*subject.noun);
      clause.subject = std::move(subject);
      if (clause.predicate == nullptr) return {};
      break;
    }
    default:  // that is old
      clause.gap = Gap::subject;
      clause.verb = &lexicon().verb("be");
      clause.predicate = phrases_.predicate(noun);
      if (clause.predicate == nullptr) return {};
  }
  if (clause.verb == nullptr) return {};
  choose_tense(clause, period);
  if (random_.chance(20)) add_adverbials(clause, {.front = false, .trailing = true});
  return clause;
}

Clause SentenceSampler::action(const ClauseShape& shape) {
  constexpr std::array<Frame, 7> frames = {Frame::transitive,   Frame::dative, Frame::prepositional,
                                           Frame::ditransitive, Frame::motion, Frame::location,
                                           Frame::put};
  Clause clause;
  clause.verb = &verb(frames.at(phrases_.weighted({50, 7, 12, 10, 8, 8, 5})));
  clause.subject = phrases_.person(shape.pronouns);
  fill_objects(clause);
  choose_tense(clause, shape.period);
  clause.question = shape.question;
  ClauseShape left = shape;
  if (shape.relatives) {
    if (random_.chance(45)) {
      auto& object = clause.accusative ? clause.accusative
                     : clause.dative   ? clause.dative
                                       : clause.prepositional;
      if (clause.verb->frame != Frame::put) add_relative(object, shape.period);
      if (object && object->relative != nullptr) left.trailing = false;
    } else {
      add_relative(clause.subject, shape.period);
    }
  }
  add_adverbials(clause, left);
  if (!shape.question) maybe_negate(clause);
  return clause;
}

Clause SentenceSampler::copula(const ClauseShape& shape) {
  Clause clause;
  clause.verb = &lexicon().verb("be");
  clause.subject =
      random_.chance(40)
          ? phrases_.person(shape.pronouns)
          : phrases_.noun_phrase(kThings | bit(Class::animal) | bit(Class::event) | bit(Class::idea) |
                                 bit(Class::text) | bit(Class::mass) | bit(Class::drink));
  const Noun& model = clause.subject->noun != nullptr ? *clause.subject->noun : lexicon().noun("woman");
  if (random_.chance(35)) {
    for (int attempt = 0; attempt < 20 && clause.predicate == nullptr; ++attempt) {
      const Adjective* adjective = phrases_.adjective(model, true);
      if (adjective != nullptr && adjective->degree == Degree::comparative) clause.predicate = adjective;
    }
    if (clause.predicate != nullptr) clause.than = phrases_.noun_phrase(bit(model.kind), {true, false});
  }
  if (clause.predicate == nullptr) clause.predicate = phrases_.predicate(model);
  if (clause.predicate == nullptr) clause.predicate = &lexicon().adjective("good");
  choose_tense(clause, shape.period);
  if (shape.relatives) add_relative(clause.subject, shape.period);
  ClauseShape left = shape;
  left.trailing = left.trailing && !clause.than;
  add_adverbials(clause, left);
  maybe_negate(clause);
  if (has_no(clause.than)) clause.than->determiner = Determiner::definite;
  return clause;
}

}  // namespace transformer::demo
