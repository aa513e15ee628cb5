// Holds nothing: the target that compiles it owns the precompiled torch/torch.h.
