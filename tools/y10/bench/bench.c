/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* y10 bench: measures a step from the network's input to all rows, as the
 * wall-clock time of submit, wait and read that an application sees. The
 * letterbox, which writes a picture into the input, counts only with
 * --with-preprocess, and then for a 1080p NV12 frame. Measuring on a GPU starts
 * after tuning has finished, since that is the speed in the long run. The
 * minimum confidence is 0, so that every run selects and decodes the maximum
 * number of rows (300), which is the worst case. --cameras measures something else,
 * see capacity.c. */

#include "config.h"

#include <math.h>

#include "base/command.h"
#include "base/json.h"
#include "base/options.h"
#include "base/progress.h"
#include "base/terminal.h"
#include "bench/capacity.h"
#include "bench/stats.h"

#define FRAME_WIDTH 1920
#define FRAME_HEIGHT 1080
#define WARM_UP_STEPS 5
#define WARM_UP_TIME (G_USEC_PER_SEC / 2)
#define MIN_STEPS 10
#define PROFILE_RUNS 21

typedef struct
{
  Y10Engine *engine;
  Y10Image image;
  gpointer pixels;
  Y10HeadParams params;
  Y10Detection *rows;
  guint batch, n_rows;
  gboolean with_preprocess;
  gint64 first_us; /* from the file to the first rows, without tuning */
  GArray *step_ms, *preprocess_ms, *inference_ms, *postprocess_ms;
} Bench;

/* A reproducible gradient with noise: constant pixels would make all candidates
 * of the head equal. */
static guint8
synthetic (guint x, guint y, guint plane)
{
  guint32 h = x * 0x9E3779B1u ^ y * 0x85EBCA77u ^ plane * 0xC2B2AE3Du;

  h ^= h >> 15;
  h *= 0x2C1B3C6Du;
  h ^= h >> 13;
  return (guint8) (((x * (plane + 1) + y * (3 - plane)) / 4 + h % 64) & 255);
}

static void
make_tensor (Bench *bench)
{
  guint width, height;
  gfloat *p;

  y10_engine_get_input_size (bench->engine, &width, &height);
  p = bench->pixels = g_new (gfloat, (gsize) width * height * 3);
  bench->image = (Y10Image){
    .size = sizeof (Y10Image),
    .format = Y10_PIXEL_TENSOR,
    .width = width,
    .height = height,
  };
  for (guint c = 0; c < 3; c++) {
    bench->image.plane[c] = (const guint8 *) p;
    bench->image.stride[c] = width * sizeof *p;
    for (guint y = 0; y < height; y++)
      for (guint x = 0; x < width; x++)
        *p++ = synthetic (x, y, c) / 255.0f;
  }
}

static void
make_frame (Bench *bench)
{
  const gsize luma = (gsize) FRAME_WIDTH * FRAME_HEIGHT;
  guint8 *p = bench->pixels = g_malloc (luma * 3 / 2);

  bench->image = (Y10Image){
    .size = sizeof (Y10Image),
    .format = Y10_PIXEL_NV12,
    .matrix = Y10_MATRIX_BT709,
    .width = FRAME_WIDTH,
    .height = FRAME_HEIGHT,
    .plane = { p, p + luma },
    .stride = { FRAME_WIDTH, FRAME_WIDTH },
  };
  for (guint y = 0; y < FRAME_HEIGHT * 3 / 2; y++)
    for (guint x = 0; x < FRAME_WIDTH; x++)
      *p++ = synthetic (x, y, y >= FRAME_HEIGHT);
}

/* Resolves auto: the size that a frame gets. */
static void
choose_size (const Y10Model *model, Y10EngineConfig *config)
{
  Y10Letterbox box;
  guint width, height;

  if (!config->auto_size)
    return;
  y10_model_get_input_size (model, &width, &height);
  y10_letterbox_init (&box, FRAME_WIDTH, FRAME_HEIGHT, width, height);
  config->width = (box.width + 31) / 32 * 32;
  config->height = (box.height + 31) / 32 * 32;
  config->auto_size = FALSE;
}

static gboolean
run_step (Bench *bench, gint64 *us, Y10StepTimes *times, GError **error)
{
  Y10Step step;
  gboolean ok = TRUE;
  gint64 start;

  if (!y10_step_begin (bench->engine, -1, &step, error))
    return FALSE;
  for (guint i = 0; ok && i < bench->batch; i++)
    ok = y10_step_add (&step, &bench->image, &bench->params, error);
  start = g_get_monotonic_time ();
  ok = ok && y10_step_submit (&step, error) && y10_step_wait (&step, -1, error);
  for (guint i = 0; ok && i < bench->batch; i++) {
    gint n = y10_step_read (&step, i, bench->rows, bench->params.max_detections,
        error);

    bench->n_rows = (guint) MAX (n, 0);
    ok = n >= 0;
  }
  *us = g_get_monotonic_time () - start;
  ok = ok && y10_step_get_times (&step, times, error);
  y10_step_end (&step);
  return ok;
}

static void
record (Bench *bench, gint64 us, const Y10StepTimes *times)
{
  const double preprocess = (double) times->preprocess / 1e6;
  const double inference = (double) times->inference / 1e6;
  const double postprocess = (double) times->postprocess / 1e6;
  double step = (double) us / 1e3;

  if (!bench->with_preprocess)
    step -= preprocess;
  g_array_append_val (bench->step_ms, step);
  g_array_append_val (bench->preprocess_ms, preprocess);
  g_array_append_val (bench->inference_ms, inference);
  g_array_append_val (bench->postprocess_ms, postprocess);
}

static gboolean
measure (Bench *bench, double seconds, GError **error)
{
  gint64 start = g_get_monotonic_time (), us;
  Y10StepTimes times = { .size = sizeof times };

  for (guint i = 0;
       i < WARM_UP_STEPS || g_get_monotonic_time () - start < WARM_UP_TIME;
       i++) {
    if (!run_step (bench, &us, &times, error))
      return FALSE;
    bench->first_us += i ? 0 : us;
  }
  start = g_get_monotonic_time ();
  while (bench->step_ms->len < MIN_STEPS
      || g_get_monotonic_time () - start < seconds * G_USEC_PER_SEC) {
    if (!run_step (bench, &us, &times, error))
      return FALSE;
    record (bench, us, &times);
  }
  return TRUE;
}

static void
stats_of (GArray *values, ToolStats *stats)
{
  tool_stats ((double *) (gpointer) values->data, values->len, stats);
}

typedef struct
{
  ToolStats step, preprocess, inference, postprocess;
  guint n_ops;
  gint64 *ns; /* of each op */
} Result;

static void
print_tuning_json (GString *json, Y10Engine *engine)
{
  Y10TuningProgress p = { .size = sizeof p };

  y10_engine_get_tuning_progress (engine, &p);
  y10_json_open (json, "tuning", '{');
  y10_json_add_int (json, "convolutions", p.total);
  y10_json_add_int (json, "known", p.loaded);
  y10_json_add_int (json, "faster", p.faster);
  y10_json_add_int (json, "wrong", p.wrong);
  y10_json_add_string (json, "note", p.note);
  y10_json_close (json, '}');
}

static void
print_json (const Bench *bench, const Result *result)
{
  g_autoptr (GString) json = g_string_new (NULL);
  Y10Engine *engine = bench->engine;
  guint width, height;

  y10_engine_get_input_size (engine, &width, &height);
  y10_json_open (json, NULL, '{');
  y10_json_add_double (json, "median_ms", result->step.median);
  y10_json_add_double (json, "p95_ms", result->step.p95);
  y10_json_add_double (json, "min_ms", result->step.min);
  y10_json_add_double (json, "mean_ms", result->step.mean);
  y10_json_add_int (json, "steps", bench->step_ms->len);
  y10_json_add_double (json, "images_per_second",
      1e3 * bench->batch / result->step.median);
  y10_json_add_string (json, "model",
      y10_model_get_variant (y10_engine_get_model (engine)));
  y10_json_add_string (json, "backend",
      y10_backend_get_name (y10_engine_get_backend (engine)));
  y10_json_add_string (json, "precision",
      y10_precision_get_name (y10_engine_get_precision (engine)));
  y10_json_add_int (json, "threads", y10_engine_get_threads (engine));
  y10_json_add_double (json, "start_ms",
      (double) y10_engine_get_start_time (engine) / 1e6);
  y10_json_add_double (json, "first_result_ms", (double) bench->first_us / 1e3);
  y10_json_add_string (json, "device", y10_engine_get_device (engine));
  y10_json_add_size (json, "size", width, height);
  y10_json_add_int (json, "batch", bench->batch);
  y10_json_add_int (json, "rows", bench->n_rows);
  y10_json_add_bool (json, "with_preprocess", bench->with_preprocess);
  print_tuning_json (json, engine);
  y10_json_open (json, "stages", '{');
  y10_json_add_double (json, "preprocess_ms", result->preprocess.median);
  y10_json_add_double (json, "inference_ms", result->inference.median);
  y10_json_add_double (json, "postprocess_ms", result->postprocess.median);
  y10_json_close (json, '}');
  y10_json_open (json, "ops", '[');
  for (guint i = 0; i < result->n_ops; i++) {
    const double ms = (double) result->ns[i] / 1e6;
    Y10OpInfo op = { .size = sizeof op };

    y10_engine_get_op (engine, i, &op);
    y10_json_open (json, NULL, '{');
    y10_json_add_string (json, "name", op.name);
    y10_json_add_string (json, "kind", op.kind);
    y10_json_add_string (json, "impl", op.impl);
    y10_json_add_double (json, "ms", ms);
    y10_json_add_double (json, "gflops",
        ms > 0 ? (double) op.flops / ms / 1e6 : 0);
    y10_json_close (json, '}');
  }
  y10_json_close (json, ']');
  y10_json_close (json, '}');
  tool_print_json (json);
}

static void
print_text (const Bench *bench, const Result *result)
{
  Y10Engine *engine = bench->engine;
  double sum = 0;
  guint width, height;

  y10_engine_get_input_size (engine, &width, &height);
  tool_print ("%s, %ux%u, batch %u\n",
      y10_model_get_variant (y10_engine_get_model (engine)), width, height,
      bench->batch);
  tool_print ("%s, %s, %s\n\n",
      y10_backend_get_name (y10_engine_get_backend (engine)),
      y10_precision_get_name (y10_engine_get_precision (engine)),
      y10_engine_get_device (engine));

  for (guint i = 0; i < result->n_ops; i++)
    sum += (double) result->ns[i] / 1e6;
  tool_print ("%-28s %-11s %-21s %9s %6s %9s\n", "layer", "kind", "runs on",
      "ms", "%", "GFLOP/s");
  for (guint i = 0; i < result->n_ops; i++) {
    const double ms = (double) result->ns[i] / 1e6;
    Y10OpInfo op = { .size = sizeof op };

    y10_engine_get_op (engine, i, &op);
    tool_print ("%-28s %-11s %-21s %9.3f %6.1f %9.1f\n", op.name, op.kind,
        op.impl, ms, 100 * ms / sum, ms > 0 ? (double) op.flops / ms / 1e6 : 0);
  }
  tool_print ("%-61s %9.3f\n\n", "sum of the layers, each run on its own", sum);

  tool_print ("%s to %u rows, %u steps:\n",
      bench->with_preprocess ? "1920x1080 NV12 frame" : "network input",
      bench->n_rows, bench->step_ms->len);
  tool_print ("median %.3f ms, 95 %% below %.3f ms, best %.3f ms, "
              "%.1f images/s\n",
      result->step.median, result->step.p95, result->step.min,
      1e3 * bench->batch / result->step.median);
  tool_print ("preprocess %.3f ms%s, inference %.3f ms, postprocess %.3f ms\n",
      result->preprocess.median, bench->with_preprocess ? "" : " (not counted)",
      result->inference.median, result->postprocess.median);
  tool_print ("start-up %.0f ms, from the file to the first rows %.0f ms\n",
      (double) y10_engine_get_start_time (engine) / 1e6,
      (double) bench->first_us / 1e3);
}

static gboolean
bench_run (Bench *bench, double seconds, gboolean json, GError **error)
{
  Result result = { 0 };
  gboolean ok;

  bench->rows = g_new (Y10Detection, bench->params.max_detections);
  bench->step_ms = g_array_new (FALSE, FALSE, sizeof (double));
  bench->preprocess_ms = g_array_new (FALSE, FALSE, sizeof (double));
  bench->inference_ms = g_array_new (FALSE, FALSE, sizeof (double));
  bench->postprocess_ms = g_array_new (FALSE, FALSE, sizeof (double));
  if (bench->with_preprocess)
    make_frame (bench);
  else
    make_tensor (bench);

  result.n_ops = y10_engine_get_n_ops (bench->engine);
  result.ns = g_new0 (gint64, result.n_ops);
  ok = measure (bench, seconds, error)
      && y10_engine_profile (bench->engine, PROFILE_RUNS, result.ns, error);
  if (ok) {
    stats_of (bench->step_ms, &result.step);
    stats_of (bench->preprocess_ms, &result.preprocess);
    stats_of (bench->inference_ms, &result.inference);
    stats_of (bench->postprocess_ms, &result.postprocess);
    if (json)
      print_json (bench, &result);
    else
      print_text (bench, &result);
    /* A truncated table would look complete. */
    if (!tool_flush_stdout ())
      ok = FALSE;
  }
  g_free (result.ns);
  g_free (bench->pixels);
  g_free (bench->rows);
  g_array_unref (bench->step_ms);
  g_array_unref (bench->preprocess_ms);
  g_array_unref (bench->inference_ms);
  g_array_unref (bench->postprocess_ms);
  return ok;
}

/* Replaces what was not given, NAN, by defaults. */
static gboolean
check_camera_options (ToolCameraOptions *cameras, gboolean with_preprocess)
{
  if (!cameras->wanted
      && (cameras->source || !isnan (cameras->min_inferences)
          || !isnan (cameras->max_delay))) {
    tool_error ("--source, --min-inferences and --max-delay need --cameras");
    return FALSE;
  }
  if (cameras->wanted && with_preprocess) {
    tool_error (
        "--with-preprocess is not for --cameras, which always includes it");
    return FALSE;
  }
  if (isnan (cameras->seconds))
    cameras->seconds = cameras->wanted ? 5 : 3;
  if (isnan (cameras->min_inferences))
    cameras->min_inferences = 5;
  if (isnan (cameras->max_delay))
    cameras->max_delay = 200;
  return tool_check_range ("--seconds", cameras->seconds,
             cameras->wanted ? 1 : 0, 3600)
      && tool_check_range ("--min-inferences", cameras->min_inferences, 0.1,
          240)
      && tool_check_range ("--max-delay", cameras->max_delay, 1, 60000);
}

static gboolean
on_cameras (const gchar *name, const gchar *value, gpointer user,
    GError **error)
{
  ToolCameraOptions *cameras = user;

  cameras->wanted = TRUE;
  g_free (cameras->fps);
  cameras->fps = g_strdup (value);
  return TRUE;
}

static int
bench_engine (const ToolEngineOptions *options, Y10EngineConfig *config,
    const ToolCameraOptions *cameras, gboolean with_preprocess)
{
  Bench bench = {
    .params = Y10_HEAD_PARAMS_INIT,
    .batch = cameras->batch,
    .with_preprocess = with_preprocess,
    .first_us = -g_get_monotonic_time (),
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (Y10Model) model = NULL;
  g_autoptr (Y10Engine) engine = NULL;

  config->n_slots = 1;
  config->max_batch = bench.batch;
  bench.params.confidence = 0;
  bench.params.max_detections = config->max_detections;
  model = tool_model_load (options->model, options->labels, &error);
  if (model) {
    choose_size (model, config);
    engine = y10_engine_new (model, config, NULL, &error);
  }
  bench.first_us += g_get_monotonic_time ();
  bench.engine = engine;
  if (engine) {
    tool_progress_wait_tuned (engine);
    if (bench_run (&bench, cameras->seconds, cameras->json, &error))
      return TOOL_OK;
  }
  if (!error)
    return TOOL_FAILED;
  tool_error ("%s", error->message);
  return TOOL_NO_ENGINE;
}

int
tool_bench (int argc, char **argv)
{
  g_auto (ToolEngineOptions) options = { 0 };
  Y10EngineConfig config;
  gboolean with_preprocess = FALSE;
  ToolCameraOptions cameras = {
    .seconds = NAN,
    .min_inferences = NAN,
    .max_delay = NAN,
  };
  GOptionGroup *group = g_option_group_new (NULL, NULL, NULL, &cameras, NULL);
  int batch = 1;
  const GOptionEntry entries[] = { { "batch", 0, 0, G_OPTION_ARG_INT, &batch,
                                       "Images per step [1]", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &cameras.seconds,
        "Duration of the measurement [3; 5 for each number of cameras]", "S" },
    { "with-preprocess", 0, 0, G_OPTION_ARG_NONE, &with_preprocess,
        "Include the letterbox, for a 1080p NV12 frame", NULL },
    { "cameras", 0, G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK,
        on_cameras,
        "Instead: how many cameras this machine carries, at FPS [15, or the file's]",
        "FPS" },
    { "source", 0, 0, G_OPTION_ARG_FILENAME, &cameras.source,
        "What the cameras send: a made scene of WxH, or a video [1280x720]",
        "FILE|WxH" },
    { "min-inferences", 0, 0, G_OPTION_ARG_DOUBLE, &cameras.min_inferences,
        "Inferences a second that each camera must get [5]", "N" },
    { "max-delay", 0, 0, G_OPTION_ARG_DOUBLE, &cameras.max_delay,
        "Delay within which 95 % of the frames must come [200]", "MS" },
    { "json", 'j', 0, G_OPTION_ARG_NONE, &cameras.json, "Print JSON", NULL },
    { NULL } };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  int status = TOOL_USAGE;

  g_option_context_set_summary (context,
      "Measures the speed of a model on this machine, from the network's input "
      "to 300 rows,\nand the time of each layer; or, with --cameras, how many "
      "cameras the machine carries.");
  g_option_context_set_description (context, TOOL_STATUS_HELP);
  g_option_context_set_main_group (context, group);
  tool_engine_options_add (context, &options, TRUE);
  g_option_context_add_main_entries (context, entries, NULL);
  if (!tool_options_parse (context, "bench", &argc, &argv)
      || !tool_engine_options_parse (&options, &config)
      || !tool_check_range ("--batch", batch, 1, 64)
      || !check_camera_options (&cameras, with_preprocess)) {
    status = TOOL_USAGE;
  } else if (argc > 1) {
    tool_error ("bench takes no argument, found '%s'; use --model FILE",
        argv[1]);
  } else {
    cameras.batch = (guint) batch;
    status = cameras.wanted
        ? tool_bench_cameras (&options, &cameras)
        : bench_engine (&options, &config, &cameras, with_preprocess);
  }
  g_free (cameras.fps);
  tool_options_clear (entries);
  return status;
}
