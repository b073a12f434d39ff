/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads PTX as nvcc writes it: the instructions that this project's kernels consist
 * of, and no others. Whatever is unknown ends the process with its line, because a
 * modifier that is passed over would make the result wrong, or the test blind. */

#include "program.h"

#include <algorithm>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace y10_ptx {
static const struct
{
  const char *name;
  unsigned size;
} types[N_TYPES] = {
  { "", 0 },
  { "pred", 1 },
  { "b8", 1 },
  { "b16", 2 },
  { "b32", 4 },
  { "b64", 8 },
  { "u8", 1 },
  { "u16", 2 },
  { "u32", 4 },
  { "u64", 8 },
  { "s8", 1 },
  { "s16", 2 },
  { "s32", 4 },
  { "s64", 8 },
  { "f16", 2 },
  { "bf16", 2 },
  { "f16x2", 4 },
  { "bf16x2", 4 },
  { "tf32", 4 },
  { "f32", 4 },
  { "f64", 8 },
};

struct Word
{
  const char *name;
  unsigned value;
};

static const Word opcodes[] = {
  { "abs", ABS },
  { "add", ADD },
  { "and", AND },
  { "atom", ATOM_ADD },
  { "bar", BAR },
  { "bfi", BFI },
  { "bfind", BFIND },
  { "bra", BRA },
  { "brev", BREV },
  { "clz", CLZ },
  { "cp", COPY },
  { "cvt", CVT },
  { "cvta", CVTA },
  { "div", DIV },
  { "ex2", EX2 },
  { "fma", FMA },
  { "ld", LD },
  { "ldmatrix", LDMATRIX },
  { "lg2", LG2 },
  { "mad", MAD },
  { "max", MAX },
  { "min", MIN },
  { "mma", MMA },
  { "mov", MOV },
  { "mul", MUL },
  { "neg", NEG },
  { "not", NOT },
  { "or", OR },
  { "popc", POPC },
  { "prmt", PRMT },
  { "rcp", RCP },
  { "rem", REM },
  { "ret", RET },
  { "rsqrt", RSQRT },
  { "selp", SELP },
  { "setp", SETP },
  { "shfl", SHFL },
  { "shl", SHL },
  { "shr", SHR },
  { "sqrt", SQRT },
  { "st", ST },
  { "sub", SUB },
  { "vote", VOTE },
  { "xor", XOR },
};

static const Word flags[] = {
  { "wide", WIDE },
  { "hi", HIGH },
  { "sat", SATURATE },
  { "ftz", FLUSH },
  { "rm", ROUND_DOWN },
  { "rp", ROUND_UP },
  { "rz", ROUND_ZERO },
  { "rni", TO_NEAREST_INT },
  { "rzi", ROUND_ZERO },
  { "rmi", ROUND_DOWN },
  { "rpi", ROUND_UP },
  { "to", TO_SPACE },
  { "shiftamt", SHIFT_AMOUNT },
  { "NaN", NAN_WINS },
  { "rna", ROUND_AWAY },
};

static const Word spaces[] = { { "global", GLOBAL }, { "shared", SHARED },
  { "param", PARAM } };

static const Word comparisons[] = {
  { "eq", EQ },
  { "ne", NE },
  { "lt", LT },
  { "le", LE },
  { "gt", GT },
  { "ge", GE },
  { "equ", EQU },
  { "neu", NEU },
  { "ltu", LTU },
  { "leu", LEU },
  { "gtu", GTU },
  { "geu", GEU },
  { "num", NUM },
  { "nan", IS_NAN },
  { "lo", LT },
  { "ls", LE },
  { "hi", GT },
  { "hs", GE },
};

static const Word shuffles[] = { { "bfly", BFLY }, { "idx", IDX }, { "up", UP },
  { "down", DOWN } };

static const Word reductions[] = {
  { "any", ANY },
  { "all", ALL },
  { "or", ANY },
  { "and", ALL },
  { "popc", COUNT },
  { "ballot", BALLOT },
};

/* Modifiers that say what this program does anyway. Of approx and full only the
 * last bits are lost. */
static const char *const implied[] = { "sync", "rn", "approx", "full", "lo",
  "uni" };

template <size_t n>
static const Word *
find (const Word (&words)[n], const std::string &name)
{
  for (const Word &w : words)
    if (name == w.name)
      return &w;
  return nullptr;
}

unsigned
type_size (Type type)
{
  return types[type].size;
}

static std::string
trim (const std::string &s)
{
  size_t begin = s.find_first_not_of (" \t\r\n"),
         end = s.find_last_not_of (" \t\r\n");

  return begin == std::string::npos ? "" : s.substr (begin, end - begin + 1);
}

/* Operands, which commas separate, but not those within brackets. */
static std::vector<std::string>
split_operands (const std::string &s)
{
  std::vector<std::string> all;
  std::string one;
  int depth = 0;

  for (char c : s) {
    depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    if (c == ',' && depth == 0) {
      all.push_back (trim (one));
      one.clear ();
    } else {
      one += c;
    }
  }
  if (!trim (one).empty ())
    all.push_back (trim (one));
  return all;
}

namespace {
class Parser {
public:
  explicit Parser (const char *path) : path (path)
  {
  }
  Kernels read ();

private:
  [[noreturn]] void die (const char *format, ...)
      __attribute__ ((format (printf, 2, 3)));
  int name_register (const std::string &name);
  int constant (uint64_t value);
  int operand (const std::string &text);
  void list (const std::string &text, std::vector<int> *registers);
  void address (const std::string &text, std::vector<int> *registers,
      int64_t *offset);
  void modifier (Instruction *i, const std::string &name);
  void operands (Instruction *i, const std::vector<std::string> &o);
  void instruction (std::string text);
  void directive (const std::string &text);
  void begin_kernel (const std::string &header);
  void end_kernel ();
  void statement (const std::string &text);

  const char *path;
  unsigned line = 1;
  Kernels kernels;
  std::vector<std::string> dynamic_names; /* all of the same memory */
  /* Of the kernel that is being read. */
  Kernel *kernel = nullptr;
  std::map<std::string, int> registers;
  std::map<uint64_t, int> constants;
  std::map<std::string, unsigned> labels, shared;
  std::vector<std::pair<size_t, std::string> > branches;
};
}

void
Parser::die (const char *format, ...)
{
  va_list args;

  fprintf (stderr, "%s:%u: ", path, line);
  va_start (args, format);
  vfprintf (stderr, format, args);
  va_end (args);
  fputc ('\n', stderr);
  exit (1);
}

int
Parser::name_register (const std::string &name)
{
  auto found = registers.find (name);

  if (found != registers.end ())
    return found->second;
  registers[name] = (int) kernel->n_registers;
  if (name == "%laneid" || name.find (".") != std::string::npos)
    kernel->specials.push_back ({ (int) kernel->n_registers, name });
  return (int) kernel->n_registers++;
}

int
Parser::constant (uint64_t value)
{
  auto found = constants.find (value);

  if (found != constants.end ())
    return found->second;
  constants[value] = (int) kernel->n_registers;
  kernel->constants.push_back ({ (int) kernel->n_registers, value });
  return (int) kernel->n_registers++;
}

static bool
is_hexadecimal_float (const std::string &t)
{
  return t.size () > 2 && t[0] == '0' && strchr ("fFdD", t[1]);
}

int
Parser::operand (const std::string &t)
{
  const bool known = registers.count (t);
  const bool dynamic = std::count (dynamic_names.begin (), dynamic_names.end (),
      t);

  if (t.empty ())
    die ("an operand is missing");
  if (is_hexadecimal_float (t))
    return constant (strtoull (t.c_str () + 2, nullptr, 16));
  if (isdigit (t[0]))
    return constant (strtoull (t.c_str (), nullptr, 0));
  if (t[0] == '-')
    return constant ((uint64_t) strtoll (t.c_str (), nullptr, 0));
  if (shared.count (t))
    return constant (shared[t]);
  if (dynamic || t == kernel->name + "_param_0") {
    if (!known)
      (dynamic ? kernel->dynamic : kernel->params)
          .push_back ((int) kernel->n_registers);
    registers[t] = known ? registers[t] : (int) kernel->n_registers++;
    return registers[t];
  }
  if (t[0] != '%' && !known)
    die ("\"%s\" is not declared", t.c_str ());
  return name_register (t);
}

/* A register, or several in braces. */
void
Parser::list (const std::string &text, std::vector<int> *to)
{
  if (text[0] != '{') {
    to->push_back (operand (text));
    return;
  }
  for (const std::string &one :
      split_operands (text.substr (1, text.size () - 2)))
    to->push_back (operand (one));
}

/* "[%rd1+-8]". */
void
Parser::address (const std::string &text, std::vector<int> *to, int64_t *offset)
{
  const size_t plus = text.find ('+');
  const size_t end = plus == std::string::npos ? text.size () - 1 : plus;

  if (text[0] != '[' || text.back () != ']')
    die ("\"%s\" is no address", text.c_str ());
  *offset = plus == std::string::npos
      ? 0
      : strtoll (text.c_str () + plus + 1, nullptr, 0);
  to->push_back (operand (trim (text.substr (1, end - 1))));
}

/* What mma, ldmatrix and cp.async are known with: f32 = f16 f16 + f32 and so on. */
static bool
is_of_matrices (Instruction *i, const std::string &name)
{
  static const char *const of_mma[] = { "aligned", "row", "col" };
  static const char *const of_ldmatrix[] = { "aligned", "m8n8" };
  static const char *const of_copies[] = { "async", "cg", "ca" };

  if (i->op == MMA && name.rfind ("m16n8k", 0) == 0)
    i->n = (uint8_t) atoi (name.c_str () + 6);
  else if (i->op == LDMATRIX && (name == "x1" || name == "x2" || name == "x4"))
    i->n = (uint8_t) (name[1] - '0');
  else if (i->op == COPY && name == "commit_group")
    i->op = COPIES_COMMIT;
  else if (i->op == COPY && name == "wait_group")
    i->op = COPIES_WAIT;
  else if (i->op == MMA)
    return std::count (std::begin (of_mma), std::end (of_mma), name);
  else if (i->op == LDMATRIX)
    return std::count (std::begin (of_ldmatrix), std::end (of_ldmatrix), name);
  else
    return i->op == COPY
        && std::count (std::begin (of_copies), std::end (of_copies), name);
  return true;
}

static bool
is_implied (const Instruction &i, const std::string &name)
{
  if ((i.op == BAR && name == "red") || (i.op == ATOM_ADD && name == "add"))
    return true;
  for (const char *known : implied)
    if (name == known)
      return true;
  return false;
}

void
Parser::modifier (Instruction *i, const std::string &name)
{
  const Word *w;

  for (unsigned t = 1; t < N_TYPES; t++)
    if (name == types[t].name) {
      /* Of mma's four the second and third are the factors', which are the same. */
      (i->type == NONE                          ? i->type
              : i->op == MMA && i->from != NONE ? i->sums
                                                : i->from) = (Type) t;
      return;
    }
  if (is_of_matrices (i, name))
    return;
  if (i->op == SETP && (w = find (comparisons, name)))
    i->kind = (uint8_t) w->value;
  else if (i->op == SHFL && (w = find (shuffles, name)))
    i->kind = (uint8_t) w->value;
  else if ((i->op == BAR || i->op == VOTE) && (w = find (reductions, name)))
    i->kind = (uint8_t) w->value;
  else if ((w = find (flags, name)))
    i->flags |= w->value;
  else if ((w = find (spaces, name)))
    i->space = (Space) w->value;
  else if (name == "v2" || name == "v4")
    i->n = (uint8_t) (name[1] - '0');
  else if (i->op == BAR && name == "warp")
    i->op = WARP_SYNC;
  else if (!is_implied (*i, name))
    die ("the modifier \"%s\" is not known", name.c_str ());
}

void
Parser::operands (Instruction *i, const std::vector<std::string> &o)
{
  size_t bar;

  switch (i->op) {
    case RET:
      return;
    case BRA:
      branches.push_back ({ kernel->code.size (), o.at (0) });
      return;
    case LD:
      list (o.at (0), &i->to);
      address (o.at (1), &i->args, &i->offset);
      if (i->to.size () != i->n)
        die ("%zu registers for a vector of %u", i->to.size (), i->n);
      return;
    case ST:
      address (o.at (0), &i->args, &i->offset);
      list (o.at (1), &i->args);
      if (i->args.size () != i->n + 1u)
        die ("%zu registers for a vector of %u", i->args.size () - 1, i->n);
      return;
    case ATOM_ADD:
      list (o.at (0), &i->to);
      address (o.at (1), &i->args, &i->offset);
      i->args.push_back (operand (o.at (2)));
      return;
    case LDMATRIX:
      list (o.at (0), &i->to);
      address (o.at (1), &i->args, &i->offset);
      if (i->to.size () != i->n)
        die ("%zu registers for %u matrices", i->to.size (), i->n);
      return;
    case MMA:
      for (size_t k = 0; k < 4; k++)
        list (o.at (k), k == 0 ? &i->to : &i->args);
      if (i->type != F32 || i->sums != F32 || i->to.size () != 4
          || (i->from == TF32 ? i->n != 8 || i->args.size () != 10
                              : (i->from != F16 && i->from != BF16)
                      || (i->n != 8 && i->n != 16)
                      || i->args.size () != i->n / 8 * 3u + 4u))
        die ("this mma is not known");
      return;
    case COPY: {
      int64_t to_offset;

      address (o.at (0), &i->args, &to_offset);
      address (o.at (1), &i->args, &i->offset);
      if (to_offset != 0 || i->n != 1 || o.at (2) != "16")
        die ("only copies of 16 bytes are known");
      i->args.push_back (o.size () > 3 ? operand (o[3]) : constant (16));
      return;
    }
    case COPIES_COMMIT:
      return;
    case COPIES_WAIT:
      i->args.push_back (operand (o.at (0)));
      return;
    case SHFL:
      bar = o.at (0).find ('|');
      i->to.push_back (operand (o[0].substr (0, bar)));
      i->in_range = bar == std::string::npos ? -1
                                             : operand (o[0].substr (bar + 1));
      break;
    case BAR:
      if (i->kind == NO_REDUCTION ? o.size () != 1 || o[0] != "0"
                                  : o.size () != 3 || o[1] != "0")
        die ("only barrier 0 of all threads is known");
      if (i->kind != NO_REDUCTION) {
        i->to.push_back (operand (o[0]));
        i->args.push_back (operand (o[2]));
      }
      return;
    case WARP_SYNC:
      i->args.push_back (operand (o.at (0)));
      return;
    case MOV:
      list (o.at (0), &i->to);
      list (o.at (1), &i->args);
      return;
    default:
      i->to.push_back (operand (o.at (0)));
  }
  for (size_t k = 1; k < o.size (); k++)
    i->args.push_back (operand (o[k]));
}

void
Parser::instruction (std::string text)
{
  Instruction i{};
  const Word *op;
  size_t end;

  i.guard = i.in_range = -1;
  i.n = 1;
  i.line = line;
  if (text[0] == '@') {
    end = text.find_first_of (" \t");
    i.negated = text[1] == '!';
    i.guard = operand (
        text.substr (i.negated ? 2 : 1, end - (i.negated ? 2 : 1)));
    text = trim (text.substr (end));
  }
  end = text.find_first_of (" \t");
  const std::string name = text.substr (0, end);
  const std::string rest = end == std::string::npos ? ""
                                                    : trim (text.substr (end));
  size_t dot = name.find ('.');

  op = find (opcodes, name.substr (0, dot));
  if (!op)
    die ("the instruction \"%s\" is not known", text.c_str ());
  i.op = (Opcode) op->value;
  while (dot != std::string::npos) {
    const size_t next = name.find ('.', dot + 1);

    modifier (&i, name.substr (dot + 1, next - dot - 1));
    dot = next;
  }
  operands (&i, split_operands (rest));
  if (i.args.size () > 4 + (i.op == ST) && i.op != MMA)
    die ("too many operands");
  kernel->code.push_back (i);
}

/* ".shared .align 16 .b8 name[7744]" takes its place in shared memory, and
 * ".reg .f16 low,high" declares names without "%". */
void
Parser::directive (const std::string &text)
{
  size_t align, bracket, space;
  unsigned alignment = 1;

  if (text.rfind (".pragma", 0) == 0)
    return;
  if (text.rfind (".reg", 0) == 0) {
    for (const std::string &name :
        split_operands (text.substr (text.find (' ', 5))))
      if (name.find ('<') == std::string::npos)
        name_register (name);
    return;
  }
  if (text.rfind (".shared", 0) != 0)
    die ("\"%s\" is not known", text.c_str ());
  align = text.find (".align ");
  if (align != std::string::npos)
    alignment = (unsigned) atoi (text.c_str () + align + 7);
  bracket = text.rfind ('[');
  space = text.rfind (' ', bracket);
  kernel->shared_size = (kernel->shared_size + alignment - 1) / alignment
      * alignment;
  shared[text.substr (space + 1, bracket - space - 1)] = kernel->shared_size;
  kernel->shared_size += (unsigned) atoi (text.c_str () + bracket + 1);
}

/* ".visible .entry name(.param .align 8 .b8 name_param_0[136]) …". */
void
Parser::begin_kernel (const std::string &header)
{
  const size_t entry = header.find (".entry "), open = header.find ('(', entry);
  const size_t size = header.find ('[', open);
  std::unique_ptr<Kernel> owned (new Kernel{});

  if (entry == std::string::npos || size == std::string::npos)
    die ("expected a kernel with one struct of parameters, not \"%s\"",
        header.c_str ());
  kernel = owned.get ();
  kernel->name = trim (header.substr (entry + 7, open - entry - 7));
  kernel->param_size = (unsigned) atoi (header.c_str () + size + 1);
  kernels[kernel->name] = std::move (owned);
  registers.clear ();
  constants.clear ();
  labels.clear ();
  shared.clear ();
  branches.clear ();
}

void
Parser::end_kernel ()
{
  for (const auto &[at, label] : branches) {
    if (!labels.count (label))
      die ("there is no label %s", label.c_str ());
    kernel->code[at].target = labels[label];
  }
  kernel = nullptr;
}

/* Outside of kernels: ".extern .shared .align 16 .b8 shared[]" matters. */
void
Parser::statement (const std::string &text)
{
  const size_t bracket = text.rfind ('['), space = text.rfind (' ', bracket);

  if (text.empty ())
    return;
  if (kernel && text[0] == '.')
    directive (text);
  else if (kernel)
    instruction (text);
  else if (text.find (".extern .shared") != std::string::npos)
    dynamic_names.push_back (text.substr (space + 1, bracket - space - 1));
  else
    die ("\"%s\" is not known", text.c_str ());
}

static std::string
read_file (const char *path)
{
  std::string all;
  char buffer[65536];
  size_t n;
  FILE *file = fopen (path, "r");

  if (!file) {
    perror (path);
    exit (1);
  }
  while ((n = fread (buffer, 1, sizeof buffer, file)) > 0)
    all.append (buffer, n);
  fclose (file);
  return all;
}

Kernels
Parser::read ()
{
  const std::string all = read_file (path) + "\n";
  std::string text;
  int depth = 0;

  for (size_t k = 0; k < all.size (); k++) {
    const char c = all[k];
    const bool begins = trim (text).empty ();

    if (c == '/' && all[k + 1] == '/')
      k = all.find ('\n', k);
    line += all[k] == '\n';
    if (k > 0 && all[k] == '\n' && !kernel && trim (text)[0] == '.'
        && (text.find (".version") != std::string::npos
            || text.find (".target") != std::string::npos
            || text.find (".address_size") != std::string::npos)) {
      text.clear (); /* these end with their line */
    } else if (c == '{' && !kernel) {
      begin_kernel (trim (text));
      depth = 1;
      text.clear ();
    } else if (c == '{' && begins) {
      depth++;
    } else if (c == '}' && begins) {
      if (--depth == 0)
        end_kernel ();
    } else if (c == ':' && kernel) {
      labels[trim (text)] = (unsigned) kernel->code.size ();
      text.clear ();
    } else if (c == ';') {
      statement (trim (text));
      text.clear ();
    } else if (c == '/' && all[k] == '\n') {
      text += '\n';
    } else {
      text += c;
    }
  }
  return std::move (kernels);
}

Kernels
parse (const char *path)
{
  return Parser (path).read ();
}
}
