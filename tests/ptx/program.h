/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A kernel in PTX as parse.cpp reads it: instructions on numbered registers. A
 * register holds 64 bits for each lane of a warp; constants, special registers and
 * addresses of parameters and shared memory are registers that are set before the
 * first instruction. */

#include <stdint.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace y10_ptx {
enum Type : uint8_t
{
  NONE,
  PRED,
  B8,
  B16,
  B32,
  B64,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  BF16,
  F16X2,
  BF16X2,
  TF32,
  F32,
  F64,
  N_TYPES
};

/* Bytes; a predicate takes one. */
unsigned type_size (Type type);

static inline bool
is_signed (Type type)
{
  return type >= S8 && type <= S64;
}

enum Opcode : uint8_t
{
  ABS,
  ADD,
  AND,
  ATOM_ADD,
  BAR,
  BFI,
  BFIND,
  BRA,
  BREV,
  CLZ,
  COPIES_COMMIT,
  COPIES_WAIT,
  COPY,
  CVT,
  CVTA,
  DIV,
  EX2,
  FMA,
  LD,
  LDMATRIX,
  LG2,
  MAD,
  MAX,
  MIN,
  MMA,
  MOV,
  MUL,
  NEG,
  NOT,
  OR,
  POPC,
  PRMT,
  RCP,
  REM,
  RET,
  SELP,
  SETP,
  SHFL,
  SHL,
  SHR,
  SQRT,
  RSQRT,
  ST,
  SUB,
  VOTE,
  WARP_SYNC,
  XOR
};

enum Space : uint8_t
{
  GENERIC,
  GLOBAL,
  SHARED,
  PARAM
};

enum Compare : uint8_t
{
  EQ,
  NE,
  LT,
  LE,
  GT,
  GE,
  EQU,
  NEU,
  LTU,
  LEU,
  GTU,
  GEU,
  NUM,
  IS_NAN
};

enum Shuffle : uint8_t
{
  BFLY,
  IDX,
  UP,
  DOWN
};

/* What bar.red and vote make of the lanes' predicates. */
enum Reduction : uint8_t
{
  NO_REDUCTION,
  ANY,
  ALL,
  COUNT,
  BALLOT
};

enum Flag : uint32_t
{
  WIDE = 1,
  HIGH = 2,
  SATURATE = 4,
  FLUSH = 8,
  ROUND_DOWN = 16,
  ROUND_UP = 32,
  ROUND_ZERO = 64,
  TO_NEAREST_INT = 128,
  TO_SPACE = 256,
  SHIFT_AMOUNT = 512,
  NAN_WINS = 1024,
  ROUND_AWAY = 2048,
};

struct Instruction
{
  Opcode op;
  Type type, from, sums; /* from: of cvt; of mma: the factors', and sums */
  Space space;
  uint8_t n;    /* elements of a vector; of mma: the depth */
  uint8_t kind; /* a Compare, Shuffle or Reduction */
  uint32_t flags;
  int guard;    /* the predicate's register; -1: none */
  bool negated; /* the guard */
  int in_range; /* shfl's second result; -1: none */
  std::vector<int> to, args;
  int64_t offset;  /* of an address */
  unsigned target; /* of a branch */
  unsigned line;
};

struct Kernel
{
  std::string name;
  std::vector<Instruction> code;
  unsigned n_registers, param_size, shared_size;
  std::vector<std::pair<int, uint64_t> > constants;
  std::vector<std::pair<int, std::string> > specials; /* such as "%tid.x" */
  std::vector<int> dynamic, params;                   /* hold these addresses */
};

typedef std::map<std::string, std::unique_ptr<Kernel> > Kernels;

/* parse.cpp: the kernels of a file. Ends the process with a message that names file
 * and line if there is anything it does not know. */
Kernels parse (const char *path);

/* compute.cpp: the result of an instruction that depends on its arguments alone. */
uint64_t compute (const Instruction &i, const uint64_t *args);
/* The lane that lane @l reads from by the ISA's definition of shfl; @in_range as its
 * second result. */
int shuffle_from (Shuffle kind, int l, uint64_t by, uint64_t limits,
    bool *in_range);
/* @value as a type of that size, extended with its sign if it has one. */
uint64_t extend (uint64_t value, Type type);
}
