// Masked tokens, as place, hidden and shown ones.
// Made by: python tests/reference/masking_constants.py
#pragma once

#include <cstdint>
#include <vector>

#include "transformer/data/masked_texts.h"

namespace transformer::test {

/// Of the text 2, 10, 11 … 59, 3 with a share of 0.5, the mask 5 and 90 tokens: for the seeds 7 and 8.
inline const std::vector<std::vector<data::MaskedToken>> masked_by_python{
    {{1, 10, 5},  {4, 13, 5},   {5, 14, 5},   {6, 15, 15},  {7, 16, 16}, {8, 17, 5},  {9, 18, 5},
     {10, 19, 5}, {17, 26, 5},  {21, 30, 5},  {22, 31, 5},  {23, 32, 5}, {26, 35, 5}, {27, 36, 5},
     {29, 38, 5}, {31, 40, 80}, {32, 41, 5},  {33, 42, 89}, {36, 45, 5}, {38, 47, 5}, {39, 48, 48},
     {42, 51, 5}, {43, 52, 5},  {44, 53, 53}, {45, 54, 58}},
    {{4, 13, 5},   {5, 14, 5},   {7, 16, 5},   {8, 17, 17}, {13, 22, 5}, {16, 25, 30}, {17, 26, 5},
     {19, 28, 5},  {21, 30, 5},  {22, 31, 5},  {23, 32, 5}, {25, 34, 5}, {26, 35, 5},  {27, 36, 5},
     {31, 40, 49}, {32, 41, 67}, {36, 45, 17}, {38, 47, 5}, {42, 51, 5}, {43, 52, 5},  {44, 53, 68},
     {45, 54, 5},  {48, 57, 5},  {49, 58, 5},  {50, 59, 5}},
};

}  // namespace transformer::test
