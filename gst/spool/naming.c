/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides which producer names a line. Two folders with one producer would give two lines
 * the same name, so a copy gets a producer of its own: state has a hash of where it was
 * written, and one that was written elsewhere begins another producer with the next
 * segment. Segments before it keep their names, under which the original sends the same
 * lines. What is taken for a copy by mistake, such as a backup that was restored, only has
 * another producer from then on.
 *
 *   producer=0123456789abcdef
 *   next=18                     number of the next segment
 *   host=89abcdef01234567
 *   until=12 fedcba9876543210   segments before 12 are of an earlier producer */
#include "spool/naming.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void
add_file (GChecksum *sum, const gchar *path)
{
  gchar text[256];
  const int file = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const gssize n = file >= 0 ? read (file, text, sizeof text) : 0;

  g_checksum_update (sum, (const guchar *) text, MAX (n, 0));
  g_checksum_update (sum, (const guchar *) "", 1);
  if (file >= 0)
    close (file);
}

/* An image of a card or a machine has the same id of the machine, and maybe the same inode,
 * but seldom the same name or board. Numbers of devices change when a machine starts, so
 * they do not count. */
static void
find_host (int folder, gchar *host)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  gchar name[256] = "", inode[32] = "";
  struct stat status;

  add_file (sum, "/etc/machine-id");
  add_file (sum, "/proc/device-tree/serial-number");
  if (gethostname (name, sizeof name - 1) != 0)
    name[0] = '\0';
  if (fstat (folder, &status) == 0)
    g_snprintf (inode, sizeof inode, "%" G_GUINT64_FORMAT,
        (guint64) status.st_ino);
  g_checksum_update (sum, (const guchar *) name, (gssize) strlen (name) + 1);
  g_checksum_update (sum, (const guchar *) inode, -1);
  g_strlcpy (host, g_checksum_get_string (sum), GST_Y10_HOST_SIZE);
}

static void
new_producer (GstY10Naming *self)
{
  g_snprintf (self->producer, sizeof self->producer, "%08x%08x",
      g_random_int (), g_random_int ());
}

/* Of a folder without a state: nobody has seen its producer. */
void
gst_y10_naming_init (GstY10Naming *self, int folder)
{
  *self = (GstY10Naming){ .next = 1 };
  find_host (folder, self->host);
  new_producer (self);
}

static void
read_earlier (GstY10Naming *self, const gchar *text)
{
  GstY10EarlierProducer earlier;

  while (self->n_earlier < GST_Y10_MAX_EARLIER
      && (text = strstr (text, "\nuntil="))
      && sscanf (++text, "until=%" G_GUINT64_FORMAT " %16[0-9a-f]",
             &earlier.until, earlier.producer)
          == 2)
    self->earlier[self->n_earlier++] = earlier;
}

/* The producer up to now names no segments from @self->next on. */
static void
begin_producer (GstY10Naming *self)
{
  GstY10EarlierProducer earlier = { .until = self->next };

  memcpy (earlier.producer, self->producer, sizeof earlier.producer);
  if (self->n_earlier == GST_Y10_MAX_EARLIER)
    memmove (self->earlier, self->earlier + 1,
        --self->n_earlier * sizeof *self->earlier);
  self->earlier[self->n_earlier++] = earlier;
  new_producer (self);
}

/**
 * gst_y10_naming_read:
 * @self: naming, which was initialized
 * @state: text of the file
 * @next: a number that no segment of the folder has, nor a larger one
 *
 * Returns: whether @state is one
 */
gboolean
gst_y10_naming_read (GstY10Naming *self, const gchar *state, guint64 next)
{
  gchar producer[GST_Y10_PRODUCER_SIZE], host[GST_Y10_HOST_SIZE];
  const gchar *line;
  guint64 number;

  self->next = MAX (self->next, next);
  if (sscanf (state, "producer=%16[0-9a-f]\nnext=%" G_GUINT64_FORMAT "\n",
          producer, &number)
          != 2
      || strlen (producer) != GST_Y10_PRODUCER_SIZE - 1 || number >= G_MAXINT64)
    return FALSE;
  self->next = MAX (self->next, number);
  memcpy (self->producer, producer, sizeof producer);
  read_earlier (self, state);
  line = strstr (state, "\nhost=");
  /* Without one, an earlier version has written it. */
  if (line && sscanf (line, "\nhost=%16[0-9a-f]", host) == 1
      && strcmp (host, self->host))
    begin_producer (self);
  return TRUE;
}

/* Makes the text of the file, of at most GST_Y10_STATE_SIZE bytes. */
void
gst_y10_naming_write (const GstY10Naming *self, guint64 next, gchar *state)
{
  gsize n = (gsize) g_snprintf (state, GST_Y10_STATE_SIZE,
      "producer=%s\nnext=%" G_GUINT64_FORMAT "\nhost=%s\n", self->producer,
      next, self->host);

  for (guint i = 0; i < self->n_earlier; i++)
    n += (gsize) g_snprintf (state + n, GST_Y10_STATE_SIZE - n,
        "until=%" G_GUINT64_FORMAT " %s\n", self->earlier[i].until,
        self->earlier[i].producer);
}

const gchar *
gst_y10_naming_get_producer (const GstY10Naming *self, guint64 segment)
{
  for (guint i = 0; i < self->n_earlier; i++)
    if (segment < self->earlier[i].until)
      return self->earlier[i].producer;
  return self->producer;
}
