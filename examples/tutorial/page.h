// Calling and printing, shared by all pages of the tutorial.
#pragma once

#include <torch/nn/module.h>

#include <string>
#include <vector>

namespace tutorial {

// A page is a function that prints what docs/tutorial shows; they run in this order.
void one_head();
void positions();
void masks();
void heads();
void stacks();
void search();
void norms();
void training();
void decoder();
void sampling();
void encoder();
void pieces();

/// Begins a part of a page. On the page the lines behind it and what they print stand below its name.
void section(const char* name);

/// Prints a number or a tensor of up to two dimensions, a row a line, with so many decimals.
void show(const std::string& name, const torch::Tensor& x, int decimals = 4);
void show(const std::string& name, double x, int decimals = 4);

/// Prints a shape: "(2, 4, 100)".
void show_shape(const std::string& name, const torch::Tensor& x);

/// Prints "yes" or "no".
void ask(const std::string& question, bool answer);

/// A matrix of so many columns, in double precision.
torch::Tensor matrix(const std::vector<double>& values, std::int64_t columns);

/// Numbers that the weights of the module hold.
std::int64_t count(const torch::nn::Module& module);

/// Writes a picture, where the program was told where pictures go.
void picture(const std::string& file, const std::string& text);

}  // namespace tutorial
