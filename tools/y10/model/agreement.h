/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* How well the detections of one network agree with those of another. */

#include <y10/detection.h>

typedef struct _ToolAgreement ToolAgreement;

typedef struct
{
  guint n_expected,
      n_found;   /* objects of the first; those that the second has */
  double recall; /* 1 if there were none */
  double ap;     /* average precision, as COCO computes it */
} ToolAgreementResult;

ToolAgreement *tool_agreement_new (guint n_classes);
void tool_agreement_free (ToolAgreement *agreement);
/* Takes the detections of a picture by both networks, the most confident first. Objects
 * are those of @expected with at least @confidence. */
void tool_agreement_add (ToolAgreement *agreement, const Y10Detection *expected,
    guint n_expected, const Y10Detection *rows, guint n_rows, float confidence);
ToolAgreementResult tool_agreement_get (ToolAgreement *agreement);
