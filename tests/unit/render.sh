#!/bin/sh
# render.sh PRINT_OUTPUT: Graphviz draws every graph without a word, and Python reads the JSON and
# follows its references.
set -eu
for form in unfolding names configuration tree; do
  if command -v dot > /dev/null; then
    said=$("$1" "dot-$form" | dot -Tsvg -o /dev/null 2>&1)
    test -z "$said" || { echo "$form: $said"; exit 1; }
  fi
done
# Hostile names add neither a node nor an edge, and are no markup in what is drawn.
if command -v dot > /dev/null; then
  for form in unfolding names; do
    "$1" "dot-$form" | dot -Tplain | awk '{ print $1 }' | sort | uniq -c | tr -s ' \n' ' '
    echo
  done | uniq | awk 'END { exit NR != 1 }' || { echo "names: another graph"; exit 1; }
  "$1" dot-names | dot -Tsvg | sed 's|&#45;|-|g' | grep -qF 'x -&gt; y; \N\&quot;{|}&lt;b&gt;&amp;lt;&amp;nonsense; ' ||
    { echo "names: not as they are"; exit 1; }
fi
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
