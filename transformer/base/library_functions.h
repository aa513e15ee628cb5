// Functions of a shared library that is looked up when a program runs, so that it need not be there when the
// program is built.
#pragma once

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>
#include <type_traits>
#include <utility>

namespace transformer {

class LibraryFunctions {
 public:
  /// Loads the library of that name or path, for good. whose: in words, for messages.
  LibraryFunctions(std::string name, std::string whose)
      : name_(std::move(name)),
        whose_(std::move(whose)),
        library_(dlopen(name_.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) problem_ = dlerror();
  }

  /// A pointer to a function becomes that of the name; nullptr where there is none, which is a problem.
  template <typename Function>
  void find(Function& function, const char* symbol) {
    if (library_ == nullptr) return;
    function = reinterpret_cast<std::decay_t<Function>>(dlsym(library_, symbol));
    if (function == nullptr && problem_.empty())
      problem_ = fmt::format("{}: expected the functions of {}, found no {}", name_, whose_, symbol);
  }

  /// The first one; empty if there is none.
  const std::string& problem() const { return problem_; }

 private:
  std::string name_, whose_, problem_;
  void* library_;
};

}  // namespace transformer
