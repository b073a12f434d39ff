/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Prints the objects of a picture: liby10 alone, without GStreamer.
 * docs/c-library.md explains it. */

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <y10/y10.h>

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GdkPixbuf) file = NULL, upright = NULL;
  g_autoptr (Y10Model) model = NULL;
  g_autoptr (Y10Engine) engine = NULL;
  Y10EngineConfig config;
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  Y10Image image = { .size = sizeof image, .format = Y10_PIXEL_RGB };
  Y10Detection found[300];
  Y10Step step;
  gint n = -1;

  if (argc != 3) {
    g_printerr ("usage: detect MODEL.safetensors PICTURE\n");
    return 2;
  }
  y10_engine_config_init (&config, sizeof config);
  if (!(file = gdk_pixbuf_new_from_file (argv[2], &error))
      || !(model = y10_model_load (argv[1], NULL, &error))
      || !(engine = y10_engine_new (model, &config, NULL, &error))) {
    g_printerr ("detect: %s\n", error->message);
    return 1;
  }
  upright = gdk_pixbuf_apply_embedded_orientation (file);
  if (gdk_pixbuf_get_has_alpha (upright))
    image.format = Y10_PIXEL_RGBA;
  image.width = gdk_pixbuf_get_width (upright);
  image.height = gdk_pixbuf_get_height (upright);
  image.plane[0] = gdk_pixbuf_read_pixels (upright);
  image.stride[0] = gdk_pixbuf_get_rowstride (upright);

  if (y10_step_begin (engine, -1, &step, &error)) {
    if (y10_step_add (&step, &image, &params, &error)
        && y10_step_submit (&step, &error) && y10_step_wait (&step, -1, &error))
      n = y10_step_read (&step, 0, found, G_N_ELEMENTS (found), &error);
    y10_step_end (&step);
  }
  if (n < 0)
    g_printerr ("detect: %s\n", error->message);
  for (gint i = 0; i < n; i++)
    g_print ("%s %.4f %.1f %.1f %.1f %.1f\n",
        y10_model_get_class_name (model, found[i].class_id),
        found[i].confidence, found[i].x0, found[i].y0, found[i].x1,
        found[i].y1);
  return n < 0;
}
