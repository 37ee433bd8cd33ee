/* The unfolding: a column for each thread, events below their causes. Of many events only some are
 * drawn, and it says which. */
const EVENT = {width: 132, height: 26, gap: 14, level: 58, top: 44};

class Events {
  constructor(unfolding, onchange) {
    Object.assign(this, {unfolding, onchange, all: unfolding.events, selected: -1, history: false});
    const options = (select, key) => {
      make(select, "option", "", "all").value = "";
      for (const name of new Set(this.all.map(event => event[key]).filter(name => name)))
        make(select, "option", "", name).value = name;
      select.addEventListener("change", () => this.render(true));
    };
    options(id("filter-thread"), "thread");
    options(id("filter-object"), "object");
    id("filter-most").addEventListener("change", () => this.render(true));
    id("filter-history").addEventListener("click", () => {
      this.history = !this.history;
      this.render(true);
    });
  }

  remember(words) {
    for (const name of ["thread", "object", "most"])
      if (id("filter-" + name).value) words.set(name, id("filter-" + name).value);
    if (this.selected >= 0) words.set("event", this.selected + 1);
    if (this.history) words.set("history", "1");
  }

  follow(words) {
    id("filter-thread").value = words.get("thread") || "";
    id("filter-object").value = words.get("object") || "";
    if (Number(words.get("most")) > 0) id("filter-most").value = words.get("most");
    const event = Number(words.get("event")) - 1;
    this.selected = this.all[event] ? event : -1;
    this.history = words.get("history") === "1" && this.selected >= 0;
  }

  /* The numbers of the event's causes, and its own. */
  historyOf(event) {
    const found = new Set([event]), todo = [event];
    while (todo.length > 0)
      for (const cause of this.all[todo.pop()].after)
        if (!found.has(cause)) {
          found.add(cause);
          todo.push(cause);
        }
    return found;
  }

  /* The events that the filters let through, and the first of them that are drawn. */
  filter() {
    const thread = id("filter-thread").value, object = id("filter-object").value;
    const most = Math.max(1, Number(id("filter-most").value) || 200);
    const history = this.history ? this.historyOf(this.selected) : null;
    this.passed = [];
    this.all.forEach((event, i) => {
      if ((!thread || event.thread === thread) && (!object || event.object === object) &&
          (!history || history.has(i))) this.passed.push(i);
    });
    this.drawn = this.passed.slice(0, most);
    const {total, freed} = this.unfolding, left = total - this.all.length;
    id("drawn").textContent = `${this.drawn.length} of ${total} events are drawn` +
      (this.passed.length < this.all.length ? `; the filters let ${this.passed.length} through` : "") +
      (this.drawn.length < this.passed.length
        ? `; ${this.passed.length - this.drawn.length} more are not drawn, because of the limit` : "") +
      (left > 0 ? `; the last ${left} are not in this page` : "") +
      (freed > 0 ? `; ${freed} were freed during the exploration` : "") + ".";
  }

  /* Where events are: below their causes; events of a thread at one level beside each other. */
  place() {
    const level = new Map(), beside = new Map(), columns = new Map();
    this.at = new Map();
    for (const i of this.drawn) {
      const {after, thread} = this.all[i];
      level.set(i, Math.max(0, ...after.map(cause => level.has(cause) ? level.get(cause) + 1 : 0)));
      const key = JSON.stringify([thread, level.get(i)]), slot = beside.get(key) || 0;
      beside.set(key, slot + 1);
      columns.set(thread, Math.max(columns.get(thread) || 1, slot + 1));
      this.at.set(i, {thread, slot, y: EVENT.top + level.get(i) * EVENT.level});
    }
    let x = EVENT.gap;
    this.columns = [];
    for (const [thread, slots] of columns) {
      this.columns.push({thread, x});
      for (const at of this.at.values())
        if (at.thread === thread) at.x = x + at.slot * (EVENT.width + EVENT.gap);
      x += slots * (EVENT.width + EVENT.gap) + EVENT.gap;
    }
    this.width = x;
    this.height = Math.max(0, ...[...this.at.values()].map(at => at.y)) + EVENT.height + 30;
  }

  render(changed) {
    if (id("view-unfolding").hidden) return;
    this.filter();
    this.place();
    id("events").replaceChildren();
    const svg = draw(id("events"), "svg", {width: this.width, height: this.height});
    const head = arrowhead(svg);
    for (const {thread, x} of this.columns) {
      draw(svg, "text", {class: "thread", x, y: 22}).textContent = thread;
      draw(svg, "line", {class: "column", x1: x - 9, x2: x - 9, y1: 6, y2: this.height - 6});
    }
    for (const i of this.drawn) this.edges(svg, head, i);
    for (const i of this.drawn) this.node(svg, i);
    this.describe();
    if (changed) this.onchange();
  }

  edges(svg, head, i) {
    const to = this.at.get(i), half = EVENT.width / 2;
    for (const cause of this.all[i].after) {
      const from = this.at.get(cause);
      if (!from) continue;
      const x1 = from.x + half, y1 = from.y + EVENT.height, x2 = to.x + half, y2 = to.y - 2;
      draw(svg, "path", {"marker-end": head, "data-from": cause + 1, "data-to": i + 1,
        d: `M${x1},${y1} C${x1},${y1 + 20} ${x2},${y2 - 20} ${x2},${y2}`});
    }
    for (const conflict of this.all[i].conflicts) {
      const from = this.at.get(conflict);
      if (!from) continue;
      const x1 = from.x + half, y1 = from.y + EVENT.height / 2;
      const x2 = to.x + half, y2 = to.y + EVENT.height / 2;
      draw(svg, "path", {class: "conflict", "data-conflict": `${conflict + 1} ${i + 1}`,
        d: `M${x1},${y1} Q${(x1 + x2) / 2},${Math.min(y1, y2) - 26} ${x2},${y2}`});
      draw(svg, "text", {class: "conflict", "text-anchor": "middle", x: (x1 + x2) / 2,
        y: (y1 + y2) / 4 + Math.min(y1, y2) / 2 - 12}).textContent = "#";
    }
  }

  node(svg, i) {
    const event = this.all[i], {x, y} = this.at.get(i);
    const group = draw(svg, "g", {id: "event-" + (i + 1), class: event.cutoff ? "cutoff" : "",
      "aria-selected": String(i === this.selected)});
    draw(group, "rect", {x, y, width: EVENT.width, height: EVENT.height, rx: 6});
    const label = (event.cutoff ? "✂ " : "") + event.label, room = 16;
    draw(group, "text", {x: x + 7, y: y + 17}).textContent =
      label.length > room ? label.slice(0, room - 1) + "…" : label;
    draw(group, "title", {}).textContent = `${i + 1} ${event.thread}: ${label}`;
    group.addEventListener("click", () => {
      this.selected = i;
      this.render(true);
    });
  }

  describe() {
    const event = this.all[this.selected], detail = id("event-detail");
    id("filter-history").disabled = !event;
    id("filter-history").setAttribute("aria-pressed", String(this.history));
    detail.replaceChildren();
    if (!event) {
      detail.textContent = "Choose an event to see its place, its history and its conflicts.";
      return;
    }
    const list = numbers => numbers.map(number => number + 1).join(", ");
    const conflicts = this.all.map((other, i) => i)
      .filter(i => event.conflicts.includes(i) || this.all[i].conflicts.includes(this.selected));
    make(detail, "b", "", `${this.selected + 1} ${event.thread} `);
    make(detail, "code", "", event.label);
    detail.append((event.place ? ", " + source.short(event.place) : "") +
      `; history of ${this.historyOf(this.selected).size} events` +
      (event.after.length > 0 ? "; directly after " + list(event.after) : "") +
      (conflicts.length > 0 ? "; in immediate conflict with " + list(conflicts) : "") +
      (event.cutoff ? "; a cutoff" : ""));
  }
}
