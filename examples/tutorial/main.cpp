// tutorial [--pictures DIR] [NUMBER…]  runs the pages of docs/tutorial with these numbers, or all of them, in
// order.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "examples/tutorial/page.h"

namespace tutorial {
namespace {

struct Page {
  const char* title;
  void (*run)();
};

const std::map<int, Page> kPages = {{1, {"A word's way through one head", one_head}},
                                    {2, {"Positions", positions}},
                                    {3, {"Masks", masks}},
                                    {4, {"Many heads", heads}},
                                    {5, {"Encoder and decoder", stacks}},
                                    {6, {"Searching for a translation", search}},
                                    {7, {"Norms", norms}},
                                    {8, {"Training", training}},
                                    {9, {"A decoder alone", decoder}},
                                    {10, {"Drawing words", sampling}},
                                    {11, {"An encoder alone", encoder}},
                                    {12, {"From letters to a vocabulary", pieces}}};

std::filesystem::path pictures;

/// With a place for the sign. "-0.0000" is 0, and NaN has no sign.
std::string text_of(double x, int decimals) {
  if (std::isnan(x)) return " nan";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, x);
  if (std::strtod(text, nullptr) == 0) std::snprintf(text, sizeof text, "%.*f", decimals, 0.0);
  return text[0] == '-' ? text : ' ' + std::string(text);
}

void print_name(const std::string& name) {
  std::size_t width = 0;  // in characters
  for (const char c : name)
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) ++width;
  std::printf("%s%s", name.c_str(), std::string(width < 25 ? 25 - width : 1, ' ').c_str());
}

void run(int argc, char** argv) {
  std::vector<int> numbers;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--pictures" && i + 1 < argc) {
      pictures = argv[++i];
      continue;
    }
    int number = 0;
    const auto [end, error] = std::from_chars(argument.data(), argument.data() + argument.size(), number);
    if (error != std::errc{} || end != argument.data() + argument.size() || !kPages.contains(number))
      throw std::invalid_argument(argument + ": expected --pictures DIR or the number of a page, 1 to " +
                                  std::to_string(kPages.size()));
    numbers.push_back(number);
  }
  if (numbers.empty())
    for (const auto& [number, page] : kPages) numbers.push_back(number);
  for (const int number : numbers) {
    torch::manual_seed(1);  // each page draws the same numbers, whichever ran before
    std::printf("=== %d. %s\n", number, kPages.at(number).title);
    kPages.at(number).run();
  }
}

}  // namespace

void section(const char* name) {
  std::printf("--- %s\n", name);
}

void show(const std::string& name, const torch::Tensor& x, int decimals) {
  const auto rows = x.dim() < 2 ? x.reshape({1, -1}) : x;
  std::vector<std::string> texts;
  std::size_t width = 0;
  for (std::int64_t i = 0; i < rows.numel(); ++i) {
    texts.push_back(text_of(rows[i / rows.size(1)][i % rows.size(1)].item<double>(), decimals));
    width = std::max(width, texts.back().size());
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool first = i % static_cast<std::size_t>(rows.size(1)) == 0;
    if (first) print_name(i == 0 ? name : "");
    std::printf("%s%*s", first ? "" : " ", static_cast<int>(width), texts[i].c_str());
    if ((i + 1) % static_cast<std::size_t>(rows.size(1)) == 0) std::printf("\n");
  }
}

void show(const std::string& name, double x, int decimals) {
  print_name(name);
  std::printf("%s\n", text_of(x, decimals).c_str());
}

void show_shape(const std::string& name, const torch::Tensor& x) {
  std::string text;
  for (const auto size : x.sizes()) text += (text.empty() ? "" : ", ") + std::to_string(size);
  print_name(name);
  std::printf(" (%s)\n", text.c_str());
}

void ask(const std::string& question, bool answer) {
  std::printf("%s %s\n", question.c_str(), answer ? "yes" : "no");
}

torch::Tensor matrix(const std::vector<double>& values, std::int64_t columns) {
  return torch::tensor(values, torch::kDouble).view({-1, columns});
}

std::int64_t count(const torch::nn::Module& module) {
  std::int64_t sum = 0;
  for (const auto& parameter : module.parameters()) sum += parameter.numel();
  return sum;
}

void picture(const std::string& file, const std::string& text) {
  if (pictures.empty()) return;
  std::ifstream there(pictures / file, std::ios::binary);
  if (there && std::string(std::istreambuf_iterator<char>(there), {}) != text)
    throw std::runtime_error(
        (pictures / file).string() +
        ": expected nothing or the same picture, found another file, which is not replaced");
  std::ofstream stream(pictures / file, std::ios::binary);
  stream << text;
  if (!stream.flush()) throw std::runtime_error((pictures / file).string() + ": cannot be written");
}

}  // namespace tutorial

int main(int argc, char** argv) try {
  tutorial::run(argc, argv);
  if (std::fflush(stdout) != 0) throw std::runtime_error("standard output: cannot be written");
} catch (const std::exception& error) {
  std::cerr << "tutorial: " << error.what() << "\n";
  return 2;
}
