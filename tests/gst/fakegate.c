/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* See fakegate.h: two pipes, whose other ends fakebackend.c has. */

#include "fakegate.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <gst/check/gstcheck.h>

void
fake_gate_begin (FakeGate *gate)
{
  g_autofree gchar *fds = NULL;

  fail_unless (
      pipe2 (gate->arrived, O_NONBLOCK) == 0 && pipe2 (gate->passes, 0) == 0);
  gate->n_waiting = 0;
  fds = g_strdup_printf ("%d,%d", gate->arrived[1], gate->passes[0]);
  g_setenv ("Y10_FAKE_GATE", fds, TRUE);
}

void
fake_gate_end (FakeGate *gate)
{
  for (guint i = 0; i < 2; i++) {
    close (gate->arrived[i]);
    close (gate->passes[i]);
  }
}

void
fake_gate_look (FakeGate *gate)
{
  gchar byte;

  while (read (gate->arrived[0], &byte, 1) == 1)
    gate->n_waiting++;
}

void
fake_gate_await (FakeGate *gate)
{
  struct pollfd ready = { .fd = gate->arrived[0], .events = POLLIN };

  fake_gate_look (gate);
  while (!gate->n_waiting) {
    poll (&ready, 1, -1);
    fake_gate_look (gate);
  }
}

void
fake_gate_let_one_pass (FakeGate *gate)
{
  fail_unless (write (gate->passes[1], "", 1) == 1);
  gate->n_waiting--;
}

void
fake_gate_open (FakeGate *gate)
{
  for (guint i = 0; i < 1000; i++)
    fail_unless (write (gate->passes[1], "", 1) == 1);
}

void
fake_gate_close (FakeGate *gate)
{
  struct pollfd ready = { .fd = gate->passes[0], .events = POLLIN };
  gchar byte;

  while (poll (&ready, 1, 0) == 1)
    fail_unless (read (gate->passes[0], &byte, 1) == 1);
  fake_gate_look (gate);
  gate->n_waiting = 0;
}
