import sys, sentencepiece, torch

files = {name: "" for name in ("tokenizer.model", "tokenizer.source.model", "tokenizer.target.model")}
model = torch.jit.load(sys.argv[1], _extra_files=files)  # map_location="cuda" for a GPU
source, target = (sentencepiece.SentencePieceProcessor(
    model_proto=files["tokenizer.model"] or files[f"tokenizer.{side}.model"]) for side in ("source", "target"))

lines = [line.rstrip("\n") for line in sys.stdin]
for first in range(0, len(lines), 32):
    ids = [source.encode(line) + [source.eos_id()] for line in lines[first:first + 32]]
    batch = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in ids], batch_first=True)
    lengths = torch.tensor([len(row) for row in ids])
    outputs, scores = model.translate(batch, lengths)  # or with beam=4, alpha=0.6
    for length, row in zip(lengths, outputs.tolist()):
        text = target.decode([token for token in row if token != target.pad_id()])
        print(text if length > 1 else "")  # a blank line has nothing but its end
