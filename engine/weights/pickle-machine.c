/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Memory, stack and memo of the pickle machine. All memory comes out of one
 * budget, and every function takes constant time, amortised. */

#include "config.h"

#include <string.h>

#include "weights/pickle-machine.h"

#define BLOCK (64u << 10)

typedef Y10PickleValue Value;

void
y10_pickle_fail (Y10Pickle *m, const char *format, ...)
{
  va_list args;

  if (m->why)
    return;
  va_start (args, format);
  m->why = g_strdup_vprintf (format, args);
  va_end (args);
}

static gboolean
spend (Y10Pickle *m, gsize size)
{
  if (size > m->budget - m->used) {
    y10_pickle_fail (m, "it needs more than %" G_GSIZE_FORMAT " MB of memory",
        m->budget >> 20);
    return FALSE;
  }
  m->used += size;
  return TRUE;
}

gpointer
y10_pickle_allocate (Y10Pickle *m, gsize size)
{
  gpointer p;

  size = (size + 7) & ~(gsize) 7;
  if (size > BLOCK / 4) {
    if (!spend (m, size))
      return NULL;
    p = g_malloc (size);
    g_ptr_array_add (m->blocks, p);
    return p;
  }
  if (!m->block || size > BLOCK - m->block_used) {
    if (!spend (m, BLOCK))
      return NULL;
    m->block = g_malloc (BLOCK);
    m->block_used = 0;
    g_ptr_array_add (m->blocks, m->block);
  }
  p = m->block + m->block_used;
  m->block_used += size;
  return p;
}

/* Makes room for item @n of an array. */
static gboolean
grow (Y10Pickle *m, Value ***array, gsize *size, gsize n)
{
  gsize wanted = MAX (n + 1, MAX (*size * 2, 256));

  if (n < *size)
    return TRUE;
  if (!spend (m, (wanted - *size) * sizeof (Value *)))
    return FALSE;
  *array = g_renew (Value *, *array, wanted);
  memset (*array + *size, 0, (wanted - *size) * sizeof (Value *));
  *size = wanted;
  return TRUE;
}

Value *
y10_pickle_make (Y10Pickle *m, Y10PickleKind kind)
{
  Value *value = y10_pickle_allocate (m, sizeof *value);

  if (!value)
    value = (Value *) (gpointer) m->sink;
  memset (value, 0, sizeof *value);
  value->kind = kind;
  return value;
}

void
y10_pickle_push (Y10Pickle *m, Value *value)
{
  if (!m->why && grow (m, &m->stack, &m->stack_size, m->depth))
    m->stack[m->depth++] = value;
}

Value *
y10_pickle_top (Y10Pickle *m)
{
  if (!m->why && m->depth && m->stack[m->depth - 1]->kind != Y10_PICKLE_MARK)
    return m->stack[m->depth - 1];
  y10_pickle_fail (m, "its stack is empty at byte %" G_GSIZE_FORMAT,
      (gsize) (m->next - m->start));
  return y10_pickle_make (m, Y10_PICKLE_NONE);
}

Value *
y10_pickle_pop (Y10Pickle *m)
{
  Value *value = y10_pickle_top (m);

  if (!m->why)
    m->depth--;
  return value;
}

gsize
y10_pickle_find_mark (Y10Pickle *m)
{
  for (gsize i = m->depth; i-- > 0;)
    if (m->stack[i]->kind == Y10_PICKLE_MARK)
      return i;
  y10_pickle_fail (m, "a mark is missing at byte %" G_GSIZE_FORMAT,
      (gsize) (m->next - m->start));
  return m->depth;
}

void
y10_pickle_append (Y10Pickle *m, Value *to, Value *const *values, gsize n)
{
  if (m->why || !n)
    return;
  if (n > G_MAXUINT / 4 - to->n) {
    y10_pickle_fail (m, "a container has too many items");
    return;
  }
  if (to->n + n > to->capacity) {
    guint capacity = MAX (to->n + n, to->capacity * 2);
    Value **items = y10_pickle_allocate (m, capacity * sizeof *items);

    if (!items)
      return;
    if (to->n)
      memcpy (items, to->items, to->n * sizeof *items);
    to->items = items;
    to->capacity = capacity;
  }
  memcpy (to->items + to->n, values, n * sizeof *values);
  to->n += n;
}

gboolean
y10_pickle_holds_items (const Value *value)
{
  return value->kind == Y10_PICKLE_LIST || value->kind == Y10_PICKLE_DICT
      || value->kind == Y10_PICKLE_CALL;
}

void
y10_pickle_take_marked (Y10Pickle *m, Value *is_new, gboolean pairs)
{
  gsize mark = y10_pickle_find_mark (m), n = m->depth - mark - 1;
  Value *to = is_new;

  if (m->why)
    return;
  if (!to) {
    to = mark ? m->stack[mark - 1] : NULL;
    if (!to || !y10_pickle_holds_items (to)) {
      y10_pickle_fail (m,
          "items are added to a value that is no container at byte "
          "%" G_GSIZE_FORMAT,
          (gsize) (m->next - m->start));
      return;
    }
  }
  if (pairs && n % 2) {
    y10_pickle_fail (m, "a key is without a value at byte %" G_GSIZE_FORMAT,
        (gsize) (m->next - m->start));
    return;
  }
  y10_pickle_append (m, to, m->stack + mark + 1, n);
  m->depth = mark;
  if (is_new)
    y10_pickle_push (m, is_new);
}

void
y10_pickle_put (Y10Pickle *m, gsize index)
{
  Value *value = y10_pickle_top (m);

  if (m->why || !grow (m, &m->memo, &m->memo_size, index))
    return;
  m->memo[index] = value;
  m->n_memo++;
}

void
y10_pickle_get (Y10Pickle *m, gsize index)
{
  if (m->why)
    return;
  if (index < m->memo_size && m->memo[index])
    y10_pickle_push (m, m->memo[index]);
  else
    y10_pickle_fail (m,
        "it refers to memo %" G_GSIZE_FORMAT ", which is not set", index);
}
