// From the modules to the engine for CPUs.
#pragma once

#include "transformer/engine/packed_model.h"
#include "transformer/models/model.h"

namespace transformer::translation {

/// Whether the engine computes such a model; its modules do otherwise.
bool uses_engine(const models::ModelOptions& options, const torch::Device& device);

/// Logs the option that keeps a model from the engine, if the engine would be used otherwise.
void warn_if_declined(const models::ModelOptions& options, const torch::Device& device);

/// The model packed for the engine, which keeps nothing of it. Throws InputError, naming the option, for one
/// that the engine cannot compute (engine/support.h). The weights may lie on any device and be of any type.
engine::PackedModel pack(const models::AnyModel& model, engine::Precision precision,
                         kernels::Isa isa = kernels::best_isa());

}  // namespace transformer::translation
