/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

#include "schedulecommon.h"

void
device_begin (gpointer data, Y10Scheduler *scheduler, guint step,
    const Y10Turn *turns, guint n)
{
  Device *device = data;
  guint i;

  pthread_mutex_lock (&device->lock);
  i = device->n_begun++ % MAX_STEPS;
  device->steps[i].step = step;
  device->steps[i].n = n;
  for (guint j = 0; j < n; j++) {
    Image *image = (Image *) y10_place_get_request (turns[j].place);

    image->n_runs++;
    device->steps[i].images[j] = image;
    device->steps[i].parts[j] = turns[j].part;
  }
  pthread_cond_broadcast (&device->begun);
  pthread_mutex_unlock (&device->lock);
}

void
device_init (Device *device, guint max_batch, guint n_steps,
    guint batch_timeout)
{
  const Y10SchedulerConfig config = { device_begin, device, max_batch, n_steps,
    batch_timeout };
  GError *error = NULL;

  *device = (Device){ 0 };
  pthread_mutex_init (&device->lock, NULL);
  pthread_cond_init (&device->begun, NULL);
  device->scheduler = y10_scheduler_new (&config, &error);
  g_assert_no_error (error);
}

void
device_clear (Device *device)
{
  g_assert_cmpuint (device->n_begun, ==, device->n_finished);
  y10_scheduler_free (device->scheduler);
  pthread_cond_destroy (&device->begun);
  pthread_mutex_destroy (&device->lock);
}

guint
wait_step (Device *device, guint i, Image ***images)
{
  pthread_mutex_lock (&device->lock);
  while (device->n_begun <= i)
    pthread_cond_wait (&device->begun, &device->lock);
  pthread_mutex_unlock (&device->lock);
  *images = device->steps[i % MAX_STEPS].images;
  return device->steps[i % MAX_STEPS].n;
}

void
finish (Device *device, guint i, const GError *error)
{
  device->n_finished++;
  y10_scheduler_finish (device->scheduler, device->steps[i % MAX_STEPS].step,
      error);
}

void
expect_step (Device *device, guint i, const char *expected)
{
  GString *found = g_string_new (NULL);
  Image **images;
  guint n = wait_step (device, i, &images);

  for (guint j = 0; j < n; j++) {
    g_string_append_printf (found, "%s%u.%u", j ? " " : "", images[j]->stream,
        images[j]->number);
    if (images[j]->n_parts)
      g_string_append_c (found,
          (char) ('a' + device->steps[i % MAX_STEPS].parts[j]));
  }
  g_assert_cmpstr (found->str, ==, expected);
  g_string_free (found, TRUE);
  finish (device, i, NULL);
}

void
submit (Y10EngineStream *stream, Image *images, guint which, guint n)
{
  for (guint i = 0; i < n; i++) {
    images[i] = (Image){ .stream = which, .number = i + 1 };
    y10_engine_stream_queue (stream, &images[i].request, 1);
  }
}

void
submit_parts (Y10EngineStream *stream, Image *image, guint which, guint number,
    guint n_parts)
{
  *image = (Image){ .n_parts = n_parts, .stream = which, .number = number };
  y10_engine_stream_queue (stream, &image->request, n_parts);
}

void
expect_answer (Image *image)
{
  g_assert_cmpint (y10_engine_request_await (&image->request, FOREVER), ==,
      Y10_PLACE_ANSWERED);
  g_assert_no_error (image->request.error);
  g_assert_cmpuint (image->n_runs, ==, 1);
}

void
expect_state (Image *image, Y10PlaceState state, guint n_runs)
{
  g_assert_cmpint (y10_engine_request_await (&image->request,
                       state < Y10_PLACE_ANSWERED ? 0 : FOREVER),
      ==, state);
  g_assert_cmpuint (image->n_runs, ==, n_runs);
}
