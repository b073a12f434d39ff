/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Includes the whole public API. Y10Model reads a weights file; Y10Engine
 * compiles it for one backend; Y10Step runs it on images; Y10EngineStream
 * runs it on an engine shared with other streams; Y10Painter draws on
 * pictures in GPU memory. */
#include <y10/detection.h>
#include <y10/engine.h>
#include <y10/error.h>
#include <y10/image.h>
#include <y10/model.h>
#include <y10/painter.h>
#include <y10/parts.h>
#include <y10/quantize.h>
#include <y10/report.h>
#include <y10/step.h>
#include <y10/stream.h>
#include <y10/version.h>
