/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Takes frames out of the ring and puts them into files: when one ends, what its name is,
 * when it is on the disk, and what to do when there is no room. */
#include "record/writer.h"

#include "record/file.h"
#include "record/folder.h"

/* Frames are on the disk no later than this after they were written. */
#define SYNC_INTERVAL G_USEC_PER_SEC

/* Old files are looked for that often, and whenever a file ends. */
#define RETENTION_INTERVAL (10 * G_USEC_PER_SEC)

/* Between attempts to write on after one failed. */
#define RETRY_INTERVAL (5 * G_USEC_PER_SEC)

/* No frame is shown for longer. */
#define MAX_FRAME_DURATION (3600 * GST_SECOND)

struct _GstY10RecordWriter
{
  GstY10RecordWriterConfig config; /* without @location */
  GstY10RecordRing *ring;
  GThread *thread;
  GstY10RecordFolder *folder;
  /* The thread's. */
  GstY10RecordFile *file;
  gchar *name;      /* of @file, or of the last */
  gint64 next_sync; /* monotonic, as are those below */
  gint64 next_retention;
  gint64 next_attempt;
  gboolean is_reported; /* that it fails */
  GstClockTime last_duration;
  GMutex lock;
  GstY10RecordCounts counts;
};

static void
count_lost (GstY10RecordWriter *writer)
{
  g_mutex_lock (&writer->lock);
  writer->counts.n_lost++;
  g_mutex_unlock (&writer->lock);
}

/* Tries again later. Says why once, until it works again. */
static void
give_up (GstY10RecordWriter *writer, const GError *error)
{
  writer->next_attempt = g_get_monotonic_time () + RETRY_INTERVAL;
  if (!writer->is_reported)
    writer->config.report (writer->name, error, writer->config.user);
  writer->is_reported = TRUE;
}

static void
end_file (GstY10RecordWriter *writer)
{
  g_autoptr (GError) error = NULL;

  if (!writer->file)
    return;
  writer->next_retention = 0;
  if (gst_y10_record_file_close (g_steal_pointer (&writer->file), &error))
    writer->config.report (writer->name, NULL, writer->config.user);
  else
    give_up (writer, error);
}

static void
begin_file (GstY10RecordWriter *writer, const GstY10RecordFrame *frame)
{
  g_autoptr (GError) error = NULL;

  g_free (writer->name);
  writer->name = gst_y10_record_folder_make_name (writer->folder, frame->utc);
  writer->file = gst_y10_record_file_create (gst_y10_record_folder_get_fd (
                                                 writer->folder),
      writer->name, frame, &error);
  if (!writer->file) {
    give_up (writer, error);
    return;
  }
  writer->next_sync = g_get_monotonic_time () + SYNC_INTERVAL;
  g_mutex_lock (&writer->lock);
  writer->counts.n_files++;
  g_mutex_unlock (&writer->lock);
}

/* Whether the file can go on with @frame. Where frames were lost, a frame would be shown for
 * too long or the times run back, it does not follow the last one. */
static gboolean
belongs (const GstY10RecordWriter *writer, const GstY10RecordFrame *frame)
{
  if (gst_y10_record_file_get_format (writer->file) != frame->format
      || frame->dts != gst_y10_record_file_get_end (writer->file))
    return FALSE;
  return !frame->sync
      || frame->dts - gst_y10_record_file_get_begin (writer->file)
      < (gint64) writer->config.file_duration;
}

static void
write_frame (GstY10RecordWriter *writer, GstY10RecordFrame *frame)
{
  g_autoptr (GError) error = NULL;

  if (frame->duration > MAX_FRAME_DURATION)
    frame->duration = writer->last_duration;
  writer->last_duration = frame->duration;
  if (writer->file && !belongs (writer, frame))
    end_file (writer);
  if (!writer->file && frame->sync
      && g_get_monotonic_time () >= writer->next_attempt)
    begin_file (writer, frame);
  if (!writer->file) {
    count_lost (writer);
    return;
  }
  if (!gst_y10_record_file_append (writer->file, frame, &error)) {
    count_lost (writer);
    give_up (writer, error);
    end_file (writer);
    return;
  }
  writer->is_reported = FALSE;
  g_mutex_lock (&writer->lock);
  writer->counts.n_frames++;
  g_mutex_unlock (&writer->lock);
}

static void
sync_file (GstY10RecordWriter *writer)
{
  const gint64 now = g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;

  if (now < writer->next_sync)
    return;
  writer->next_sync = now + SYNC_INTERVAL;
  if (writer->file && !gst_y10_record_file_sync (writer->file, &error)) {
    give_up (writer, error);
    end_file (writer);
  }
}

/* Deletes what is too old or too much, but never the file that is written. */
static void
delete_old (GstY10RecordWriter *writer)
{
  const gint64 now = g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;

  if (now < writer->next_retention)
    return;
  writer->next_retention = now + RETENTION_INTERVAL;
  if (!gst_y10_record_folder_delete_old (writer->folder,
          writer->file ? writer->name : NULL, writer->config.max_age,
          writer->config.max_bytes, &error)) {
    if (!writer->is_reported)
      writer->config.report (writer->name, error, writer->config.user);
    writer->is_reported = TRUE;
  }
}

static gpointer
run (gpointer user)
{
  GstY10RecordWriter *writer = user;
  GstY10RecordFrame frame;
  GstY10RecordTaken taken;

  do {
    taken = gst_y10_record_ring_take (writer->ring,
        MAX (writer->next_sync, g_get_monotonic_time () + 1000), &frame);
    if (taken == GST_Y10_RECORD_FRAME) {
      write_frame (writer, &frame);
      gst_y10_record_frame_clear (&frame);
    }
    sync_file (writer);
    delete_old (writer);
    if (taken == GST_Y10_RECORD_DRAINED) {
      end_file (writer);
      gst_y10_record_ring_set_drained (writer->ring);
    }
  } while (taken != GST_Y10_RECORD_CLOSED);
  end_file (writer);
  return NULL;
}

/**
 * gst_y10_record_writer_open:
 * @config: copied
 * @error: set if the folder cannot be used
 *
 * Returns: (transfer full) (nullable):
 */
GstY10RecordWriter *
gst_y10_record_writer_open (const GstY10RecordWriterConfig *config,
    GError **error)
{
  GstY10RecordFolder *folder = gst_y10_record_folder_open (config->location,
      error);
  GstY10RecordWriter *writer;

  if (!folder)
    return NULL;
  writer = g_new0 (GstY10RecordWriter, 1);
  writer->config = *config;
  writer->config.location = NULL;
  writer->folder = folder;
  g_mutex_init (&writer->lock);
  writer->ring = gst_y10_record_ring_new (config->ring_bytes);
  writer->thread = g_thread_new ("y10-record", run, writer);
  return writer;
}

/* Writes what has been pushed, and waits for that. */
void
gst_y10_record_writer_close (GstY10RecordWriter *writer)
{
  gst_y10_record_ring_close (writer->ring);
  g_thread_join (writer->thread);
  gst_y10_record_ring_free (writer->ring);
  gst_y10_record_folder_close (writer->folder);
  g_mutex_clear (&writer->lock);
  g_free (writer->name);
  g_free (writer);
}

/* Takes @frame's buffer and format. Never waits. */
void
gst_y10_record_writer_push (GstY10RecordWriter *writer,
    const GstY10RecordFrame *frame)
{
  gst_y10_record_ring_push (writer->ring, frame);
}

/* Waits until all frames are in a file that is closed. */
void
gst_y10_record_writer_drain (GstY10RecordWriter *writer)
{
  gst_y10_record_ring_drain (writer->ring);
}

GstY10RecordCounts
gst_y10_record_writer_count (GstY10RecordWriter *writer)
{
  GstY10RecordCounts counts;

  g_mutex_lock (&writer->lock);
  counts = writer->counts;
  g_mutex_unlock (&writer->lock);
  counts.n_lost += gst_y10_record_ring_get_lost (writer->ring);
  return counts;
}
