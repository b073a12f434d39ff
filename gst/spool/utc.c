/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Times as lines have them. GLib's parser allocates an object for each, which counts for
 * a million of lines. */
#include "spool/utc.h"

#include <time.h>

/* Appends a time since 1970, in whole milliseconds. */
void
gst_y10_utc_append (GString *text, gint64 microseconds)
{
  const time_t seconds = (time_t) (microseconds / G_USEC_PER_SEC);
  struct tm tm;

  gmtime_r (&seconds, &tm);
  g_string_append_printf (text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
      tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
      tm.tm_sec, (int) (microseconds % G_USEC_PER_SEC / 1000));
}

/* The number of @n digits, which there are. */
static gint
get_number (const gchar *text, guint n)
{
  gint number = 0;

  for (guint i = 0; i < n; i++)
    number = number * 10 + (text[i] - '0');
  return number;
}

/* Days since 1970 of a day of the Gregorian calendar. */
static gint64
count_days (gint year, gint month, gint day)
{
  static const gint before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273,
    304, 334 };
  const gint leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  const gint64 y = year - 1;

  return y * 365 + y / 4 - y / 100 + y / 400 - 719162 + before[month - 1]
      + (month > 2 ? leap : 0) + day - 1;
}

/**
 * gst_y10_utc_parse:
 * @text: such as 2026-01-31T08:00:00.123Z; with a fraction of one to six digits
 * @length: of @text, in bytes
 * @microseconds: (out): the time since 1970
 *
 * Returns: whether @text is a time in this form
 */
gboolean
gst_y10_utc_parse (const gchar *text, gsize length, gint64 *microseconds)
{
  static const gchar form[] = "0000-00-00T00:00:00.";
  const gsize n = sizeof form - 1;
  gint month, day, second, fraction = 0;

  if (length < n + 2 || length > n + 7 || text[length - 1] != 'Z')
    return FALSE;
  for (gsize i = 0; i < length - 1; i++)
    if (i < n && form[i] != '0' ? form[i] != text[i]
                                : !g_ascii_isdigit (text[i]))
      return FALSE;
  month = get_number (text + 5, 2);
  day = get_number (text + 8, 2);
  second = get_number (text + 11, 2) * 3600 + get_number (text + 14, 2) * 60
      + get_number (text + 17, 2);
  if (month < 1 || month > 12 || day < 1 || day > 31)
    return FALSE;
  for (gsize i = n; i < n + 6; i++)
    fraction = fraction * 10 + (i < length - 1 ? text[i] - '0' : 0);
  *microseconds = (count_days (get_number (text, 4), month, day) * 86400
                      + second)
          * G_USEC_PER_SEC
      + fraction;
  return TRUE;
}
