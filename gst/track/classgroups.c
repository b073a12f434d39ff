/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The labels of boxes as small numbers, and which labels an object may change between:
 * by default none, with `class-groups` those of its group. Labels come from any
 * producer, so there is a limit: those beyond it count as one label without a name.
 * Memory is allocated when a label is seen for the first time. */
#include "track/classgroups.h"

#include <string.h>

#include <y10/error.h>

#include "common/classes.h"

#define MAX_LABELS 2048
/* Of the hash table, a power of two. */
#define N_PLACES (2 * MAX_LABELS)

struct _GstY10ClassGroups
{
  gchar ***names; /* (nullable) of each group, NULL at the end */
  guint n_groups;
  gint others; /* group that has "*"; -1: none */
  guint n_classes;
  GstY10TrackClass classes[MAX_LABELS];
  gint16 places[N_PLACES]; /* numbers by hash; -1: free */
};

GstY10ClassGroups *
gst_y10_class_groups_new (void)
{
  GstY10ClassGroups *self = g_new0 (GstY10ClassGroups, 1);

  self->others = -1;
  memset (self->places, -1, sizeof self->places);
  return self;
}

static void
forget_groups (GstY10ClassGroups *self)
{
  for (guint i = 0; i < self->n_groups; i++)
    g_strfreev (self->names[i]);
  g_clear_pointer (&self->names, g_free);
  self->n_groups = 0;
  self->others = -1;
}

static void
forget_classes (GstY10ClassGroups *self)
{
  for (guint i = 0; i < self->n_classes; i++)
    g_free (self->classes[i].name);
  self->n_classes = 0;
  memset (self->places, -1, sizeof self->places);
}

void
gst_y10_class_groups_free (GstY10ClassGroups *self)
{
  forget_groups (self);
  forget_classes (self);
  g_free (self);
}

/* Returns whether a group before @group, or this one before @name, has the name. */
static gboolean
is_named_before (const GstY10ClassGroups *self, guint group, gchar **name)
{
  for (guint i = 0; i <= group; i++)
    for (gchar **other = self->names[i]; *other && other != name; other++)
      if (!strcmp (*other, *name))
        return TRUE;
  return FALSE;
}

/* Strips the names and checks those of one group. */
static gboolean
check_group (GstY10ClassGroups *self, guint group, const gchar *text,
    GError **error)
{
  for (gchar **name = self->names[group]; *name; name++) {
    g_strstrip (*name);
    if (!**name) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
          "class-groups \"%s\" has an empty name, expected labels separated by "
          "commas, and groups by semicolons, such as \"car,truck,bus;person\"",
          text);
      return FALSE;
    }
    if (is_named_before (self, group, name)) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
          "class-groups \"%s\" names \"%s\" twice, expected each label in one "
          "group at most",
          text, *name);
      return FALSE;
    }
    if (!strcmp (*name, "*"))
      self->others = (gint) group;
  }
  return TRUE;
}

/* gst_y10_class_groups_set: (skip)
 * @text: (nullable): the groups, such as "car,truck;person". "*" stands for all labels
 *     that no group names. Empty: each label is a group
 *
 * Forgets all labels. Returns: %FALSE with an error and no groups, if @text has none */
gboolean
gst_y10_class_groups_set (GstY10ClassGroups *self, const gchar *text,
    GError **error)
{
  g_auto (GStrv) groups = g_strsplit (text ? text : "", ";", -1);
  gboolean is_good = TRUE;

  forget_groups (self);
  forget_classes (self);
  self->names = g_new0 (gchar **, g_strv_length (groups) + 1);
  for (gchar **group = groups; *group && is_good; group++) {
    if (!*g_strstrip (*group))
      continue;
    self->names[self->n_groups] = g_strsplit (*group, ",", -1);
    self->n_groups++;
    is_good = check_group (self, self->n_groups - 1, text, error);
  }
  if (!is_good)
    forget_groups (self);
  return is_good;
}

/* FALSE with an error if a group names a class that @model does not have; @what: who says
 * the groups. */
gboolean
gst_y10_class_groups_check (const GstY10ClassGroups *self, const gchar *what,
    const gchar *const *classes, const gchar *model, GError **error)
{
  for (guint i = 0; i < self->n_groups; i++)
    for (gchar **name = self->names[i]; *name; name++)
      if (strcmp (*name, "*") != 0
          && !gst_y10_classes_check (what, classes, model, *name, error))
        return FALSE;
  return TRUE;
}

static guint
group_of (const GstY10ClassGroups *self, guint number)
{
  for (guint i = 0; i < self->n_groups; i++)
    for (gchar **name = self->names[i]; *name; name++)
      if (!strcmp (*name, self->classes[number].name))
        return i;
  return self->others >= 0 ? (guint) self->others : self->n_groups + number;
}

/* FNV-1a. */
static guint
hash (const gchar *label, gsize length)
{
  guint32 h = 2166136261u;

  for (gsize i = 0; i < length; i++)
    h = (h ^ (guint8) label[i]) * 16777619u;
  return h % N_PLACES;
}

/* Sets @place to that of the label, or to where it would be. Returns its number or -1. */
static gint
look_up (const GstY10ClassGroups *self, const gchar *label, gsize length,
    guint *place)
{
  for (*place = hash (label, length); self->places[*place] >= 0;
       *place = (*place + 1) % N_PLACES) {
    const GstY10TrackClass *class = &self->classes[self->places[*place]];

    if (class->length == length && !memcmp (class->name, label, length))
      break;
  }
  return self->places[*place];
}

/* gst_y10_class_groups_find: (skip)
 * @label: need not be NUL-terminated
 * @class_id: of the label, or -1
 *
 * Returns: the label's number, the same until gst_y10_class_groups_set() */
guint
gst_y10_class_groups_find (GstY10ClassGroups *self, const gchar *label,
    gsize length, gint class_id)
{
  guint place;
  gint number = look_up (self, label, length, &place);

  if (number < 0 && self->n_classes == MAX_LABELS - 1) {
    label = "";
    length = 0;
    number = look_up (self, label, length, &place);
  }
  if (number < 0) {
    number = (gint) self->n_classes++;
    self->places[place] = (gint16) number;
    self->classes[number] = (GstY10TrackClass){
      .name = g_strndup (label, length),
      .length = length,
      .class_id = -1,
    };
    self->classes[number].group = group_of (self, (guint) number);
  }
  if (class_id >= 0)
    self->classes[number].class_id = class_id;
  return (guint) number;
}

/* Returns: (transfer none): the label with this number */
const GstY10TrackClass *
gst_y10_class_groups_get (const GstY10ClassGroups *self, guint number)
{
  return &self->classes[number];
}
