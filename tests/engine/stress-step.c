/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Runs N steps on four threads over three slots, or as many as --slots gives. The
 * expected result of an image is that of the same image, at the same position in a
 * step of the same size, while nothing else runs: a GPU may use other kernels for
 * another number of images.
 *
 * With --skip-slot-check the engine hands out slots that are still held, as one
 * with a single set of buffers would, and the test must fail; --counter-test does
 * the same and succeeds if the test failed. With --expect-tuned the backend must
 * find faster convolutions while the steps run, with the same bits: in fp32, on the
 * simulated GPU. With --tuned, tuning ends before the steps: on a GPU, tuned
 * convolutions give other bits.
 *
 * usage: stress-step [--backend NAME] N [OPTION...] */

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/slot.h"
#include "stepcommon.h"

#define N_THREADS 4
#define N_SLOTS 3
#define N_IMAGES 12
#define MAX_BATCH 2

typedef struct
{
  Y10Engine *engine;
  float *pixels[N_IMAGES];
  /* The expected results, by number of images in the step, less one, and by the
   * image's position. */
  Y10Detection rows[MAX_BATCH][MAX_BATCH][N_IMAGES][MAX_ROWS];
  guint n_steps; /* of each thread */
  atomic_uint n_wrong, n_errors, n_done;
  gboolean skip_slot_check;
} Stress;

typedef struct
{
  Stress *stress;
  guint32 random;
  pthread_t thread;
} Worker;

/* xorshift: a shared generator would have a lock, at which threads would meet. */
static guint
draw (Worker *w, guint n)
{
  w->random ^= w->random << 13;
  w->random ^= w->random >> 17;
  w->random ^= w->random << 5;
  return w->random % n;
}

static void
delay (Worker *w)
{
  if (draw (w, 4) == 0)
    usleep (draw (w, 150));
  else if (draw (w, 4) == 0)
    sched_yield ();
}

/* Reports the first wrong result at once: when slots are overwritten, the process
 * may crash before the end. */
static void
count_wrong (Stress *s)
{
  if (s->n_wrong++ == 0) {
    g_print ("1 wrong result after %u steps\n", s->n_done);
    fflush (stdout);
  }
}

/* Runs one step with its own images in its own memory, and counts wrong results
 * and errors. */
static void
run_step (Worker *w, float *memory)
{
  Stress *s = w->stress;
  gsize image_size = 3 * SIZE * SIZE;
  guint n = 1 + draw (w, MAX_BATCH), which[MAX_BATCH], limit[MAX_BATCH];
  gboolean ok, abandon = draw (w, 16) == 0, reuse = draw (w, 4) == 0;
  /* Long enough for a machine that does something else for minutes. */
  gint64 until = g_get_monotonic_time ()
      + (s->skip_slot_check ? 1 : 600) * G_USEC_PER_SEC;
  Y10Detection rows[MAX_ROWS];
  Y10HeadParams params;
  Y10Image image;
  Y10Step step;

  default_params (&params);
  if (!y10_step_begin (s->engine, until, &step, NULL)) {
    s->n_errors++;
    return;
  }
  ok = TRUE;
  for (guint i = 0; i < n; i++) {
    which[i] = draw (w, N_IMAGES);
    limit[i] = params.max_detections = 1 + draw (w, MAX_ROWS);
    memcpy (memory + i * image_size, s->pixels[which[i]],
        image_size * sizeof *memory);
    test_tensor_image (s->engine, memory + i * image_size, &image);
    delay (w);
    ok = ok && y10_step_add (&step, &image, &params, NULL);
  }
  delay (w);
  ok = ok && y10_step_submit (&step, NULL);
  if (ok && reuse) { /* allowed once the pixels have been read */
    ok = y10_step_wait_input (&step, until, NULL);
    memset (memory, 0xff, MAX_BATCH * image_size * sizeof *memory);
  }
  if (ok && !abandon) {
    delay (w);
    ok = y10_step_wait (&step, until, NULL);
    for (guint i = 0; ok && i < n; i++) {
      gint got;

      delay (w);
      got = y10_step_read (&step, i, rows, MAX_ROWS, NULL);
      if (got != (gint) limit[i]
          || memcmp (rows, s->rows[n - 1][i][which[i]],
              limit[i] * sizeof *rows))
        count_wrong (s);
    }
  }
  s->n_errors += !ok;
  delay (w);
  y10_step_end (&step);
  if (!s->skip_slot_check
      && y10_step_read (&step, 0, rows, MAX_ROWS, NULL) != -1)
    count_wrong (s); /* the step has ended */
  s->n_done++;
}

static gboolean
is_tuned (Y10Engine *engine)
{
  Y10TuningProgress progress = { .size = sizeof progress };

  y10_engine_get_tuning_progress (engine, &progress);
  return progress.finished;
}

static void *
work (void *data)
{
  Worker *w = data;
  Stress *s = w->stress;
  g_autofree float *memory = g_new (float, MAX_BATCH * 3 * SIZE * SIZE);

  /* Until tuning ends, so that convolutions are replaced while steps run, on a
   * machine of any speed. */
  for (guint i = 0;
       i < s->n_steps || (options.expect_tuned && !is_tuned (s->engine)); i++) {
    /* On the simulator, tuning waits for the same lock as the steps. */
    if (i >= s->n_steps)
      usleep (10000);
    run_step (w, memory);
    /* One wrong result is enough. */
    if (s->skip_slot_check && s->n_wrong)
      break;
  }
  return NULL;
}

static gboolean
is_fused (Y10Engine *engine)
{
  for (guint i = 0; i < y10_engine_get_n_ops (engine); i++) {
    Y10OpInfo op = { .size = sizeof op };

    y10_engine_get_op (engine, i, &op);
    if (strstr (op.impl, "fused"))
      return TRUE;
  }
  return FALSE;
}

/* Records the expected results of image @which and those after it, in one step of
 * @n. */
static void
record_expected (Stress *s, guint n, guint which)
{
  GError *error = NULL;
  Y10HeadParams params;
  Y10Image image;
  Y10Step step;

  default_params (&params);
  y10_step_begin (s->engine, -1, &step, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++) {
    test_tensor_image (s->engine, s->pixels[(which + i) % N_IMAGES], &image);
    y10_step_add (&step, &image, &params, &error);
    g_assert_no_error (error);
  }
  y10_step_submit (&step, &error);
  g_assert_no_error (error);
  y10_step_wait (&step, -1, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++) {
    gint got = y10_step_read (&step, i,
        s->rows[n - 1][i][(which + i) % N_IMAGES], MAX_ROWS, &error);

    g_assert_no_error (error);
    g_assert_cmpint (got, ==, MAX_ROWS);
  }
  y10_step_end (&step);
}

/* Runs a step of @n images on every slot at the same time: each takes over what the
 * tuner found, for one size a step. */
static void
use_all_slots (Stress *s, guint n, guint n_slots)
{
  g_autofree Y10Step *steps = g_new (Y10Step, n_slots);
  GError *error = NULL;
  Y10HeadParams params;
  Y10Image image;

  default_params (&params);
  for (guint k = 0; k < n_slots; k++) {
    y10_step_begin (s->engine, -1, &steps[k], &error);
    g_assert_no_error (error);
    for (guint i = 0; i < n; i++) {
      test_tensor_image (s->engine, s->pixels[i], &image);
      y10_step_add (&steps[k], &image, &params, &error);
      g_assert_no_error (error);
    }
    y10_step_submit (&steps[k], &error);
    g_assert_no_error (error);
  }
  for (guint k = 0; k < n_slots; k++) {
    y10_step_wait (&steps[k], -1, &error);
    g_assert_no_error (error);
    y10_step_end (&steps[k]);
  }
}

/* Compares with the results of a step of one image, which differ only if other
 * kernels run. */
static void
compare_batches (const Stress *s)
{
  const gsize size = sizeof s->rows[0][0];
  gboolean differ = FALSE;
  double most = 0;

  for (guint n = 1; n < MAX_BATCH; n++)
    for (guint i = 0; i <= n; i++)
      if (memcmp (s->rows[n][i], s->rows[0][0], size) != 0) {
        differ = TRUE;
        for (guint j = 0; j < N_IMAGES; j++)
          for (guint k = 0; k < MAX_ROWS; k++)
            most = MAX (most,
                ABS (s->rows[n][i][j][k].confidence
                    - s->rows[0][0][j][k].confidence));
      }
  if (differ)
    g_print (
        "steps of several images: scores differ by up to %.2g from those of "
        "one\n",
        most);
  else
    g_print ("steps of several images: the same bits as one\n");
  g_assert_true (!differ || options.backend == Y10_BACKEND_CUDA);
  /* The last bits of fp16, after a whole network. */
  g_assert_cmpfloat (most, <=, 0.02);
}

/* Returns the exit status. */
static int
stress (guint n_steps, guint n_slots, gboolean skip_slot_check)
{
  Stress s = {
    .engine = make_engine (n_slots, MAX_BATCH),
    .n_steps = (n_steps + N_THREADS - 1) / N_THREADS,
    .skip_slot_check = skip_slot_check,
  };
  Worker workers[N_THREADS];

  for (guint i = 0; i < N_IMAGES; i++)
    s.pixels[i] = test_pixels (s.engine, i);
  /* A size is tuned when a step has had it. */
  for (guint n = 1; options.wait_tuned && n <= MAX_BATCH; n++)
    use_all_slots (&s, n, n_slots);
  if (options.wait_tuned)
    y10_engine_wait_tuned (s.engine, -1, NULL, NULL);
  for (guint i = 0; options.wait_tuned && i < 2 * MAX_BATCH; i++)
    use_all_slots (&s, 1, n_slots);
  for (guint n = 1; n <= MAX_BATCH; n++)
    for (guint i = 0; i < N_IMAGES; i++)
      record_expected (&s, n, i);
  for (guint i = 0; i < N_IMAGES; i++) /* else a mix-up would not be noticed */
    for (guint j = 0; j < i; j++)
      g_assert_cmpint (memcmp (s.rows[0][0][i], s.rows[0][0][j],
                           sizeof s.rows[0][0][i]),
          !=, 0);
  compare_batches (&s);
  y10_test_skip_slot_check = skip_slot_check;
  /* Else nothing would change while the steps run. */
  g_assert_false (options.expect_tuned && is_tuned (s.engine));
  for (guint i = 0; i < N_THREADS; i++) {
    workers[i] = (Worker){ .stress = &s, .random = 2463534242u + i * 7919u };
    pthread_create (&workers[i].thread, NULL, work, &workers[i]);
  }
  for (guint i = 0; i < N_THREADS; i++)
    pthread_join (workers[i].thread, NULL);
  y10_test_skip_slot_check = FALSE;
  g_print ("%u steps on %u threads over %u slots: %u wrong results, %u "
           "errors\n",
      s.n_done, N_THREADS, n_slots, s.n_wrong, s.n_errors);
  if (options.expect_tuned && !is_fused (s.engine)) {
    g_print ("no convolution was tuned\n");
    s.n_errors++;
  }
  for (guint i = 0; i < N_IMAGES; i++)
    g_free (s.pixels[i]);
  if (!skip_slot_check) /* its slots are inconsistent then */
    y10_engine_unref (s.engine);
  return s.n_wrong || s.n_errors || s.n_done < n_steps ? 1 : 0;
}

int
main (int argc, char **argv)
{
  gboolean counter = FALSE, skip = FALSE;
  guint n_slots = N_SLOTS;
  int status;

  if (!take_backend (&argc, &argv))
    return 77;
  if (argc < 2 || atoi (argv[1]) <= 0) {
    g_printerr ("usage: stress-step [--backend NAME] N [OPTION...]\n");
    return 2;
  }
  for (int i = 2; i < argc; i++) {
    counter |= strcmp (argv[i], "--counter-test") == 0;
    skip |= strcmp (argv[i], "--skip-slot-check") == 0;
    options.expect_tuned |= strcmp (argv[i], "--expect-tuned") == 0;
    options.wait_tuned |= strcmp (argv[i], "--tuned") == 0;
    if (strcmp (argv[i], "--slots") == 0 && i + 1 < argc)
      n_slots = (guint) atoi (argv[++i]);
  }
  status = stress ((guint) atoi (argv[1]), n_slots, skip || counter);
  test_dir_remove ();
  if (counter)
    g_print (status ? "failed, as expected\n" : "NOT NOTICED\n");
  return counter ? !status : status;
}
