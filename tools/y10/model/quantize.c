/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* y10 quantize: writes a model with 8-bit integers. Pictures show the range of the
 * activations. Every fifth is kept back: both models are run on those, so that what
 * is printed does not come from pictures that the integers were fitted to. Only then
 * does the new file replace what may be there. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "base/command.h"
#include "base/interrupt.h"
#include "base/options.h"
#include "base/progress.h"
#include "base/terminal.h"
#include "media/frame.h"
#include "media/inputs.h"
#include "media/picture.h"
#include "model/agreement.h"

/* With 4 pictures the noise of the class scores was more than twice that of 20. */
#define MIN_PICTURES 20
#define KEEP_EVERY 5
#define CONFIDENCE 0.25f /* of what counts as an object */
#define MIN_CONFIDENCE 0.01f
#define MIN_AGREEMENT 0.9 /* less is worth a warning */
#define MAX_ROWS 300

typedef struct
{
  Y10Model *model, *integer_model;
  Y10Quantizer *quantizer;
  Y10Engine *integers;
  ToolAgreement *agreement;
  ToolProgress *progress;
  char **pictures;
  guint n_pictures;
  double *signal, *noise; /* of each op */
  guint n_done, n_kept, n_damaged;
} Quantize;

static gboolean
is_kept_back (guint i)
{
  return i % KEEP_EVERY == KEEP_EVERY - 1;
}

/* Those in the folder @path, sorted. */
static gboolean
list_pictures (Quantize *self, const char *path)
{
  char *arguments[] = { (char *) path, NULL };
  g_auto (GStrv) files = NULL;
  GPtrArray *pictures = g_ptr_array_new ();

  if (!g_file_test (path, G_FILE_TEST_IS_DIR)) {
    tool_error ("--images: %s is not a folder", path);
    g_ptr_array_unref (pictures);
    return FALSE;
  }
  files = tool_inputs_expand (arguments, FALSE);
  for (guint i = 0; files[i]; i++)
    if (tool_is_picture_name (files[i]))
      g_ptr_array_add (pictures, g_strdup (files[i]));
  self->n_pictures = pictures->len;
  g_ptr_array_add (pictures, NULL);
  self->pictures = (char **) g_ptr_array_free (pictures, FALSE);
  if (self->n_pictures >= MIN_PICTURES)
    return TRUE;
  tool_error ("--images: %s has %u picture%s; expected at least %d like those "
              "that the model will see",
      path, self->n_pictures, self->n_pictures == 1 ? "" : "s", MIN_PICTURES);
  return FALSE;
}

/* Returns the number of rows, or -1. */
static gint
detect (Y10Engine *engine, const Y10Image *image, Y10Detection *rows,
    GError **error)
{
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  Y10Step step;
  gint n = -1;

  params.confidence = MIN_CONFIDENCE;
  if (!y10_step_begin (engine, -1, &step, error))
    return -1;
  if (y10_step_add (&step, image, &params, error)
      && y10_step_submit (&step, error) && y10_step_wait (&step, -1, error))
    n = y10_step_read (&step, 0, rows, MAX_ROWS, error);
  y10_step_end (&step);
  return n;
}

static gboolean
compare (Quantize *self, const Y10Image *image, GError **error)
{
  Y10Detection expected[MAX_ROWS], rows[MAX_ROWS];
  gint n_expected = detect (y10_quantizer_get_engine (self->quantizer), image,
      expected, error);
  gint n_rows = n_expected < 0 ? -1
                               : detect (self->integers, image, rows, error);

  if (n_rows < 0)
    return FALSE;
  tool_agreement_add (self->agreement, expected, (guint) n_expected, rows,
      (guint) n_rows, CONFIDENCE);
  return y10_quantizer_compare (self->quantizer, self->integers, image,
      self->signal, self->noise, error);
}

/* Runs the pictures that are kept back, or the others. One that cannot be read
 * is named and left out. */
static gboolean
run_pictures (Quantize *self, gboolean kept_back, GError **error)
{
  gboolean ok = TRUE;
  guint n = 0;

  for (guint i = 0; ok && i < self->n_pictures && !tool_interrupted (); i++) {
    const char *path = self->pictures[i];
    g_autoptr (GError) damage = NULL;
    g_autofree char *partly = NULL;
    ToolFrame frame;

    if (is_kept_back (i) != kept_back)
      continue;
    if (!tool_picture_load (path, path, &frame, &partly, &damage)) {
      tool_progress_hide (self->progress);
      tool_error ("%s is left out: %s", path, damage->message);
      continue;
    }
    if (partly) {
      tool_progress_hide (self->progress);
      tool_error ("%s is damaged; only what could be decoded is used: %s", path,
          partly);
      self->n_damaged++;
    }
    ok = kept_back ? compare (self, &frame.image, error)
                   : y10_quantizer_add (self->quantizer, &frame.image, error);
    frame.free_pixels (frame.pixels);
    n += ok;
    self->n_done++;
    tool_progress_update (self->progress, self->n_done - 1, 1, path);
  }
  tool_progress_hide (self->progress);
  if (kept_back)
    self->n_kept = n;
  if (ok && !tool_interrupted ()
      && (kept_back ? !n : n < MIN_PICTURES - MIN_PICTURES / KEEP_EVERY)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "only %u of the pictures can be read; expected at least %d", n,
        kept_back ? 1 : MIN_PICTURES - MIN_PICTURES / KEEP_EVERY);
    return FALSE;
  }
  return ok;
}

/* Saves to a new file beside @out, and sets @beside to its name. */
static gboolean
save (Quantize *self, const char *out, char **beside, GError **error)
{
  g_autofree char *name = g_strconcat (out, ".XXXXXX", NULL);
  int fd = g_mkstemp_full (name, O_WRONLY | O_CLOEXEC, 0666);

  if (fd < 0) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s cannot be written: %s",
        out, g_strerror (errno));
    return FALSE;
  }
  g_close (fd, NULL);
  *beside = g_steal_pointer (&name);
  return y10_quantizer_save (self->quantizer, *beside, error);
}

/* Moves the file @beside to @out. */
static gboolean
publish (const char *out, char **beside, GError **error)
{
  if (g_rename (*beside, out)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s cannot be replaced: %s", out, g_strerror (errno));
    return FALSE;
  }
  g_clear_pointer (beside, g_free);
  return TRUE;
}

static gboolean
open_integers (Quantize *self, const char *path, guint threads, GError **error)
{
  Y10EngineConfig config;

  y10_engine_config_init (&config, sizeof config);
  config.backend = Y10_BACKEND_CPU;
  config.precision = Y10_PRECISION_INT8;
  config.threads = threads;
  self->integer_model = y10_model_load (path, NULL, error);
  if (!self->integer_model)
    return FALSE;
  self->integers = y10_engine_new (self->integer_model, &config, NULL, error);
  return self->integers != NULL;
}

static void
print_layers (const Quantize *self)
{
  guint n = y10_engine_get_n_ops (self->integers), n_integers = 0;
  guint64 flops = 0, integer_flops = 0;
  g_autoptr (GString) floats = g_string_new (NULL);

  tool_print ("%-28s %-24s %s\n", "layer", "computed by",
      "noise, rms of its output = 1");
  for (guint i = 0; i < n; i++) {
    Y10OpInfo op = { .size = sizeof op };

    y10_engine_get_op (self->integers, i, &op);
    if (strcmp (op.kind, "conv") != 0)
      continue;
    flops += op.flops;
    if (strstr (op.impl, ":int8-")) {
      n_integers++;
      integer_flops += op.flops;
    } else {
      g_string_append_printf (floats, " %s", op.name);
    }
    tool_print ("%-28s %-24s %.4f\n", op.name, op.impl,
        sqrt (self->noise[i] / MAX (self->signal[i], 1e-30)));
  }
  tool_print ("\nleft in floats:%s\n", floats->str);
  tool_print ("integers: %u convolutions, %.1f %% of the multiplications\n",
      n_integers, flops ? 100. * (double) integer_flops / (double) flops : 0.);
}

static void
print_result (const Quantize *self, const char *out)
{
  ToolAgreementResult r = tool_agreement_get (self->agreement);

  print_layers (self);
  tool_print (
      "%u pictures that were kept back: int8 finds %u of the %u objects "
      "of fp32 (%.1f %%); average precision with those as truth %.3f\n",
      self->n_kept, r.n_found, r.n_expected, 100 * r.recall, r.ap);
  if (self->n_damaged)
    tool_print ("damaged: %u of %u pictures\n", self->n_damaged,
        self->n_pictures);
  tool_print ("written to %s\n", out);
  if (!r.n_expected)
    tool_error ("fp32 finds no object in the pictures that were kept back, so "
                "nothing is known of %s; use pictures with objects",
        out);
  else if (r.ap < MIN_AGREEMENT)
    tool_error ("int8 differs much from fp32; more pictures, or others, may "
                "help");
}

static int
quantize (const char *in, const char *out, const char *images, guint threads)
{
  Quantize self = { NULL };
  g_autoptr (GError) error = NULL;
  g_autofree char *beside = NULL;
  int status = TOOL_FAILED;
  guint n_ops;

  if (!list_pictures (&self, images)) {
    g_strfreev (self.pictures);
    return TOOL_USAGE;
  }
  tool_interrupt_catch ();
  self.model = tool_model_load (in, NULL, &error);
  if (self.model)
    self.quantizer = y10_quantizer_new (self.model, threads, &error);
  if (!self.quantizer) {
    status = TOOL_NO_ENGINE;
    goto done;
  }
  n_ops = y10_engine_get_n_ops (y10_quantizer_get_engine (self.quantizer));
  self.signal = g_new0 (double, n_ops);
  self.noise = g_new0 (double, n_ops);
  self.agreement = tool_agreement_new (y10_model_get_n_classes (self.model));
  self.progress = tool_progress_new (self.n_pictures,
      y10_quantizer_get_engine (self.quantizer));
  if (!run_pictures (&self, FALSE, &error) || tool_interrupted ()
      || !save (&self, out, &beside, &error)
      || !open_integers (&self, beside, threads, &error)
      || !run_pictures (&self, TRUE, &error) || tool_interrupted ()
      || !publish (out, &beside, &error))
    goto done;
  print_result (&self, out);
  status = tool_flush_stdout () ? TOOL_OK : TOOL_FAILED;

done:
  if (beside)
    g_unlink (beside);
  if (error)
    tool_error ("%s", error->message);
  else if (tool_interrupted ())
    status = TOOL_INTERRUPTED;
  tool_progress_free (self.progress);
  tool_agreement_free (self.agreement);
  y10_quantizer_free (self.quantizer);
  y10_engine_unref (self.integers);
  y10_model_unref (self.integer_model);
  y10_model_unref (self.model);
  g_strfreev (self.pictures);
  g_free (self.signal);
  g_free (self.noise);
  return status;
}

int
tool_quantize (int argc, char **argv)
{
  g_auto (GStrv) files = NULL;
  g_autofree char *images = NULL;
  int threads = 0;
  const GOptionEntry entries[] = {
    { "images", 'i', 0, G_OPTION_ARG_FILENAME, &images,
        "Folder of at least 20 pictures like those that the model will see",
        "DIR" },
    { "threads", 't', 0, G_OPTION_ARG_INT, &threads,
        "Number of threads [one per core]", "N" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &files, NULL,
        NULL },
    { NULL }
  };
  g_autoptr (GOptionContext)
      context = g_option_context_new ("MODEL OUT.safetensors");
  int status = TOOL_USAGE;

  g_option_context_set_summary (context,
      "Writes MODEL with 8-bit integers, which CPUs with VNNI multiply faster than "
      "floats.\nEvery fifth picture is kept back; on those, the new file is compared "
      "with MODEL.");
  g_option_context_set_description (context, TOOL_STATUS_HELP);
  g_option_context_add_main_entries (context, entries, NULL);
  if (tool_options_parse (context, "quantize", &argc, &argv)) {
    if (!files || g_strv_length (files) != 2)
      tool_error ("quantize takes two files, MODEL and OUT; see 'y10 quantize "
                  "--help'");
    else if (!images)
      tool_error ("quantize needs --images DIR: the range of the activations "
                  "depends on pictures");
    else if (tool_check_range ("--threads", threads, 0, 256))
      status = quantize (files[0], files[1], images, (guint) threads);
  }
  return status;
}
