/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A Python pickle as a tree of inert values. Nothing is ever imported or
 * called: a call is a value with the callee's name and its arguments. */

typedef enum
{
  Y10_PICKLE_NONE,
  Y10_PICKLE_BOOL,
  Y10_PICKLE_INT,
  Y10_PICKLE_FLOAT,
  Y10_PICKLE_STRING, /* bytes, too */
  Y10_PICKLE_TUPLE,
  Y10_PICKLE_LIST,       /* sets, too */
  Y10_PICKLE_DICT,       /* items: key, value, key, value … */
  Y10_PICKLE_GLOBAL,     /* text: such as "torch.nn.modules.conv Conv2d" */
  Y10_PICKLE_CALL,       /* result of REDUCE and NEWOBJ */
  Y10_PICKLE_PERSISTENT, /* items: the persistent id */
  Y10_PICKLE_MARK,       /* only on the machine's stack */
} Y10PickleKind;

typedef struct _Y10PickleValue Y10PickleValue;

struct _Y10PickleValue
{
  Y10PickleKind kind;
  guint n, capacity; /* of @items */
  union
  {
    gint64 integer; /* BOOL, INT */
    gdouble real;
    struct
    {
      const char *text; /* points into the pickle, not terminated */
      gsize length;
    };
    struct
    {
      Y10PickleValue **items; /* of a CALL: items that were set or appended */
      struct
      {
        Y10PickleValue *callee, *args, *state; /* state: NULL before BUILD */
      } * call;
    };
  };
};

typedef struct _Y10Pickle Y10Pickle;

/* Runs @data, which must outlive the result, with at most @budget bytes of
 * memory. Returns NULL and the reason in @why if it is not a valid pickle. */
Y10Pickle *y10_pickle_load (const guint8 *data, gsize size, gsize budget,
    char **why);
void y10_pickle_free (Y10Pickle *pickle);
/* Returns the root of the tree, which may contain cycles. */
const Y10PickleValue *y10_pickle_get_root (const Y10Pickle *pickle);

/* These functions accept NULL and values of any kind. @callee is the text of a
 * GLOBAL. */
gboolean y10_pickle_is_string (const Y10PickleValue *value, const char *text);
gboolean y10_pickle_is_call (const Y10PickleValue *value, const char *callee);
const Y10PickleValue *y10_pickle_item (const Y10PickleValue *value, guint i);
/* Finds the value of a key in a DICT, or in a CALL that creates one; the
 * last value counts. */
const Y10PickleValue *y10_pickle_lookup (const Y10PickleValue *dict,
    const char *key);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Y10Pickle, y10_pickle_free)

G_END_DECLS
