/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Writes the contents of each box as a JPEG file DIR/CLASS/STEM-N.jpg, where N
 * counts the objects of a frame from 1; for a video, the number of the frame
 * precedes N. Never overwrites a file: if a name is taken, a number is added. With
 * privacy, all boxes are covered in a copy of the picture before any is cut out. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/names.h"
#include "draw/crops.h"
#include "media/frame.h"
#include "media/picture.h"

#ifdef HAVE_GST
#include "draw/cover.h"
#include "draw/shared.h"
#include "media/gst.h"
#include "media/sample.h"
#endif

#define MAX_TRIES 100000

struct _ToolCrops
{
  char *dir;
  Y10Model *model;     /* borrowed */
  const char *privacy; /* as in ToolPrivacy */
#ifdef HAVE_GST
  GstVideoConverter *converter; /* for the format of the previous frame */
  GstVideoInfo from, to;
  Y10Image part; /* what of the frame was inferred: x, y, width and height */
  GstBuffer *rgb;
#endif
};

static gboolean
make_folder (const char *path, GError **error)
{
  if (g_mkdir_with_parents (path, 0777) == 0)
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_NOT_FOUND,
      "--save-crops: cannot create the folder %s: %s", path,
      g_strerror (errno));
  return FALSE;
}

ToolCrops *
tool_crops_new (const char *dir, Y10Model *model, const ToolPrivacy *privacy,
    GError **error)
{
  ToolCrops *crops;

  if (!tool_picture_can_save ("a.jpg")) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "--save-crops: this y10 was built without gdk-pixbuf and cannot write "
        "pictures");
    return NULL;
  }
#ifdef HAVE_GST
  if (privacy->word && !tool_gst_init (error))
    return NULL;
#endif
  if (!make_folder (dir, error))
    return NULL;
  crops = g_new0 (ToolCrops, 1);
  crops->dir = g_strdup (dir);
  crops->model = model;
  crops->privacy = privacy->word;
  return crops;
}

/* Creates an empty file with that name and the first free number. */
static char *
claim_file (const char *folder, const char *name, GError **error)
{
  for (guint i = 1; i <= MAX_TRIES; i++) {
    g_autofree char *file = i == 1 ? g_strdup_printf ("%s.jpg", name)
                                   : g_strdup_printf ("%s-%u.jpg", name, i);
    g_autofree char *path = g_build_filename (folder, file, NULL);
    int fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (fd >= 0) {
      close (fd);
      return g_steal_pointer (&path);
    }
    if (errno != EEXIST)
      break;
  }
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
      "--save-crops: cannot write %s/%s.jpg: %s", folder, name,
      g_strerror (errno));
  return NULL;
}

static char *
crop_name (const ToolFrame *frame, guint i)
{
  char *dot;
  g_autofree char *base = tool_source_basename (frame->source), *safe = NULL;

  safe = tool_safe_name (base);
  dot = strrchr (safe, '.');
  if (dot)
    *dot = 0;
  return frame->timestamp < 0
      ? g_strdup_printf ("%s-%u", safe, i + 1)
      : g_strdup_printf ("%s-%06" G_GUINT64_FORMAT "-%u", safe, frame->number,
          i + 1);
}

static gboolean
save (ToolCrops *crops, const ToolFrame *frame, const Y10Image *rgb,
    const Y10Detection *row, guint i, GError **error)
{
  g_autofree char *class = tool_safe_name (
      y10_model_get_class_name (crops->model, (guint) row->class_id));
  g_autofree char *folder = g_build_filename (crops->dir, class, NULL);
  g_autofree char *name = crop_name (frame, i), *path = NULL;
  Y10Image crop = *rgb;
  Y10PixelBox box;

  y10_detection_to_pixels (row, rgb->width, rgb->height, &box);
  crop.plane[0] = rgb->plane[0] + (gsize) box.y * rgb->stride[0]
      + (gsize) box.x * (rgb->format == Y10_PIXEL_RGBA ? 4 : 3);
  crop.width = (guint) box.w;
  crop.height = (guint) box.h;
  return make_folder (folder, error)
      && (path = claim_file (folder, name, error))
      && tool_picture_save (path, &crop, error);
}

#ifdef HAVE_GST

static void
drop_converter (ToolCrops *crops)
{
  g_clear_pointer (&crops->converter, gst_video_converter_free);
  gst_clear_buffer (&crops->rgb);
}

static gboolean
is_same_format (const GstVideoInfo *a, const GstVideoInfo *b)
{
  return GST_VIDEO_INFO_FORMAT (a) == GST_VIDEO_INFO_FORMAT (b)
      && a->width == b->width && a->height == b->height
      && gst_video_colorimetry_is_equal (&a->colorimetry, &b->colorimetry)
      && a->chroma_site == b->chroma_site && a->fps_n == b->fps_n
      && a->fps_d == b->fps_d && a->interlace_mode == b->interlace_mode;
}

static gboolean
is_same_part (const Y10Image *a, const Y10Image *b)
{
  return a->x == b->x && a->y == b->y && a->width == b->width
      && a->height == b->height;
}

/* Converts @part of the frame, which boxes refer to, to RGB and maps the result in
 * @mapped. */
static gboolean
convert (ToolCrops *crops, GstVideoFrame *source, const Y10Image *part,
    GstVideoFrame *mapped)
{
  if (!crops->converter || !is_same_format (&crops->from, &source->info)
      || !is_same_part (&crops->part, part)) {
    drop_converter (crops);
    crops->from = source->info;
    crops->part = *part;
    gst_video_info_set_format (&crops->to, GST_VIDEO_FORMAT_RGB, part->width,
        part->height);
    /* A converter requires equal frame rates. */
    crops->to.fps_n = crops->from.fps_n;
    crops->to.fps_d = crops->from.fps_d;
    crops->to.interlace_mode = crops->from.interlace_mode;
    crops->converter = gst_video_converter_new (&crops->from, &crops->to,
        gst_structure_new ("part", GST_VIDEO_CONVERTER_OPT_SRC_X, G_TYPE_INT,
            (gint) part->x, GST_VIDEO_CONVERTER_OPT_SRC_Y, G_TYPE_INT,
            (gint) part->y, GST_VIDEO_CONVERTER_OPT_SRC_WIDTH, G_TYPE_INT,
            (gint) part->width, GST_VIDEO_CONVERTER_OPT_SRC_HEIGHT, G_TYPE_INT,
            (gint) part->height, NULL));
    crops->rgb = gst_buffer_new_allocate (NULL, crops->to.size, NULL);
  }
  if (!crops->converter
      || !gst_video_frame_map (mapped, &crops->to, crops->rgb,
          GST_MAP_READWRITE))
    return FALSE;
  gst_video_converter_frame (crops->converter, source, mapped);
  return TRUE;
}

/* Covers and cuts @mapped, which shows @frame and is this function's to change. */
static gboolean
save_mapped (ToolCrops *crops, const ToolFrame *frame, GstVideoFrame *mapped,
    const Y10Detection *rows, guint n, GError **error)
{
  Y10Image rgb = {
    .size = sizeof (Y10Image),
    .format = GST_VIDEO_FRAME_FORMAT (mapped) == GST_VIDEO_FORMAT_RGBA
        ? Y10_PIXEL_RGBA
        : Y10_PIXEL_RGB,
    .memory = Y10_MEMORY_HOST,
    .width = frame->image.width,
    .height = frame->image.height,
  };
  gboolean ok = TRUE;

  if (crops->privacy)
    tool_cover (mapped, rows, n, crops->privacy);
  rgb.plane[0] = GST_VIDEO_FRAME_PLANE_DATA (mapped, 0);
  rgb.stride[0] = (gsize) GST_VIDEO_FRAME_PLANE_STRIDE (mapped, 0);
  for (guint i = 0; ok && i < n; i++)
    ok = save (crops, frame, &rgb, &rows[i], i, error);
  gst_video_frame_unmap (mapped);
  return ok;
}

static gboolean
save_sample (ToolCrops *crops, const ToolFrame *frame, const Y10Detection *rows,
    guint n, GError **error)
{
  ToolSample *sample = frame->pixels;
  GstVideoFrame mapped;

  if (!convert (crops, &sample->frame.frame, &frame->image, &mapped)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "--save-crops: the frame cannot be converted to RGB");
    return FALSE;
  }
  return save_mapped (crops, frame, &mapped, rows, n, error);
}

/* A copy of the picture: others still need it as it is. */
static gboolean
save_covered (ToolCrops *crops, const ToolFrame *frame,
    const Y10Detection *rows, guint n, GError **error)
{
  GstVideoFrame mapped;
  GstVideoInfo info;
  g_autoptr (GstBuffer) buffer = NULL;
  gboolean ok;

  tool_image_to_info (&frame->image, &info);
  buffer = tool_draw_copy_pixels (&frame->image, &info);
  ok = gst_video_frame_map (&mapped, &info, buffer, GST_MAP_READWRITE);
  if (!ok)
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "--save-crops: the picture cannot be covered");
  ok = ok && save_mapped (crops, frame, &mapped, rows, n, error);
  return ok;
}

#endif

gboolean
tool_crops_save (ToolCrops *crops, const ToolFrame *frame,
    const Y10Detection *rows, guint n, GError **error)
{
  gboolean ok = TRUE;

#ifdef HAVE_GST
  if (frame->is_sample)
    return n == 0 || save_sample (crops, frame, rows, n, error);
  if (crops->privacy)
    return n == 0 || save_covered (crops, frame, rows, n, error);
#endif
  for (guint i = 0; ok && i < n; i++)
    ok = save (crops, frame, &frame->image, &rows[i], i, error);
  return ok;
}

void
tool_crops_free (ToolCrops *crops)
{
  if (!crops)
    return;
#ifdef HAVE_GST
  drop_converter (crops);
#endif
  g_free (crops->dir);
  g_free (crops);
}
