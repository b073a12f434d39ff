/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Collects the findings of y10 doctor, prints them as text or JSON, and derives
 * the exit status. */

#include "config.h"

#include <string.h>

#include "base/command.h"
#include "base/json-cursor.h"
#include "base/json.h"
#include "base/terminal.h"
#include "doctor/report.h"

#define MAX_DEPTH 4

void
doctor_init (Doctor *doctor)
{
  *doctor = (Doctor){ g_string_new ("{"), g_string_new ("["), DOCTOR_OK };
}

void
doctor_clear (Doctor *doctor)
{
  g_string_free (doctor->json, TRUE);
  g_string_free (doctor->problems, TRUE);
}

GString *
doctor_section (Doctor *doctor, const char *name)
{
  if (doctor->json->len > 1)
    y10_json_close (doctor->json, '}');
  y10_json_open (doctor->json, name, '{');
  return doctor->json;
}

static void
add_problem (Doctor *doctor, DoctorState state, const char *what,
    const char *fix)
{
  static const char *const severities[] = { "", "note", "warning", "error" };

  y10_json_open (doctor->problems, NULL, '{');
  y10_json_add_string (doctor->problems, "severity", severities[state]);
  y10_json_add_string (doctor->problems, "problem", what);
  y10_json_add_string (doctor->problems, "fix", fix);
  y10_json_close (doctor->problems, '}');
  doctor->worst = MAX (doctor->worst, state);
}

void
doctor_problem (Doctor *doctor, gboolean fatal, const char *what,
    const char *fix)
{
  add_problem (doctor, fatal ? DOCTOR_FAIL : DOCTOR_WARN, what, fix);
}

void
doctor_row (Doctor *doctor, const char *name, DoctorState state,
    const char *fact, const char *fix)
{
  static const char *const states[] = { "OK", "NOTE", "WARN", "FAIL" };

  y10_json_open (doctor->json, name, '{');
  y10_json_add_string (doctor->json, "state", states[state]);
  y10_json_add_string (doctor->json, "fact", fact);
  if (state != DOCTOR_OK) {
    y10_json_add_string (doctor->json, "fix", fix);
    add_problem (doctor, state, fact, fix);
  }
  y10_json_close (doctor->json, '}');
}

/* Appends a value as text. */
static void
append_text (GString *text, Y10Json value)
{
  const Y10JsonKind kind = y10_json_get_kind (value);
  g_autofree char *string = y10_json_dup_text (value);
  double number;

  if (string)
    g_string_append (text, string);
  else if (kind == Y10_JSON_BOOLEAN)
    g_string_append (text, *value.text == 't' ? "yes" : "no");
  else if (y10_json_get_double (value, &number))
    g_string_append_printf (text, "%g", number);
  else
    g_string_append (text, "none");
}

/* Appends a check, or {usable, why}. */
static void
append_object (GString *text, Y10Json object)
{
  g_autofree char *state = y10_json_dup_text (y10_json_find (object, "state"));
  g_autofree char *why = y10_json_dup_text (y10_json_find (object, "why"));

  if (state)
    g_string_append_printf (text, "%-4s  ", state);
  append_text (text, y10_json_find (object, state ? "fact" : "usable"));
  if (why && *why)
    g_string_append_printf (text, ": %s", why);
}

static void
print_value (const char *name, Y10Json value)
{
  const Y10JsonKind kind = y10_json_get_kind (value);
  g_autoptr (GString) text = g_string_new (NULL);
  Y10JsonCursor cursor;
  Y10Json element;

  if (kind == Y10_JSON_OBJECT) {
    append_object (text, value);
  } else if (kind != Y10_JSON_ARRAY || !y10_json_count (value)) {
    append_text (text, value);
  } else {
    y10_json_enter (&cursor, value);
    for (guint i = 0; y10_json_next (&cursor, &element); i++) {
      g_string_append (text, i ? " " : "");
      append_text (text, element);
    }
  }
  tool_print ("  %-16s %s\n", name, text->str);
}

static void
print_section (Y10Json section)
{
  Y10JsonCursor cursor;
  Y10Json value;

  y10_json_enter (&cursor, section);
  while (y10_json_next (&cursor, &value)) {
    g_autofree char *name = y10_json_dup_text (cursor.name);

    print_value (name, value);
  }
}

static void
print_problem (Y10Json problem)
{
  g_autofree char *fix = y10_json_dup_text (y10_json_find (problem, "fix"));
  g_autofree char *what = y10_json_dup_text (
      y10_json_find (problem, "problem"));
  g_autofree char *severity = y10_json_dup_text (
      y10_json_find (problem, "severity"));

  tool_print ("\n%s: %s\n  fix: %s\n", severity, what, fix);
}

static void
print_text (const Doctor *doctor)
{
  Y10JsonCursor cursor;
  Y10Json root, value;

  if (!y10_json_check (doctor->json->str, doctor->json->len, MAX_DEPTH, &root,
          NULL))
    return;
  y10_json_enter (&cursor, root);
  while (y10_json_next (&cursor, &value)) {
    g_autofree char *name = y10_json_dup_text (cursor.name);

    /* What is no section comes last. */
    if (!strcmp (name, "ok"))
      break;
    tool_print ("%s\n", name);
    print_section (value);
  }
  y10_json_enter (&cursor, y10_json_find (root, "problems"));
  while (y10_json_next (&cursor, &value))
    print_problem (value);
  tool_print ("\n%s\n",
      doctor->worst == DOCTOR_FAIL       ? "Something does not work."
          : doctor->worst == DOCTOR_WARN ? "Everything needed works."
          : doctor->worst == DOCTOR_NOTE ? "Everything works, except as noted."
                                         : "Everything works.");
}

void
doctor_cuda_row (DoctorCuda *cuda, const char *name, DoctorState state,
    char *fact, char *fix)
{
  if (cuda->present || state == DOCTOR_OK)
    doctor_row (cuda->doctor, name, state, fact, fix);
  g_free (fact);
  g_free (fix);
}

void
doctor_print (Doctor *doctor, gboolean json)
{
  y10_json_close (doctor->json, '}');
  y10_json_close (doctor->problems, ']');
  y10_json_add_bool (doctor->json, "ok", doctor->worst < DOCTOR_FAIL);
  y10_json_add_raw (doctor->json, "problems", doctor->problems->str);
  y10_json_close (doctor->json, '}');
  if (json)
    tool_print_json (doctor->json);
  else
    print_text (doctor);
}

int
doctor_status (const Doctor *doctor)
{
  return doctor->worst == DOCTOR_FAIL ? TOOL_NO_ENGINE
      : doctor->worst == DOCTOR_WARN  ? TOOL_FAILED
                                      : TOOL_OK;
}
