/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The property `encoder-hints`: translates the QP delta of a class into the
 * parameters of every encoder that reads regions of interest. Each encoder looks
 * for a structure with a specific name, so a region carries all of them. Parsing
 * the property creates the structures; each region gets copies.
 *
 * Two formats are left out. Qualcomm's "roi-meta" has an unsigned qp, which
 * cannot express better quality (a QP below that of the surroundings).
 * "roi/x264enc" is an example in GStreamer's documentation that no encoder
 * reads. */
#include "meta/encoderhints.h"

#include <string.h>
#include <y10/error.h>

#include "common/parse.h"

/* The largest difference of two QPs: H.264 and H.265 have 0 to 51. */
#define MAX_DELTA 51
/* Value for a class without a delta. */
#define NO_HINT G_MININT

enum
{
  MSDK,
  VAAPI,
  OMX,
  NIQUADRA,
  N_ENCODERS
};

struct _GstY10Hints
{
  guint n_classes;
  GstStructure *(*classes)[N_ENCODERS]; /* by class; all NULL: no hint */
};

/* gst-omx has four qualities only: QP 5 lower, unchanged, 5 higher, and the
 * worst one. Picks the nearest of the first three. */
static const gchar *
omx_quality (gint delta)
{
  return delta <= -3 ? "high" : delta < 3 ? "medium" : "low";
}

/* NETINT expects a fraction of 25. The encoder truncates it to thousandths, and
 * then truncates 25 times that to an integer; half a thousandth more makes the
 * result exact. */
static gdouble
niquadra_fraction (gint delta)
{
  gint nearest = CLAMP (delta, -25, 25);

  return nearest / 25.0 + (nearest > 0) * 0.0005 - (nearest < 0) * 0.0005;
}

static void
fill (GstStructure **class, gint delta)
{
  if (delta == NO_HINT)
    return;
  class[MSDK] = gst_structure_new ("roi/msdk", "delta-qp", G_TYPE_INT, delta,
      NULL);
  class[VAAPI] = gst_structure_new ("roi/vaapi", "delta-qp", G_TYPE_INT,
      CLAMP (delta, -10, 10), NULL);
  class[OMX] = gst_structure_new ("roi/omx-alg", "quality", G_TYPE_STRING,
      omx_quality (delta), NULL);
  class[NIQUADRA] = gst_structure_new ("roi/niquadra", "delta-qp",
      G_TYPE_DOUBLE, niquadra_fraction (delta), NULL);
}

static gboolean
parse_delta (const gchar *text, gint *delta)
{
  gchar *end;
  gint64 value = g_ascii_strtoll (text, &end, 10);

  *delta = (gint) CLAMP (value, -MAX_DELTA - 1, MAX_DELTA + 1);
  return end != text && !*end && ABS (*delta) <= MAX_DELTA;
}

/* Parses "CLASS=DELTA" in place; names may contain '='. "*" sets @others. */
static gboolean
parse_hint (gchar *token, const Y10Model *model, gint *deltas, gint *others,
    GError **error)
{
  gchar *value = strrchr (token, '='), *name = token;
  gint id, delta, *slot = others;

  if (!value || !parse_delta (g_strstrip (value + 1), &delta)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "encoder-hints has \"%s\", expected CLASS=DELTA with a whole number "
        "from -%d to %d, such as \"person=-8\" or \"*=4\"",
        token, MAX_DELTA, MAX_DELTA);
    return FALSE;
  }
  *value = '\0';
  g_strstrip (name);
  if (strcmp (name, "*")) {
    id = gst_y10_find_class ("encoder-hints", name, model, error);
    if (id < 0)
      return FALSE;
    slot = &deltas[id];
  }
  if (*slot != NO_HINT) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "encoder-hints has both %d and %d for \"%s\", expected each class once",
        *slot, delta, name);
    return FALSE;
  }
  *slot = delta;
  return TRUE;
}

static GstY10Hints *
make (const gint *deltas, gint others, guint n_classes)
{
  GstY10Hints *self = g_new0 (GstY10Hints, 1);

  self->n_classes = n_classes;
  self->classes = g_malloc0_n (n_classes, sizeof *self->classes);
  for (guint i = 0; i < n_classes; i++)
    fill (self->classes[i], deltas[i] == NO_HINT ? others : deltas[i]);
  return self;
}

/**
 * gst_y10_hints_parse:
 * @text: (nullable): comma-separated CLASS=DELTA; CLASS is a name or id, or `*`
 *   for all other classes; DELTA is from -51 to 51
 * @model: the model with these classes
 * @hints: (out) (transfer full) (nullable): the hints, or %NULL if @text has
 *   none; not set on error
 * @error: %Y10_ERROR_INVALID_ARGUMENT if @text does not have this form, has a
 *   class twice, or names a class that @model does not have
 *
 * Parses the property `encoder-hints`.
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
gst_y10_hints_parse (const gchar *text, const Y10Model *model,
    GstY10Hints **hints, GError **error)
{
  guint n_classes = y10_model_get_n_classes (model), n_hints = 0;
  g_auto (GStrv) tokens = g_strsplit (text ? text : "", ",", -1);
  g_autofree gint *deltas = g_new (gint, n_classes);
  gint others = NO_HINT;
  gboolean ok = TRUE;

  for (guint i = 0; i < n_classes; i++)
    deltas[i] = NO_HINT;
  for (gchar **token = tokens; *token && ok; token++) {
    if (!*g_strstrip (*token))
      continue;
    ok = parse_hint (*token, model, deltas, &others, error);
    n_hints++;
  }
  if (ok)
    *hints = n_hints ? make (deltas, others, n_classes) : NULL;
  return ok;
}

/**
 * gst_y10_hints_free:
 * @self: (nullable) (transfer full): hints
 *
 * Frees the hints.
 */
void
gst_y10_hints_free (GstY10Hints *self)
{
  if (!self)
    return;
  for (guint i = 0; i < self->n_classes; i++)
    for (guint k = 0; k < N_ENCODERS; k++)
      gst_clear_structure (&self->classes[i][k]);
  g_free (self->classes);
  g_free (self);
}

/**
 * gst_y10_hints_add:
 * @self: hints
 * @class_id: class of the object in @roi
 * @roi: a region on a writable buffer
 *
 * Adds the parameters for @class_id, if any, to @roi.
 */
void
gst_y10_hints_add (const GstY10Hints *self, gint class_id,
    GstVideoRegionOfInterestMeta *roi)
{
  for (guint k = 0; k < N_ENCODERS; k++) {
    const GstStructure *hint = self->classes[class_id][k];

    if (hint)
      gst_video_region_of_interest_meta_add_param (roi,
          gst_structure_copy (hint));
  }
}
