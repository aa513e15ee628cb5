// Plain fp32 within a program that computes in TF32.
#pragma once

#include <ATen/Context.h>

namespace transformer::runtime {

/// While it lives, products of fp32 matrices take whole mantissas, whatever choose_precision has made of
/// them. The setting is the process's: no other thread is to change it meanwhile.
class ExactFp32 {
 public:
  ExactFp32() : before_(at::globalContext().allowTF32CuBLAS()) {
    at::globalContext().setAllowTF32CuBLAS(false);
  }
  ~ExactFp32() { at::globalContext().setAllowTF32CuBLAS(before_); }
  ExactFp32(const ExactFp32&) = delete;
  ExactFp32& operator=(const ExactFp32&) = delete;

 private:
  bool before_;
};

}  // namespace transformer::runtime
