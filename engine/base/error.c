/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The error domain, and the names of the public enums. */

#include "config.h"

#include <y10/engine.h>

/**
 * y10_error_quark:
 *
 * Returns: the quark of %Y10_ERROR
 *
 * Since: 0.1
 */
GQuark
y10_error_quark (void)
{
  /* G_DEFINE_QUARK() caches it in a variable that threads write without a
   * lock. */
  return g_quark_from_static_string ("y10-error-quark");
}

static const char *
name_of (const char *const *names, guint n, guint value)
{
  return value < n ? names[value] : "unknown";
}

/**
 * y10_backend_get_name:
 * @backend: a backend
 *
 * Returns: (transfer none): "auto", "ref", "cpu" or "cuda"
 *
 * Since: 0.1
 */
const char *
y10_backend_get_name (Y10BackendKind backend)
{
  static const char *const names[] = { "auto", "ref", "cpu", "cuda" };
  return name_of (names, G_N_ELEMENTS (names), backend);
}

/**
 * y10_precision_get_name:
 * @precision: a precision
 *
 * Returns: (transfer none): "auto", "fp32", "tf32", "fp16", "bf16" or
 *   "int8"
 *
 * Since: 0.1
 */
const char *
y10_precision_get_name (Y10Precision precision)
{
  static const char *const names[] = { "auto", "fp32", "tf32", "fp16", "bf16",
    "int8" };
  return name_of (names, G_N_ELEMENTS (names), precision);
}

/**
 * y10_head_get_name:
 * @head: a head
 *
 * Returns: (transfer none): "auto", "one2one", "one2many" or "one2one-nms"
 *
 * Since: 0.1
 */
const char *
y10_head_get_name (Y10Head head)
{
  static const char *const names[] = { "auto", "one2one", "one2many",
    "one2one-nms" };
  return name_of (names, G_N_ELEMENTS (names), head);
}
