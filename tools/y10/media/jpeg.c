/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Detects damaged JPEG files. gdk-pixbuf silently fills missing parts with grey,
 * so this file decodes the picture once more with libjpeg, at an eighth of the
 * size, and treats libjpeg's warnings as damage. */

#include "config.h"

#include <setjmp.h>
#include <stdio.h>

#include "media/jpeg.h"

#ifdef HAVE_JPEG

#include <jpeglib.h>
#include <jerror.h>

#define EOI 0xd9

typedef struct
{
  struct jpeg_error_mgr base;
  jmp_buf failed;
  char message[JMSG_LENGTH_MAX]; /* "": no damage */
} Errors;

static void
remember (j_common_ptr info)
{
  Errors *errors = (Errors *) info->err;

  if (!errors->message[0])
    errors->base.format_message (info, errors->message);
}

static void
on_error (j_common_ptr info)
{
  remember (info);
  longjmp (((Errors *) info->err)->failed, 1);
}

/* Ignores harmless warnings: some cameras pad before the end of the image. */
static void
on_message (j_common_ptr info, int level)
{
  if (level >= 0)
    return;
  switch (info->err->msg_code) {
    case JWRN_EXTRANEOUS_DATA:
      if (info->err->msg_parm.i[1] == EOI)
        return;
      break;
    case JWRN_ADOBE_XFORM:
    case JWRN_JFIF_MAJOR:
    case JWRN_BOGUS_PROGRESSION:
      return;
    default:
      break;
  }
  remember (info);
}

static void
on_output (j_common_ptr info)
{
}

/* A function of its own, because longjmp() clobbers local variables. */
static void
read_all (struct jpeg_decompress_struct *info, Errors *errors, FILE *file)
{
  JSAMPARRAY row;

  if (setjmp (errors->failed))
    return;
  jpeg_stdio_src (info, file);
  jpeg_read_header (info, TRUE);
  info->scale_num = 1;
  info->scale_denom = 8;
  info->dct_method = JDCT_IFAST;
  if (info->out_color_space == JCS_RGB && info->jpeg_color_space == JCS_YCbCr)
    info->out_color_space = JCS_GRAYSCALE;
  jpeg_start_decompress (info);
  row = info->mem->alloc_sarray ((j_common_ptr) info, JPOOL_IMAGE,
      info->output_width * (JDIMENSION) info->output_components, 1);
  while (info->output_scanline < info->output_height)
    jpeg_read_scanlines (info, row, 1);
  jpeg_finish_decompress (info);
}

char *
tool_jpeg_find_damage (const char *path)
{
  struct jpeg_decompress_struct info;
  Errors errors = { 0 };
  FILE *file = fopen (path, "rbe");
  guint8 start[2];

  if (!file)
    return NULL;
  if (fread (start, 1, 2, file) == 2 && start[0] == 0xff && start[1] == 0xd8) {
    rewind (file);
    info.err = jpeg_std_error (&errors.base);
    errors.base.error_exit = on_error;
    errors.base.emit_message = on_message;
    errors.base.output_message = on_output;
    jpeg_create_decompress (&info);
    read_all (&info, &errors, file);
    jpeg_destroy_decompress (&info);
  }
  fclose (file);
  return errors.message[0] ? g_strdup (errors.message) : NULL;
}

#else /* !HAVE_JPEG */

char *
tool_jpeg_find_damage (const char *path)
{
  return NULL;
}

#endif
