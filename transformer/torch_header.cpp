// Holds nothing: the target that compiles it owns LibTorch's precompiled headers.
