/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A pickle machine (Python's pickletools.py documents the opcodes), protocols 2
 * to 5. Its stack holds values only: GLOBAL pushes a name, REDUCE and NEWOBJ
 * record a call, and BUILD records a state. So nothing in a file can run, and no
 * list of allowed names is needed. Every opcode takes constant time, amortised,
 * and all memory comes out of one budget. */

#include "config.h"

#include <string.h>

#include "weights/pickle-machine.h"

/* Names as in pickletools.py. */
enum
{
  OP_MARK = '(',
  OP_STOP = '.',
  OP_POP = '0',
  OP_POP_MARK = '1',
  OP_DUP = '2',
  OP_NONE = 'N',
  OP_NEWTRUE = 0x88,
  OP_NEWFALSE = 0x89,
  OP_BININT = 'J',
  OP_BININT1 = 'K',
  OP_BININT2 = 'M',
  OP_LONG1 = 0x8a,
  OP_LONG4 = 0x8b,
  OP_BINFLOAT = 'G',
  OP_BINUNICODE = 'X',
  OP_SHORT_BINUNICODE = 0x8c,
  OP_BINUNICODE8 = 0x8d,
  OP_BINSTRING = 'T',
  OP_SHORT_BINSTRING = 'U',
  OP_BINBYTES = 'B',
  OP_SHORT_BINBYTES = 'C',
  OP_BINBYTES8 = 0x8e,
  OP_BYTEARRAY8 = 0x96,
  OP_EMPTY_TUPLE = ')',
  OP_TUPLE = 't',
  OP_TUPLE1 = 0x85,
  OP_TUPLE2 = 0x86,
  OP_TUPLE3 = 0x87,
  OP_EMPTY_LIST = ']',
  OP_LIST = 'l',
  OP_APPEND = 'a',
  OP_APPENDS = 'e',
  OP_EMPTY_DICT = '}',
  OP_DICT = 'd',
  OP_SETITEM = 's',
  OP_SETITEMS = 'u',
  OP_EMPTY_SET = 0x8f,
  OP_ADDITEMS = 0x90,
  OP_FROZENSET = 0x91,
  OP_BINPUT = 'q',
  OP_LONG_BINPUT = 'r',
  OP_MEMOIZE = 0x94,
  OP_BINGET = 'h',
  OP_LONG_BINGET = 'j',
  OP_GLOBAL = 'c',
  OP_STACK_GLOBAL = 0x93,
  OP_REDUCE = 'R',
  OP_NEWOBJ = 0x81,
  OP_NEWOBJ_EX = 0x92,
  OP_BUILD = 'b',
  OP_BINPERSID = 'Q',
  OP_PROTO = 0x80,
  OP_FRAME = 0x95,
};

typedef Y10PickleValue Value;

static const guint8 *
read_bytes (Y10Pickle *m, guint64 n)
{
  const guint8 *p = m->next;

  if (m->why || n > (guint64) (m->end - m->next)) {
    y10_pickle_fail (m, "it ends within an opcode: it is truncated");
    return NULL;
  }
  m->next += n;
  return p;
}

/* Little-endian; 0 after a failure. */
static guint64
read_uint (Y10Pickle *m, guint n)
{
  const guint8 *p = read_bytes (m, n);
  guint64 value = 0;

  for (guint i = 0; p && i < n; i++)
    value |= (guint64) p[i] << (8 * i);
  return value;
}

static void
push_text (Y10Pickle *m, guint64 n)
{
  Value *value = y10_pickle_make (m, Y10_PICKLE_STRING);

  value->text = (const char *) read_bytes (m, n);
  value->length = n;
  y10_pickle_push (m, value);
}

static void
push_int (Y10Pickle *m, Y10PickleKind kind, gint64 integer)
{
  Value *value = y10_pickle_make (m, kind);

  value->integer = integer;
  y10_pickle_push (m, value);
}

/* Two's complement of any length. Values beyond 64 bits occur only in the
 * states of random generators; they become None. */
static void
push_long (Y10Pickle *m, guint64 n)
{
  const guint8 *p = read_bytes (m, n);
  guint64 value = p && n && p[n - 1] & 0x80 ? G_MAXUINT64 : 0;

  if (n > 8) {
    y10_pickle_push (m, y10_pickle_make (m, Y10_PICKLE_NONE));
    return;
  }
  for (guint64 i = n; p && i-- > 0;)
    value = value << 8 | p[i];
  push_int (m, Y10_PICKLE_INT, (gint64) value);
}

static void
push_float (Y10Pickle *m)
{
  guint64 bits = GUINT64_SWAP_LE_BE (read_uint (m, 8));
  Value *value = y10_pickle_make (m, Y10_PICKLE_FLOAT);

  memcpy (&value->real, &bits, sizeof bits);
  y10_pickle_push (m, value);
}

static void
push_global (Y10Pickle *m, const char *module, gsize module_length,
    const char *name, gsize name_length)
{
  Value *value = y10_pickle_make (m, Y10_PICKLE_GLOBAL);
  char *text = y10_pickle_allocate (m, module_length + 1 + name_length);

  if (!text)
    return;
  memcpy (text, module, module_length);
  text[module_length] = ' ';
  memcpy (text + module_length + 1, name, name_length);
  value->text = text;
  value->length = module_length + 1 + name_length;
  y10_pickle_push (m, value);
}

static const char *
read_line (Y10Pickle *m, gsize *length)
{
  const guint8 *start = m->next;
  const guint8 *end = memchr (start, '\n', m->end - start);

  if (!end) {
    y10_pickle_fail (m, "it ends within a name: it is truncated");
    return NULL;
  }
  m->next = end + 1;
  *length = end - start;
  return (const char *) start;
}

static void
do_global (Y10Pickle *m)
{
  gsize module_length = 0, name_length = 0;
  const char *module = read_line (m, &module_length);
  const char *name = module ? read_line (m, &name_length) : NULL;

  if (name)
    push_global (m, module, module_length, name, name_length);
}

static void
do_stack_global (Y10Pickle *m)
{
  Value *name = y10_pickle_pop (m), *module = y10_pickle_pop (m);

  if (name->kind != Y10_PICKLE_STRING || module->kind != Y10_PICKLE_STRING)
    y10_pickle_fail (m, "a global's name is not a string");
  else if (!m->why)
    push_global (m, module->text, module->length, name->text, name->length);
}

static void
push_call (Y10Pickle *m, Value *callee, Value *args)
{
  Value *value = y10_pickle_make (m, Y10_PICKLE_CALL);

  value->call = y10_pickle_allocate (m, sizeof *value->call);
  if (!value->call)
    return;
  value->call->callee = callee;
  value->call->args = args;
  value->call->state = NULL;
  y10_pickle_push (m, value);
}

static void
do_call (Y10Pickle *m)
{
  Value *args = y10_pickle_pop (m), *callee = y10_pickle_pop (m);

  push_call (m, callee, args);
}

/* Ignores the keyword arguments: no class in a checkpoint has any. */
static void
do_newobj_ex (Y10Pickle *m)
{
  y10_pickle_pop (m);
  do_call (m);
}

static void
do_build (Y10Pickle *m)
{
  Value *state = y10_pickle_pop (m), *value = y10_pickle_top (m);

  if (!m->why && value->kind == Y10_PICKLE_CALL)
    value->call->state = state;
}

static void
do_persistent (Y10Pickle *m)
{
  Value *id = y10_pickle_pop (m),
        *value = y10_pickle_make (m, Y10_PICKLE_PERSISTENT);

  y10_pickle_append (m, value, &id, 1);
  y10_pickle_push (m, value);
}

static void
do_append (Y10Pickle *m, guint n)
{
  Value *values[2];

  for (guint i = n; i-- > 0;)
    values[i] = y10_pickle_pop (m);
  if (!m->why && !y10_pickle_holds_items (y10_pickle_top (m)))
    y10_pickle_fail (m,
        "items are added to a value that is no container at byte "
        "%" G_GSIZE_FORMAT,
        (gsize) (m->next - m->start));
  if (!m->why)
    y10_pickle_append (m, y10_pickle_top (m), values, n);
}

static void
do_tuple (Y10Pickle *m, guint n)
{
  Value *tuple = y10_pickle_make (m, Y10_PICKLE_TUPLE), *values[3];

  for (guint i = n; i-- > 0;)
    values[i] = y10_pickle_pop (m);
  y10_pickle_append (m, tuple, values, n);
  y10_pickle_push (m, tuple);
}

static void
do_proto (Y10Pickle *m)
{
  guint version = read_uint (m, 1);

  if (version > 5)
    y10_pickle_fail (m, "it has protocol %u; expected 2 to 5", version);
}

/* Runs one opcode. Returns FALSE once the machine has stopped. */
static gboolean
step (Y10Pickle *m)
{
  guint op = read_uint (m, 1);

  if (m->why)
    return FALSE;
  switch (op) {
    case OP_STOP:
      m->root = y10_pickle_pop (m);
      return FALSE;
    case OP_PROTO:
      do_proto (m);
      break;
    case OP_FRAME:
      read_bytes (m, 8);
      break;
    case OP_MARK:
      y10_pickle_push (m, y10_pickle_make (m, Y10_PICKLE_MARK));
      break;
    case OP_POP:
      if (m->depth && m->stack[m->depth - 1]->kind == Y10_PICKLE_MARK)
        m->depth--;
      else
        y10_pickle_pop (m);
      break;
    case OP_POP_MARK:
      m->depth = y10_pickle_find_mark (m);
      break;
    case OP_DUP:
      y10_pickle_push (m, y10_pickle_top (m));
      break;
    case OP_NONE:
      y10_pickle_push (m, y10_pickle_make (m, Y10_PICKLE_NONE));
      break;
    case OP_NEWTRUE:
    case OP_NEWFALSE:
      push_int (m, Y10_PICKLE_BOOL, op == OP_NEWTRUE);
      break;
    case OP_BININT:
      push_int (m, Y10_PICKLE_INT, (gint32) read_uint (m, 4));
      break;
    case OP_BININT1:
      push_int (m, Y10_PICKLE_INT, (gint64) read_uint (m, 1));
      break;
    case OP_BININT2:
      push_int (m, Y10_PICKLE_INT, (gint64) read_uint (m, 2));
      break;
    case OP_LONG1:
      push_long (m, read_uint (m, 1));
      break;
    case OP_LONG4:
      push_long (m, read_uint (m, 4));
      break;
    case OP_BINFLOAT:
      push_float (m);
      break;
    case OP_BINUNICODE:
    case OP_BINSTRING:
    case OP_BINBYTES:
      push_text (m, read_uint (m, 4));
      break;
    case OP_SHORT_BINUNICODE:
    case OP_SHORT_BINSTRING:
    case OP_SHORT_BINBYTES:
      push_text (m, read_uint (m, 1));
      break;
    case OP_BINUNICODE8:
    case OP_BINBYTES8:
    case OP_BYTEARRAY8:
      push_text (m, read_uint (m, 8));
      break;
    case OP_EMPTY_TUPLE:
      y10_pickle_push (m, y10_pickle_make (m, Y10_PICKLE_TUPLE));
      break;
    case OP_TUPLE1:
    case OP_TUPLE2:
    case OP_TUPLE3:
      do_tuple (m, op - OP_TUPLE1 + 1);
      break;
    case OP_TUPLE:
      y10_pickle_take_marked (m, y10_pickle_make (m, Y10_PICKLE_TUPLE), FALSE);
      break;
    case OP_EMPTY_LIST:
    case OP_EMPTY_SET:
      y10_pickle_push (m, y10_pickle_make (m, Y10_PICKLE_LIST));
      break;
    case OP_LIST:
    case OP_FROZENSET:
      y10_pickle_take_marked (m, y10_pickle_make (m, Y10_PICKLE_LIST), FALSE);
      break;
    case OP_APPEND:
      do_append (m, 1);
      break;
    case OP_APPENDS:
    case OP_ADDITEMS:
      y10_pickle_take_marked (m, NULL, FALSE);
      break;
    case OP_EMPTY_DICT:
      y10_pickle_push (m, y10_pickle_make (m, Y10_PICKLE_DICT));
      break;
    case OP_DICT:
      y10_pickle_take_marked (m, y10_pickle_make (m, Y10_PICKLE_DICT), TRUE);
      break;
    case OP_SETITEM:
      do_append (m, 2);
      break;
    case OP_SETITEMS:
      y10_pickle_take_marked (m, NULL, TRUE);
      break;
    case OP_BINPUT:
      y10_pickle_put (m, read_uint (m, 1));
      break;
    case OP_LONG_BINPUT:
      y10_pickle_put (m, read_uint (m, 4));
      break;
    case OP_MEMOIZE:
      y10_pickle_put (m, m->n_memo);
      break;
    case OP_BINGET:
      y10_pickle_get (m, read_uint (m, 1));
      break;
    case OP_LONG_BINGET:
      y10_pickle_get (m, read_uint (m, 4));
      break;
    case OP_GLOBAL:
      do_global (m);
      break;
    case OP_STACK_GLOBAL:
      do_stack_global (m);
      break;
    case OP_REDUCE:
    case OP_NEWOBJ:
      do_call (m);
      break;
    case OP_NEWOBJ_EX:
      do_newobj_ex (m);
      break;
    case OP_BUILD:
      do_build (m);
      break;
    case OP_BINPERSID:
      do_persistent (m);
      break;
    default:
      y10_pickle_fail (m,
          "it has opcode 0x%02x at byte %" G_GSIZE_FORMAT
          ", which torch.save() does not write",
          op, (gsize) (m->next - m->start) - 1);
  }
  return !m->why;
}

Y10Pickle *
y10_pickle_load (const guint8 *data, gsize size, gsize budget, char **why)
{
  Y10Pickle *m = g_new0 (Y10Pickle, 1);

  m->start = m->next = data;
  m->end = data + size;
  m->budget = budget;
  m->blocks = g_ptr_array_new_with_free_func (g_free);
  while (step (m))
    ;
  if (!m->why)
    return m;
  *why = g_steal_pointer (&m->why);
  y10_pickle_free (m);
  return NULL;
}

void
y10_pickle_free (Y10Pickle *m)
{
  if (!m)
    return;
  g_ptr_array_unref (m->blocks);
  g_free (m->stack);
  g_free (m->memo);
  g_free (m->why);
  g_free (m);
}

const Y10PickleValue *
y10_pickle_get_root (const Y10Pickle *m)
{
  return m->root;
}

static gboolean
equals (const Value *value, Y10PickleKind kind, const char *text)
{
  return value && value->kind == kind && value->length == strlen (text)
      && !memcmp (value->text, text, value->length);
}

gboolean
y10_pickle_is_string (const Y10PickleValue *value, const char *text)
{
  return equals (value, Y10_PICKLE_STRING, text);
}

gboolean
y10_pickle_is_call (const Y10PickleValue *value, const char *callee)
{
  return value && value->kind == Y10_PICKLE_CALL
      && equals (value->call->callee, Y10_PICKLE_GLOBAL, callee);
}

const Y10PickleValue *
y10_pickle_item (const Y10PickleValue *value, guint i)
{
  return value && value->kind >= Y10_PICKLE_TUPLE
          && value->kind != Y10_PICKLE_GLOBAL && i < value->n
      ? value->items[i]
      : NULL;
}

const Y10PickleValue *
y10_pickle_lookup (const Y10PickleValue *dict, const char *key)
{
  if (!dict || (dict->kind != Y10_PICKLE_DICT && dict->kind != Y10_PICKLE_CALL))
    return NULL;
  for (guint i = dict->n & ~1u; i >= 2; i -= 2)
    if (y10_pickle_is_string (dict->items[i - 2], key))
      return dict->items[i - 1];
  return NULL;
}
