/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Everything an application needs: a Y10Model is read from a weights file, a
 * Y10Engine compiles it for one backend, a Y10Step is one run over images, and a
 * Y10EngineStream hands images to an engine that others use, too. A Y10Painter
 * draws on pictures that a GPU has. */
#include <y10/detection.h>
#include <y10/engine.h>
#include <y10/error.h>
#include <y10/image.h>
#include <y10/model.h>
#include <y10/painter.h>
#include <y10/report.h>
#include <y10/step.h>
#include <y10/stream.h>
#include <y10/version.h>
