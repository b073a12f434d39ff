/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Makes each step of the fake backend (fakebackend.c) wait until the test lets it
 * pass, so that the test decides how long an inference takes, without a clock. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  int arrived[2], passes[2]; /* pipes */
  guint n_waiting;           /* steps, as of the last look */
} FakeGate;

/* Call it before the backend opens a device. The gate is closed. */
void fake_gate_begin (FakeGate *gate);
void fake_gate_end (FakeGate *gate);
void fake_gate_look (FakeGate *gate);
/* Waits until a step waits. */
void fake_gate_await (FakeGate *gate);
void fake_gate_let_one_pass (FakeGate *gate);
/* Lets all steps pass until fake_gate_close(). */
void fake_gate_open (FakeGate *gate);
/* No step may be running. */
void fake_gate_close (FakeGate *gate);

G_END_DECLS
