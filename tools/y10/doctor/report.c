/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Collects the findings of y10 doctor, prints them as text or JSON, and derives
 * the exit status. */

#include "config.h"

#include <stdio.h>

#include "base/command.h"
#include "base/json-text.h"
#include "base/terminal.h"
#include "doctor/report.h"

JsonObject *
doctor_section (Doctor *doctor, const char *name)
{
  JsonObject *section = json_object_new ();

  json_object_set_object_member (doctor->root, name, section);
  return section;
}

static void
add_problem (Doctor *doctor, DoctorState state, const char *what,
    const char *fix)
{
  static const char *const severities[] = { "", "note", "warning", "error" };
  JsonObject *problem = json_object_new ();

  json_object_set_string_member (problem, "severity", severities[state]);
  json_object_set_string_member (problem, "problem", what);
  json_object_set_string_member (problem, "fix", fix);
  json_array_add_object_element (doctor->problems, problem);
  doctor->worst = MAX (doctor->worst, state);
}

void
doctor_problem (Doctor *doctor, gboolean fatal, const char *what,
    const char *fix)
{
  add_problem (doctor, fatal ? DOCTOR_FAIL : DOCTOR_WARN, what, fix);
}

void
doctor_row (Doctor *doctor, JsonObject *section, const char *name,
    DoctorState state, const char *fact, const char *fix)
{
  static const char *const states[] = { "OK", "NOTE", "WARN", "FAIL" };
  JsonObject *row = json_object_new ();

  json_object_set_string_member (row, "state", states[state]);
  json_object_set_string_member (row, "fact", fact);
  if (state != DOCTOR_OK) {
    json_object_set_string_member (row, "fix", fix);
    add_problem (doctor, state, fact, fix);
  }
  json_object_set_object_member (section, name, row);
}

/* Formats a value as text. */
static char *
value_text (JsonNode *node)
{
  GString *text = g_string_new (NULL);
  JsonObject *object;
  JsonArray *array;

  switch (JSON_NODE_TYPE (node)) {
    case JSON_NODE_ARRAY:
      array = json_node_get_array (node);
      for (guint i = 0; i < json_array_get_length (array); i++)
        g_string_append_printf (text, "%s%s", i ? " " : "",
            json_array_get_string_element (array, i));
      if (text->len == 0)
        g_string_append (text, "none");
      break;
    case JSON_NODE_OBJECT: /* a check, or {usable, why} */
      object = json_node_get_object (node);
      if (json_object_has_member (object, "state")) {
        g_string_append_printf (text, "%-4s  %s",
            json_object_get_string_member (object, "state"),
            json_object_get_string_member (object, "fact"));
        break;
      }
      g_string_append (text,
          json_object_get_boolean_member (object, "usable") ? "yes" : "no");
      if (*json_object_get_string_member (object, "why"))
        g_string_append_printf (text, ": %s",
            json_object_get_string_member (object, "why"));
      break;
    case JSON_NODE_VALUE:
      if (json_node_get_value_type (node) == G_TYPE_STRING)
        g_string_append (text, json_node_get_string (node));
      else if (json_node_get_value_type (node) == G_TYPE_BOOLEAN)
        g_string_append (text, json_node_get_boolean (node) ? "yes" : "no");
      else if (json_node_get_value_type (node) == G_TYPE_DOUBLE)
        g_string_append_printf (text, "%g", json_node_get_double (node));
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT,
            json_node_get_int (node));
      break;
    default:
      g_string_append (text, "none");
  }
  return g_string_free (text, FALSE);
}

static void
print_text (const Doctor *doctor)
{
  GList *sections = json_object_get_members (doctor->root);
  const guint n_problems = json_array_get_length (doctor->problems);

  for (GList *s = sections; s; s = s->next) {
    JsonObject *section = json_object_get_object_member (doctor->root, s->data);
    GList *names = json_object_get_members (section);

    tool_print ("%s\n", (const char *) s->data);
    for (GList *n = names; n; n = n->next) {
      char *text = value_text (json_object_get_member (section, n->data));

      tool_print ("  %-16s %s\n", (const char *) n->data, text);
      g_free (text);
    }
    g_list_free (names);
  }
  g_list_free (sections);

  for (guint i = 0; i < n_problems; i++) {
    JsonObject *p = json_array_get_object_element (doctor->problems, i);

    tool_print ("\n%s: %s\n  fix: %s\n",
        json_object_get_string_member (p, "severity"),
        json_object_get_string_member (p, "problem"),
        json_object_get_string_member (p, "fix"));
  }
  tool_print ("\n%s\n",
      doctor->worst == DOCTOR_FAIL       ? "Something does not work."
          : doctor->worst == DOCTOR_WARN ? "Everything needed works."
          : doctor->worst == DOCTOR_NOTE ? "Everything works, except as noted."
                                         : "Everything works.");
}

static void
print_json (Doctor *doctor)
{
  JsonNode *root = json_node_new (JSON_NODE_OBJECT);
  char *text;

  json_object_set_boolean_member (doctor->root, "ok",
      doctor->worst < DOCTOR_FAIL);
  json_object_set_array_member (doctor->root, "problems",
      json_array_ref (doctor->problems));
  json_node_set_object (root, doctor->root);
  text = y10_json_to_text (root, TRUE);
  puts (text);
  g_free (text);
  json_node_unref (root);
}

void
doctor_cuda_row (DoctorCuda *cuda, const char *name, DoctorState state,
    char *fact, char *fix)
{
  if (cuda->present || state == DOCTOR_OK)
    doctor_row (cuda->doctor, cuda->section, name, state, fact, fix);
  g_free (fact);
  g_free (fix);
}

void
doctor_print (Doctor *doctor, gboolean json)
{
  if (json)
    print_json (doctor);
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
