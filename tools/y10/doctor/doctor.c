/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* y10 doctor: reports what this machine has, what is missing and how to get it.
 * It determines each fact at run time from the component itself, never from the
 * build. The exit status is that of the worst problem: 0 none, 1 a warning, 3
 * something does not work at all. Without an NVIDIA GPU, missing CUDA libraries
 * are no problem. */

#include "base/json.h"
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/cpus.h"
#include "base/options.h"
#include "base/terminal.h"
#include "doctor/doctor.h"
#include "doctor/probe.h"

/* Returns the value of the first line "KEY : value" in /proc/cpuinfo. */
static char *
cpuinfo_value (const char *cpuinfo, const char *key)
{
  const gsize length = strlen (key);

  for (const char *line = cpuinfo; line && *line; line = strchr (line, '\n')) {
    const char *colon;

    line += *line == '\n';
    if (strncmp (line, key, length) || !g_ascii_isspace (line[length]))
      continue;
    colon = strchr (line, ':');
    if (colon)
      return g_strstrip (g_strndup (colon + 1, strcspn (colon + 1, "\n")));
  }
  return NULL;
}

/* Adds the CPU flags by which the engine selects code. */
static void
add_features (GString *json, const char *flags)
{
  static const char *const known[] = { "sse4_1", "avx", "avx2", "fma", "f16c",
    "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vnni", "avx512_bf16",
    "avx512_fp16", "avx_vnni", "amx_tile", "amx_bf16", "amx_int8", "asimd",
    "asimddp", "bf16", "i8mm", "sve" };
  g_auto (GStrv) words = g_strsplit (flags, " ", -1);

  y10_json_open (json, "features", '[');
  for (guint i = 0; i < G_N_ELEMENTS (known); i++) {
    if (g_strv_contains ((const char *const *) words, known[i]))
      y10_json_add_string (json, NULL, known[i]);
  }
  y10_json_close (json, ']');
}

static void
doctor_cpu (Doctor *doctor)
{
  GString *json = doctor_section (doctor, "cpu");
  g_autofree char *cpuinfo = NULL, *model = NULL, *flags = NULL,
                  *isa_limit = NULL;
  g_autofree char *group = NULL;
  const double quota = y10_cpus_quota ("", &group);

  if (g_file_get_contents ("/proc/cpuinfo", &cpuinfo, NULL, NULL)) {
    model = cpuinfo_value (cpuinfo, "model name");
    flags = cpuinfo_value (cpuinfo, "flags");
    if (!flags)
      flags = cpuinfo_value (cpuinfo, "Features");
  }
  y10_json_add_string (json, "model", model ? model : "unknown");
  add_features (json, flags ? flags : "");
  y10_json_add_int (json, "cpus", sysconf (_SC_NPROCESSORS_ONLN));
  if (quota > 0) {
    y10_json_add_double (json, "quota", quota);
    y10_json_add_string (json, "quota_of", group);
  }
  y10_json_add_int (json, "threads", y10_cpus_granted (""));
  isa_limit = g_strdup (g_getenv ("Y10_MAX_CPU_ISA"));
  if (isa_limit) {
    y10_json_add_string (json, "limit", isa_limit);
    doctor_problem (doctor, FALSE,
        "Y10_MAX_CPU_ISA restricts the instructions "
        "that the engine uses",
        "unset Y10_MAX_CPU_ISA");
  }
}

static void
doctor_engine (Doctor *doctor)
{
  GString *json = doctor_section (doctor, "engine");
  gboolean any = FALSE;

  y10_json_add_string (json, "version", Y10_VERSION_STRING);
  for (int kind = Y10_BACKEND_REF; kind <= Y10_BACKEND_CUDA; kind++) {
    g_autoptr (GString) why = g_string_new (NULL);
    int score;

    /* Probe it in a child process: driver libraries may end the process. */
    if (kind == Y10_BACKEND_CUDA)
      score = doctor_probe_backend (why);
    else
      score = y10_backend_probe ((Y10BackendKind) kind, why);
    if (strstr (why->str, "is not installed in"))
      g_string_append (why, " (tools/setup.sh --cuda, or Debian: liby10-cuda)");
    y10_json_open (json, y10_backend_get_name ((Y10BackendKind) kind), '{');
    y10_json_add_bool (json, "usable", score > 0);
    y10_json_add_int (json, "score", score);
    y10_json_add_string (json, "why", why->str);
    y10_json_close (json, '}');
    any |= score > 0;
  }
  if (!any)
    doctor_problem (doctor, TRUE, "no backend can run on this machine",
        "the section 'engine' has the reasons");
}

/* What this command was built with. */
static void
doctor_parts (Doctor *doctor)
{
  enum
  {
    PICTURES = 1,
    JPEG = 2,
    DATA = 4,
    SERVE = 8
  };
  const guint present = 0
#ifdef HAVE_PIXBUF
      | PICTURES
#endif
#ifdef HAVE_JPEG
      | JPEG
#endif
#ifdef HAVE_YAML
      | DATA
#endif
#ifdef HAVE_SERVE
      | SERVE
#endif
      ;
  static const struct
  {
    const char *name;
    guint part;
    const char *fact, *without, *packages;
  } parts[] = {
    { "pictures", PICTURES, "gdk-pixbuf", "y10 reads no pictures",
        "libgdk-pixbuf-2.0-dev" },
    { "jpeg", JPEG, "libjpeg", "y10 reads a damaged JPEG as if it were whole",
        "libjpeg-dev" },
    { "data_sets", DATA, "libyaml", "y10 val reads no data.yaml",
        "libyaml-dev" },
    { "serve", SERVE, "libsoup 3", "there is no y10 serve",
        "libsoup-3.0-dev libgstreamer-plugins-base1.0-dev" },
  };

  doctor_section (doctor, "tool");
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    const gboolean there = present & parts[i].part;
    g_autofree char *fix =
        g_strdup_printf ("run 'tools/setup.sh', or install it "
                         "(Debian: sudo apt-get install %s) and build again",
            parts[i].packages);

    doctor_row (doctor, parts[i].name, there ? DOCTOR_OK : DOCTOR_NOTE,
        there ? parts[i].fact : parts[i].without, fix);
  }
}

static void
doctor_memory (Doctor *doctor)
{
  GString *json = doctor_section (doctor, "memory");
  char *open, *close;
  g_autofree char *text = NULL;

  if (g_file_get_contents ("/sys/kernel/mm/transparent_hugepage/enabled", &text,
          NULL, NULL)
      && (open = strchr (text, '[')) && (close = strchr (open, ']'))) {
    *close = 0;
    y10_json_add_string (json, "huge_pages", open + 1);
    if (!strcmp (open + 1, "never"))
      doctor_problem (doctor, FALSE,
          "huge pages are off, which costs about a "
          "tenth of the speed",
          "echo madvise | sudo tee "
          "/sys/kernel/mm/transparent_hugepage/enabled");
  } else {
    y10_json_add_string (json, "huge_pages", "unknown");
  }
}

int
tool_doctor (int argc, char **argv)
{
  gboolean as_json = FALSE;
  const GOptionEntry entries[] = { { "json", 'j', 0, G_OPTION_ARG_NONE,
                                       &as_json, "Print JSON", NULL },
    { NULL } };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  Doctor doctor;
  int status;

  g_option_context_set_summary (context,
      "Reports what this machine has for detection, what is missing, and how to "
      "fix it.\nExit status: 0 no problems, 1 warnings, 2 the command line is "
      "wrong, 3 something does\nnot work at all.");
  g_option_context_add_main_entries (context, entries, NULL);
  /* The child process that runs one probe, which may crash. */
  if (argc > 2 && strcmp (argv[1], DOCTOR_PROBE_OPTION) == 0)
    return doctor_probe_main (argv[2], argv[3]);
  if (!tool_options_parse (context, "doctor", &argc, &argv))
    return TOOL_USAGE;
  if (argc > 1) {
    tool_error ("doctor takes no argument, found '%s'", argv[1]);
    return TOOL_USAGE;
  }
  doctor_init (&doctor);
  doctor_cpu (&doctor);
  doctor_memory (&doctor);
  doctor_engine (&doctor);
  doctor_parts (&doctor);
  doctor_gstreamer (&doctor);
  doctor_cuda (&doctor);
  doctor_print (&doctor, as_json);
  status = tool_flush_stdout () ? doctor_status (&doctor) : TOOL_FAILED;
  doctor_clear (&doctor);
  return status;
}
