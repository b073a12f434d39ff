/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The exact assignment of rows to columns: which pairs to form so that the sum of their
 * costs, plus a limit for each row that stays alone, is least. No pair costs the limit
 * or more. Rows are added one after the other, each along the shortest augmenting path
 * (Jonker and Volgenant, "A shortest augmenting path algorithm for dense and sparse
 * linear assignment problems", 1987, in the form of Crouse, "On implementing 2D
 * rectangular assignment algorithms", 2016). A path may also end at a row of it that
 * then stays alone, as if each row had a column of its own that costs the limit. */
#include "track/assign.h"

#include <math.h>

struct _GstY10Assigner
{
  guint max_rows, max_columns;
  gfloat *costs;                     /* [n_rows][n_columns] */
  gdouble *row_price, *column_price; /* the dual solution */
  gdouble *distance; /* of each column from the row that is added */
  gint *row_of_column, *previous_row;
  gboolean *is_done; /* columns with a final distance */
};

/* gst_y10_assigner_new: (skip)
 * @max_rows: at least 1
 * @max_columns: at least 1
 *
 * Returns: (transfer full): an assigner, which is used by one thread at a time */
GstY10Assigner *
gst_y10_assigner_new (guint max_rows, guint max_columns)
{
  GstY10Assigner *self = g_new0 (GstY10Assigner, 1);

  self->max_rows = max_rows;
  self->max_columns = max_columns;
  self->costs = g_new (gfloat, (gsize) max_rows * max_columns);
  self->row_price = g_new (gdouble, max_rows);
  self->column_price = g_new (gdouble, max_columns);
  self->distance = g_new (gdouble, max_columns);
  self->row_of_column = g_new (gint, max_columns);
  self->previous_row = g_new (gint, max_columns);
  self->is_done = g_new (gboolean, max_columns);
  return self;
}

void
gst_y10_assigner_free (GstY10Assigner *self)
{
  g_free (self->costs);
  g_free (self->row_price);
  g_free (self->column_price);
  g_free (self->distance);
  g_free (self->row_of_column);
  g_free (self->previous_row);
  g_free (self->is_done);
  g_free (self);
}

/* Returns the matrix of costs, to be filled row by row without gaps before each solve. */
gfloat *
gst_y10_assigner_get_costs (GstY10Assigner *self)
{
  return self->costs;
}

/* Moves @row to @column, and each row that has to make way to the column before it on
 * the path, up to @added. */
static void
augment (GstY10Assigner *self, gint added, gint column, gint *column_of_row)
{
  gint row;

  do {
    gint next;

    row = self->previous_row[column];
    self->row_of_column[column] = row;
    next = column_of_row[row];
    column_of_row[row] = column;
    column = next;
  } while (row != added);
}

static void
add_row (GstY10Assigner *self, gint added, guint n_columns, gfloat limit,
    gint *column_of_row)
{
  gint row = added, end = -1, alone = -1;
  gdouble length = 0, alone_length = INFINITY;

  for (guint j = 0; j < n_columns; j++) {
    self->distance[j] = INFINITY;
    self->is_done[j] = FALSE;
  }
  for (;;) {
    const gfloat *costs = self->costs + (gsize) row * n_columns;
    gdouble least = INFINITY;

    if (length + limit - self->row_price[row] < alone_length) {
      alone = row;
      alone_length = length + limit - self->row_price[row];
    }
    end = -1;
    for (guint j = 0; j < n_columns; j++) {
      if (self->is_done[j])
        continue;
      if (costs[j] < limit) {
        gdouble d = length + costs[j] - self->row_price[row]
            - self->column_price[j];

        if (d < self->distance[j]) {
          self->distance[j] = d;
          self->previous_row[j] = row;
        }
      }
      if (self->distance[j] < least
          || (self->distance[j] == least && least < INFINITY
              && self->row_of_column[j] < 0 && self->row_of_column[end] >= 0)) {
        least = self->distance[j];
        end = (gint) j;
      }
    }
    if (end < 0 || alone_length <= least) {
      length = alone_length;
      end = -1;
      break;
    }
    length = least;
    if (self->row_of_column[end] < 0)
      break;
    self->is_done[end] = TRUE;
    row = self->row_of_column[end];
  }

  self->row_price[added] += length;
  for (guint j = 0; j < n_columns; j++)
    if (self->is_done[j]) {
      self->row_price[self->row_of_column[j]] += length - self->distance[j];
      self->column_price[j] -= length - self->distance[j];
    }
  if (end >= 0) {
    augment (self, added, end, column_of_row);
  } else if (alone != added) {
    gint column = column_of_row[alone];

    column_of_row[alone] = -1;
    augment (self, added, column, column_of_row);
  }
}

/* gst_y10_assigner_solve: (skip)
 * @n_rows: 0 to the greatest number of rows
 * @n_columns: likewise
 * @limit: pairs that cost this or more are not formed; greater than 0
 * @column_of_row: (out) (array length=n_rows): the column of each row, or -1
 *
 * Solves the problem in the matrix of costs, whose values are at least 0. Takes a time
 * of O(n_rows² n_columns) at worst, much less if most pairs cost @limit or more. */
void
gst_y10_assigner_solve (GstY10Assigner *self, guint n_rows, guint n_columns,
    gfloat limit, gint *column_of_row)
{
  g_assert (n_rows <= self->max_rows && n_columns <= self->max_columns);
  for (guint j = 0; j < n_columns; j++) {
    self->column_price[j] = 0;
    self->row_of_column[j] = -1;
  }
  for (guint i = 0; i < n_rows; i++) {
    self->row_price[i] = 0;
    column_of_row[i] = -1;
  }
  for (guint i = 0; i < n_rows; i++)
    add_row (self, (gint) i, n_columns, limit, column_of_row);
}
