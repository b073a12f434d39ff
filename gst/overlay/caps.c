/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Caps negotiation of yolov10overlay: whether it draws itself or downstream
 * blends. This follows GStreamer's text overlays: caps with the feature
 * meta:GstVideoOverlayComposition let boxes travel as metadata, and an
 * ALLOCATION query tells whether downstream actually uses them. Without the
 * feature the element draws, which requires a drawable format in system memory,
 * or CUDA memory and a painter. */

#include "overlay/caps.h"

#include "common/cuda.h"

#define COMPOSITION GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION

static GstStaticCaps drawable_caps = GST_STATIC_CAPS (
    GST_VIDEO_CAPS_MAKE (GST_Y10_DRAWABLE));

static gboolean
is_composition (const GstCapsFeatures *features)
{
  return features && !gst_caps_features_is_any (features)
      && gst_caps_features_contains (features, COMPOSITION);
}

static GstCaps *
one (const GstStructure *structure, const GstCapsFeatures *features)
{
  GstCaps *caps = gst_caps_new_empty ();

  gst_caps_append_structure_full (caps, gst_structure_copy (structure),
      gst_caps_features_copy (features));
  return caps;
}

static GstCaps *
with_composition (const GstStructure *structure,
    const GstCapsFeatures *features)
{
  GstCaps *caps = one (structure, features);

  if (!is_composition (features))
    gst_caps_features_add (gst_caps_get_features (caps, 0), COMPOSITION);
  return caps;
}

static GstCaps *
without_composition (const GstStructure *structure,
    const GstCapsFeatures *features)
{
  GstCaps *caps = one (structure, features);

  gst_caps_features_remove (gst_caps_get_features (caps, 0), COMPOSITION);
  return caps;
}

static GstCaps *
drawable (const GstStructure *structure, const GstCapsFeatures *features,
    gboolean cuda)
{
  g_autoptr (GstCaps) caps = one (structure, features);
  g_autoptr (GstCaps)
      all = cuda && gst_caps_features_contains (features, GST_Y10_FEATURE_CUDA)
      ? gst_y10_cuda_get_caps ()
      : gst_static_caps_get (&drawable_caps);

  return gst_caps_intersect_full (caps, all, GST_CAPS_INTERSECT_FIRST);
}

/* Returns whether boxes travel as metadata with these fixed source caps. */
gboolean
gst_y10_overlay_caps_compose (GstCaps *caps)
{
  return is_composition (gst_caps_get_features (caps, 0));
}

/* Returns whether fixed @caps describe CUDA frames that the painter can draw
 * on. */
gboolean
gst_y10_overlay_caps_is_cuda (GstCaps *caps)
{
  GstCapsFeatures *features = gst_caps_get_features (caps, 0);
  g_autoptr (GstCaps) plain = NULL, cuda = NULL;

  if (!gst_caps_features_contains (features, GST_Y10_FEATURE_CUDA))
    return FALSE;
  plain = without_composition (gst_caps_get_structure (caps, 0), features);
  cuda = gst_y10_cuda_get_caps ();
  return gst_caps_can_intersect (plain, cuda);
}

/* Returns the pad template caps. CUDA memory comes first, because decoders pick
 * the first caps they support. */
GstCaps *
gst_y10_overlay_caps_template (void)
{
  GstCaps *caps = gst_caps_make_writable (gst_y10_cuda_get_caps ());

  gst_caps_append (caps, gst_caps_from_string (GST_Y10_OVERLAY_CAPS));
  return caps;
}

/* Returns the caps of the other pad: the same caps with or without a
 * composition. A composition attached upstream is never removed. @cuda tells
 * whether the painter can draw on CUDA memory. */
GstCaps *
gst_y10_overlay_caps_transform (GstPadDirection direction, gboolean cuda,
    GstCaps *caps, GstCaps *filter)
{
  g_autoptr (GstCaps) result = gst_caps_new_empty ();
  guint i;

  for (i = 0; i < gst_caps_get_size (caps); i++) {
    const GstStructure *structure = gst_caps_get_structure (caps, i);
    const GstCapsFeatures *features = gst_caps_get_features (caps, i);

    if (gst_caps_features_is_any (features)) {
      gst_caps_append (result, one (structure, features));
    } else if (is_composition (features)) {
      gst_caps_append (result, one (structure, features));
      if (direction == GST_PAD_SRC)
        gst_caps_append (result, without_composition (structure, features));
    } else {
      if (direction == GST_PAD_SINK)
        gst_caps_append (result, with_composition (structure, features));
      gst_caps_append (result, drawable (structure, features, cuda));
    }
  }
  return filter
      ? gst_caps_intersect_full (filter, result, GST_CAPS_INTERSECT_FIRST)
      : g_steal_pointer (&result);
}

/* Asks downstream whether it uses compositions. Elements that accept any caps
 * only answer this in an ALLOCATION query, and the caps must be set first, or a
 * base transform in between does not answer. */
static gboolean
downstream_composes (GstPad *srcpad, GstCaps *caps)
{
  gboolean composes = FALSE;
  g_autoptr (GstQuery) query = NULL;

  if (!gst_pad_set_caps (srcpad, caps))
    return FALSE;
  query = gst_query_new_allocation (caps, FALSE);
  if (gst_pad_peer_query (srcpad, query))
    composes = gst_query_find_allocation_meta (query,
        GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  return composes;
}

/* Fixates @caps, which it takes ownership of. Prefers a composition if the peer
 * uses it or accepts nothing else. */
GstCaps *
gst_y10_overlay_caps_choose (GstPad *srcpad, GstCaps *caps)
{
  g_autoptr (GstCaps) owned = caps, with = NULL, without = NULL;
  guint i;

  for (i = 0; i < gst_caps_get_size (caps); i++) {
    GstCaps **slot = is_composition (gst_caps_get_features (caps, i))
        ? &with
        : &without;

    if (!*slot)
      *slot = gst_caps_fixate (gst_caps_copy_nth (caps, i));
  }
  if (with && (!without || downstream_composes (srcpad, with)))
    return g_steal_pointer (&with);
  return without ? g_steal_pointer (&without) : g_steal_pointer (&owned);
}
