#!/bin/sh
# render.sh PRINT_OUTPUT: Graphviz draws every graph without a word, and Python reads the JSON and
# follows its references.
set -eu
for form in unfolding configuration tree; do
  if command -v dot > /dev/null; then
    said=$("$1" "dot-$form" | dot -Tsvg -o /dev/null 2>&1)
    test -z "$said" || { echo "$form: $said"; exit 1; }
  fi
done
for form in unfolding configuration; do
  "$1" "json-$form" | python3 -c '
import json, sys
data = json.load(sys.stdin)
known = {0}
for event in data["events"]:
    assert event["after"] and set(event["after"]) <= known, event
    known.add(event["id"])
assert len(known) == data.get("size", len(known) - 1) + 1
print(data["format"], len(known) - 1, "events")'
done
