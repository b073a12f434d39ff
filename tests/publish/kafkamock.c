/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* librdkafka's mock cluster with the topic "y10". Prints its address, obeys "down" and "up",
 * refuses the next N requests as too large with "refuse N", and prints with "read" what the
 * topic has, a line each, and "end". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#define N_PARTITIONS 2
#define TIMEOUT 1000
#define PRODUCE 0 /* the kind of a request */

static void
read_partition (rd_kafka_t *consumer, int partition)
{
  rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new (1);
  int is_end = 0;

  rd_kafka_topic_partition_list_add (list, "y10", partition)->offset =
      RD_KAFKA_OFFSET_BEGINNING;
  rd_kafka_assign (consumer, list);
  while (!is_end) {
    rd_kafka_message_t *message = rd_kafka_consumer_poll (consumer, TIMEOUT);

    if (!message)
      continue;
    if (!message->err)
      printf ("%.*s\t%.*s\n", (int) message->key_len, (char *) message->key,
          (int) message->len, (char *) message->payload);
    is_end = message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF;
    rd_kafka_message_destroy (message);
  }
  rd_kafka_topic_partition_list_destroy (list);
}

static void
read_topic (const char *address)
{
  rd_kafka_conf_t *conf = rd_kafka_conf_new ();
  char error[256];
  rd_kafka_t *consumer;

  rd_kafka_conf_set (conf, "bootstrap.servers", address, error, sizeof error);
  rd_kafka_conf_set (conf, "group.id", "test", error, sizeof error);
  rd_kafka_conf_set (conf, "enable.partition.eof", "true", error, sizeof error);
  consumer = rd_kafka_new (RD_KAFKA_CONSUMER, conf, error, sizeof error);
  for (int i = 0; i < N_PARTITIONS; i++)
    read_partition (consumer, i);
  rd_kafka_consumer_close (consumer);
  rd_kafka_destroy (consumer);
  printf ("end\n");
}

static void
refuse (rd_kafka_mock_cluster_t *cluster, int n)
{
  for (int i = 0; i < n; i++)
    rd_kafka_mock_push_request_errors (cluster, PRODUCE, 1,
        RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
}

int
main (void)
{
  char error[256], line[64];
  rd_kafka_t *owner = rd_kafka_new (RD_KAFKA_PRODUCER, rd_kafka_conf_new (),
      error, sizeof error);
  rd_kafka_mock_cluster_t *cluster = rd_kafka_mock_cluster_new (owner, 1);
  const char *address = rd_kafka_mock_cluster_bootstraps (cluster);

  rd_kafka_mock_topic_create (cluster, "y10", N_PARTITIONS, 1);
  printf ("%s\n", address);
  fflush (stdout);
  while (fgets (line, sizeof line, stdin)) {
    if (!strcmp (line, "down\n"))
      rd_kafka_mock_broker_set_down (cluster, 1);
    else if (!strcmp (line, "up\n"))
      rd_kafka_mock_broker_set_up (cluster, 1);
    else if (!strncmp (line, "refuse ", 7))
      refuse (cluster, atoi (line + 7));
    else if (!strcmp (line, "read\n"))
      read_topic (address);
    fflush (stdout);
  }
  rd_kafka_mock_cluster_destroy (cluster);
  rd_kafka_destroy (owner);
  return 0;
}
