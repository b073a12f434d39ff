#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Checks discovery messages by Home Assistant's own schemas and templates.

usage: homeassistant-schema.py < MESSAGES

Runs in a Python that has the package homeassistant (2024.3.3 is the last for Python 3.11) and
paho-mqtt. Reads lines of JSON, [TOPIC, CONFIG] each, and then ["event", [EVENT…]]: what each
template makes of these events is printed. Whatever a schema refuses ends it with an error.
"""
import asyncio
import json
import sys
import tempfile

from homeassistant.components.mqtt import binary_sensor, device_trigger, discovery, event, sensor
from homeassistant.core import HomeAssistant
from homeassistant.helpers.template import Template

SCHEMAS = {"sensor": sensor.DISCOVERY_SCHEMA, "binary_sensor": binary_sensor.DISCOVERY_SCHEMA,
           "event": event.DISCOVERY_SCHEMA,
           "device_automation": device_trigger.TRIGGER_DISCOVERY_SCHEMA}


async def main():
    hass = HomeAssistant(tempfile.mkdtemp())
    configs, events = [], []
    for line in sys.stdin:
        topic, value = json.loads(line)
        if topic == "event":
            events = value
            continue
        rest = topic.removeprefix("homeassistant/")
        match = discovery.TOPIC_MATCHER.match(rest)
        assert match, f"{topic} is no topic of discovery"
        config = SCHEMAS[match["component"]](value)
        # All that we say is known, but for what every message may have.
        extra = set(value) - {str(key) for key in config} - {"origin"}
        assert not extra, f"{topic}: {extra} means nothing"
        configs.append((topic, config))
    for topic, config in configs:
        template = config.get("value_template")
        if template is None:
            continue
        text = template.template if isinstance(template, Template) else template
        for payload in events if "event" in topic.split("/")[1] or "device" in topic else []:
            made = Template(text, hass).async_render_with_possible_json_value(
                json.dumps(payload), "error", parse_result=False)
            print(json.dumps([topic, payload["n"], made]))
    print(json.dumps(["schemas", len(configs)]))
    await hass.async_stop(force=True)


asyncio.run(main())
