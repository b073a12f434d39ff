/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/gst.h>

/* Call it before @pipeline has decoders. For chain.c only. */
void tool_decoder_prepare (GstElement *pipeline);
