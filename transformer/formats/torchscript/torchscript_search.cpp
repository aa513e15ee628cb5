#include "transformer/formats/torchscript/torchscript_search.h"

#include <fmt/format.h>

namespace transformer::formats {
namespace {

// Each sentence has `beam` places for open hypotheses. A place without one has the log-probability -inf.
// search/beam_search.h says which hypotheses are kept, which are finished and when a sentence is done.
constexpr const char* kSearch = R"python(
def select(self, cache: List[Tensor], sentences: Tensor, hypotheses: Tensor) -> List[Tensor]:
    kept: List[Tensor] = []
    for i in range(len(cache)):
        if self.selected_by[i] == 0:
            kept.append(cache[i])
        elif self.selected_by[i] == 1:
            same = sentences.size(0) == cache[i].size(0)
            kept.append(cache[i] if same else cache[i].index_select(0, sentences))
        else:
            kept.append(cache[i].index_select(0, hypotheses))
    return kept

def length_penalty(self, length: Tensor, alpha: float) -> Tensor:
    base = length.double()
    if self.gnmt:
        base = (base + 5.0) / 6.0
    return base.pow(alpha)

def next_log_probabilities(self, logits: Tensor, must_end: Tensor) -> Tensor:
    result = torch.log_softmax(logits.float(), -1)
    tokens = torch.arange(result.size(-1), device=result.device)
    never = (tokens == self.pad) | (tokens == self.begin) | (must_end.unsqueeze(1) & (tokens != self.end))
    return result.masked_fill(never.unsqueeze(1), float("-inf"))

def translate(self, source: Tensor, lengths: Tensor, beam: int = BEAM, alpha: float = ALPHA,
              max_length: int = 0) -> Tuple[Tensor, Tensor]:
    assert source.dim() == 2 and source.dtype == torch.arange(1).dtype, "source: expected int64 ids (B, S)"
    assert lengths.dim() == 1 and lengths.size(0) == source.size(0), "lengths: expected (B)"
    assert beam >= 1, "beam: expected at least 1"
    assert max_length >= 0, "max_length: expected a number of tokens, or 0"
    sentences = source.size(0)
    device = source.device
    ids = source.new_full([sentences, 0], self.pad)
    scores = torch.full([sentences], float("-inf"), device=device).double()
    if sentences == 0:
        return ids, scores
    lengths = lengths.to(device)
    assert int(lengths.min()) >= 1 and int(lengths.max()) <= source.size(1), "lengths: expected 1 to S"
    assert int(lengths.max()) <= self.longest + 1, "source: longer than the model's learned positions"
    source = source[:, :int(lengths.max())]
    places = torch.arange(source.size(1), device=device)
    source = source.masked_fill(places >= lengths.unsqueeze(1), self.pad)

    limits = lengths - 1 + self.length_offset
    if max_length > 0:
        limits = torch.full_like(lengths, max_length)
    limits = limits.clamp(0, self.longest)
    START
    rows = torch.arange(sentences, device=device)  # the sentences that are searched still
    tokens = source.new_full([sentences, 1, 1], self.begin)
    open = torch.zeros([sentences, 1], device=device)
    length = 0
    taken = 2 * beam if self.twice and beam > 1 else beam
    while rows.size(0) > 0:
        logits, cache = self.decode_step(tokens[:, :, -1], cache)
        next = self.next_log_probabilities(logits, limits == length)
        width = next.size(1)
        values, found = next.topk(min(taken, next.size(2)), 2)
        every = (open.unsqueeze(2) + values).flatten(1)
        best, place = every.topk(min(taken, every.size(1)), 1)
        parents = torch.div(place, values.size(2), rounding_mode="floor")
        token = found.flatten(1).gather(1, place)
        past = tokens.gather(1, parents.unsqueeze(2).expand(-1, -1, tokens.size(2)))

        ended = (token == self.end) & (best > float("-inf"))
        own = best.double() / self.length_penalty(torch.tensor(length + 1), alpha).to(device)
        score, winner = own.masked_fill(~ended, float("-inf")).max(1)
        before = scores.index_select(0, rows)
        better = score > before
        ids = torch.constant_pad_nd(ids, [0, 1], self.pad)
        winning = past.gather(1, winner.view(-1, 1, 1).expand(-1, 1, past.size(2))).squeeze(1)[:, 1:]
        winning = torch.constant_pad_nd(winning, [0, 1], self.pad)
        ids[rows] = torch.where(better.unsqueeze(1), winning, ids.index_select(0, rows))
        scores[rows] = torch.where(better, score, before)

        open = best.masked_fill(ended, float("-inf"))
        if open.size(1) > beam:
            open, place = open.topk(beam, 1)
            parents = parents.gather(1, place)
            token = token.gather(1, place)
            past = past.gather(1, place.unsqueeze(2).expand(-1, -1, past.size(2)))
        tokens = torch.cat([past, token.unsqueeze(2)], 2)
        length += 1
        most = torch.maximum(self.length_penalty(torch.tensor(length + 1, device=device), alpha),
                             self.length_penalty(limits + 1, alpha))
        promise, _ = open.max(1)
        going = (promise > float("-inf")) & (promise.double() / most > scores.index_select(0, rows))
        kept = going.nonzero().squeeze(1)
        hypotheses = (torch.arange(rows.size(0), device=device).unsqueeze(1) * width + parents)
        if kept.size(0) < rows.size(0):
            rows = rows.index_select(0, kept)
            limits = limits.index_select(0, kept)
            open = open.index_select(0, kept)
            tokens = tokens.index_select(0, kept)
            hypotheses = hypotheses.index_select(0, kept)
        cache = self.select(cache, kept, hypotheses.flatten())
    longest = int((ids != self.pad).sum(1).max())
    return ids[:, :longest], scores
)python";

constexpr const char* kGeneration = R"python(
def generate(self, text: Tensor, max_tokens: int = 256, temperature: float = 0.0, top_k: int = 0) -> Tensor:
    assert text.dim() == 2 and text.dtype == torch.arange(1).dtype, "text: expected int64 ids (B, T)"
    assert text.size(1) >= 1, "text: expected what texts begin with in front"
    assert text.size(1) <= self.longest + 1, "text: longer than the model's learned positions"
    assert max_tokens >= 0 and temperature >= 0 and top_k >= 0, "expected options from 0"
    cache = self.start(text[:, :-1])
    last = text[:, -1:]
    ids = text[:, :0]
    going = torch.ones_like(text[:, 0]) > 0
    for i in range(min(max_tokens, self.longest + 2 - text.size(1))):
        logits, cache = self.decode_step(last, cache)
        scores = logits[:, 0].float()
        tokens = torch.arange(scores.size(1), device=scores.device)
        scores = scores.masked_fill((tokens == self.pad) | (tokens == self.begin), float("-inf"))
        if temperature > 0:
            if top_k > 0:
                least = scores.topk(min(top_k, scores.size(1)), 1)[0][:, -1:]
                scores = scores.masked_fill(scores < least, float("-inf"))
            last = torch.multinomial(torch.softmax(scores / temperature, 1), 1)
        else:
            last = scores.argmax(1, keepdim=True)
        going = going & (last[:, 0] != self.end)
        if not bool(going.any()):
            break
        last = last.masked_fill(~going.unsqueeze(1), self.pad)
        ids = torch.cat([ids, last], 1)
    return ids
)python";

void replace(std::string& text, std::string_view word, const std::string& by) {
  text.replace(text.find(word), word.size(), by);
}

}  // namespace

std::string torchscript_search(std::int64_t beam, double alpha, const std::string& start) {
  std::string text = kSearch;
  replace(text, "START", start);
  replace(text, "BEAM", std::to_string(beam));
  replace(text, "ALPHA", fmt::format("{:#}", alpha));  // a number with a point
  return text;
}

std::string torchscript_generation() {
  return kGeneration;
}

}  // namespace transformer::formats
