#!/usr/bin/env python3
"""CTranslate2 runs the exported folder: the same log-probabilities, the same translations, the same greedy texts.

Its beam search fills the beam otherwise than ours when hypotheses finish, so a few outputs of it may differ.

usage: check_ctranslate2.py BIN_DIR WORK_DIR
"""
import pathlib
import sys

import ctranslate2
import sentencepiece
import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent / "common"))
from exports import (BEGIN, END, Programs, longest_equal, stories, tokenizer_files, tokenizer_of,  # noqa: E402
                     trained_model)

TOLERANCE = 1e-4
CONTINUED = 100  # tokens of a language model's text
LONGER = 50  # tokens that an output may have beyond its source


class Check:
    def __init__(self, programs, model):
        self.programs, self.model = programs, model
        folder = programs.export(model, "ctranslate2")
        self.translator = ctranslate2.Translator(str(folder), compute_type="float32", intra_threads=1)
        self.source, self.target = (
            sentencepiece.SentencePieceProcessor(model_file=str(f)) for f in tokenizer_files(folder))

    def score_difference(self, sentences, outputs):
        """The largest difference of the log-probabilities of all tokens of these outputs, given as pieces."""
        sources = self.source.encode(sentences)
        targets = [[self.target.piece_to_id(piece) for piece in output] for output in outputs]
        native = self.programs.logits(self.model, sources, targets)
        worst = 0.0
        for logits, ids, scores in zip(native, targets, self.translator.score_batch(self.pieces(sentences), outputs)):
            ours = logits.double().log_softmax(-1).gather(1, torch.tensor(ids + [END])[:, None])[:, 0]
            worst = max(worst, (ours - torch.tensor(scores.log_probs)).abs().max().item())
        return worst

    def translate(self, sentences, beam):
        """Their output of each sentence as pieces. Those of one length have one limit."""
        pieces, outputs = self.pieces(sentences), {}
        for length in sorted({len(p) for p in pieces}):
            rows = [i for i, p in enumerate(pieces) if len(p) == length]
            found = self.translator.translate_batch(
                [pieces[i] for i in rows], beam_size=beam, length_penalty=0, min_decoding_length=0,
                max_decoding_length=length + LONGER, max_batch_size=32, suppress_sequences=[["<pad>"], ["<s>"]])
            outputs |= {i: result.hypotheses[0] for i, result in zip(rows, found)}
        return [outputs[i] for i in range(len(sentences))]

    def native(self, sentences, beam):
        # Theirs takes 2 · beam candidates a step, too, but those below the best `beam` may not end.
        return self.programs.translate(self.model, sentences, "--alpha", "0", "--beam", str(beam),
                                       "--candidates", "beam", "--length-offset", str(LONGER))

    def pieces(self, sentences):
        return self.source.encode(sentences, out_type=str)


def check_language(programs, name, model, texts):
    """Greedy continuations, and the log-probabilities of the tokens of both."""
    generator = ctranslate2.Generator(str(programs.export(model, "ctranslate2")), compute_type="float32", intra_threads=1)
    tokenizer = tokenizer_of(programs, model)
    ids = tokenizer.encode(texts)
    start = [tokenizer.id_to_piece([BEGIN] + row) for row in ids]
    found = [generator.generate_batch([row], max_length=CONTINUED, sampling_topk=1, include_prompt_in_result=False,
                                      suppress_sequences=[["<pad>"], ["<s>"]])[0] for row in start]
    outputs = [[i for i in result.sequences_ids[0] if i != END] for result in found]
    ours = programs.generate(model, texts, CONTINUED)
    equal, tokens = sum(map(longest_equal, ours, outputs)), sum(max(map(len, pair)) for pair in zip(ours, outputs))
    whole = [row + output for row, output in zip(ids, ours)]
    worst = 0.0
    scores = generator.score_batch([tokenizer.id_to_piece([BEGIN] + row) for row in whole])
    for row, result, logits in zip(whole, scores, programs.logits(model, [[]] * len(ids), [[BEGIN] + row for row in whole])):
        native = logits.double().log_softmax(-1)[:len(row)].gather(1, torch.tensor(row)[:, None])[:, 0]
        worst = max(worst, (native - torch.tensor(result.log_probs)).abs().max().item())
    print(f"  {name:<20} {equal} of {tokens} greedy tokens equal; largest difference of a token's log-probability "
          f"{worst:.1e}", flush=True)
    return equal < tokens or not worst <= TOLERANCE


def main():
    programs = Programs(*sys.argv[1:3])
    sentences, failed = programs.prepare(), False
    models = []
    for name, model in programs.random_models():
        if refused := programs.refused_key(name, model, "ctranslate2"):
            print(f"  {name:<20} refused: {refused}")
        else:
            models.append((name, model, sentences[:10]))
    if trained := trained_model():
        models.append((trained[0].name, *trained))
    for name, model, text in models:
        check = Check(programs, model)
        line = f"  {name:<20}"
        for beam, enough in (1, 1.0), (4, 0.95):
            theirs = check.translate(text, beam)
            pairs = [(ours, check.target.decode_pieces(pieces))
                     for source, ours, pieces in zip(check.pieces(text), check.native(text, beam), theirs)
                     if beam == 1 or len(pieces) < len(source) + LONGER]  # an output that was cut has no score
            equal = sum(ours == output for ours, output in pairs)
            failed |= equal < enough * len(pairs)
            line += f" beam {beam}: {equal} of {len(pairs)} outputs equal;"
        difference = check.score_difference(text[:200], theirs[:200])
        failed |= not difference <= TOLERANCE
        print(f"{line} largest difference of a token's log-probability {difference:.1e}", flush=True)
    models = stories(programs)
    for name, model in programs.random_language_models():
        if refused := programs.refused_key(name, model, "ctranslate2"):
            print(f"  {name:<20} refused: {refused}")
        else:
            models.append((name, model, sentences[:8]))
    for name, model, text in models:
        failed |= check_language(programs, name, model, text)
    sys.exit(failed)


if __name__ == "__main__":
    main()
