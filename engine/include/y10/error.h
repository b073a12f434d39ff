/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>
#include <y10/version.h>

G_BEGIN_DECLS

/**
 * Y10_ERROR:
 *
 * Error domain of the engine. Each message names the file, tensor or argument,
 * the value found and the value expected.
 */
#define Y10_ERROR (y10_error_quark ())

/**
 * Y10Error:
 * @Y10_ERROR_FAILED: a failure without a more specific code
 * @Y10_ERROR_NOT_FOUND: a file cannot be opened or read
 * @Y10_ERROR_MODEL_FORMAT: not a supported weights file: truncated, corrupt or
 *   in another format
 * @Y10_ERROR_MODEL: a well-formed weights file of another network, or one in
 *   which a tensor is missing, has an unexpected shape or contains NaN
 * @Y10_ERROR_LABELS: too few labels, not UTF-8, or an unreadable label file
 * @Y10_ERROR_INVALID_ARGUMENT: an argument is out of its documented range
 * @Y10_ERROR_UNSUPPORTED: a valid request that this backend or build does not
 *   support, such as a precision or a pixel format
 * @Y10_ERROR_NO_BACKEND: the requested backend is not in this build or cannot
 *   run on this machine
 * @Y10_ERROR_NO_MEMORY: not enough host or device memory
 * @Y10_ERROR_BACKEND: a library or device reported a failure
 * @Y10_ERROR_BUSY: no slot became free before the deadline
 * @Y10_ERROR_TIMED_OUT: a step did not finish before the deadline
 * @Y10_ERROR_STALE: a step was used after its end or in the wrong order
 * @Y10_ERROR_CANCELLED: the caller's cancellable was triggered
 * @Y10_ERROR_DEVICE_LOST: the device failed and cannot be used any more: all
 *   running and later steps of the engine fail with this code. A new engine may
 *   work again
 *
 * Error codes of %Y10_ERROR.
 *
 * Since: 0.1
 */
typedef enum
{
  Y10_ERROR_FAILED,
  Y10_ERROR_NOT_FOUND,
  Y10_ERROR_MODEL_FORMAT,
  Y10_ERROR_MODEL,
  Y10_ERROR_LABELS,
  Y10_ERROR_INVALID_ARGUMENT,
  Y10_ERROR_UNSUPPORTED,
  Y10_ERROR_NO_BACKEND,
  Y10_ERROR_NO_MEMORY,
  Y10_ERROR_BACKEND,
  Y10_ERROR_BUSY,
  Y10_ERROR_TIMED_OUT,
  Y10_ERROR_STALE,
  Y10_ERROR_CANCELLED,
  Y10_ERROR_DEVICE_LOST,
} Y10Error;

Y10_API GQuark y10_error_quark (void);

G_END_DECLS
