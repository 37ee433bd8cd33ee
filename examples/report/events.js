/* The unfolding: a column for each thread, events below their causes. Of many events only some are
 * drawn, and it says which. */
const EVENT = {height: 26, gap: 18, level: 58, top: 18};

class Events {
  constructor(unfolding, source, onchange) {
    Object.assign(this, {unfolding, source, onchange, all: unfolding.events, selected: -1,
      history: false, drawn: []});
    this.effects = this.all.map(() => []);
    this.all.forEach((event, i) => event.after.forEach(cause => this.effects[cause].push(i)));
    const options = (select, key) => {
      make(select, "option", "", "all").value = "";
      for (const name of new Set(this.all.map(event => event[key]).filter(name => name)))
        make(select, "option", "", key === "thread" ? named(name) : name).value = name;
      select.addEventListener("change", () => this.render(true));
    };
    options(id("filter-thread"), "thread");
    options(id("filter-object"), "object");
    id("filter-most").addEventListener("change", () => this.render(true));
    id("filter-history").addEventListener("click", () => this.narrow());
  }

  /* To the history of the selected event, or no longer. */
  narrow() {
    if (this.selected < 0) return;
    this.history = !this.history;
    this.render(true);
  }

  choose(i) {
    this.selected = i;
    if (i < 0) this.history = false;
    this.render(true);
  }

  /* The next event that is drawn, or the one before. */
  move(by) {
    const at = this.drawn.indexOf(this.selected);
    const next = at < 0 ? 0 : Math.max(0, Math.min(this.drawn.length - 1, at + by));
    if (this.drawn.length > 0) this.choose(this.drawn[next]);
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

  /* All that an event leads to, given where to begin. */
  closure(events) {
    const found = new Set(events), todo = [...events];
    while (todo.length > 0)
      for (const effect of this.effects[todo.pop()])
        if (!found.has(effect)) {
          found.add(effect);
          todo.push(effect);
        }
    return found;
  }

  /* What the others are to the selected event. Two events are in conflict when some of their
   * histories are in immediate conflict. */
  relate() {
    if (this.selected < 0) return;
    this.before = this.historyOf(this.selected);
    this.behind = this.closure([this.selected]);
    const rivals = [];
    this.all.forEach((event, i) => event.conflicts.forEach(other => {
      if (this.before.has(i)) rivals.push(other);
      if (this.before.has(other)) rivals.push(i);
    }));
    this.against = this.closure(rivals);
  }

  /* A class, a mark and words for that. */
  relation(i) {
    if (this.selected < 0 || i === this.selected) return ["", "", ""];
    if (this.before.has(i)) return ["before", "↑", ", in its history"];
    if (this.behind.has(i)) return ["after", "↓", ", after it"];
    if (this.against.has(i)) return ["against", "#", ", in conflict with it"];
    return ["beside", "∥", ", concurrent with it"];
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
    const {total, freed, why} = this.unfolding, left = total - this.all.length;
    id("drawn").textContent = why || `${this.drawn.length} of ${total} events are drawn` +
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
    const letters = this.drawn.reduce((most, i) => Math.max(most, this.text(i).length), 8);
    this.box = Math.min(210, 7.3 * letters + 32);
    let x = EVENT.gap;
    this.columns = [];
    for (const [thread, slots] of columns) {
      this.columns.push({thread, x});
      for (const at of this.at.values())
        if (at.thread === thread) at.x = x + at.slot * (this.box + EVENT.gap);
      x += slots * (this.box + EVENT.gap) + EVENT.gap;
    }
    this.width = x;
    this.height = Math.max(0, ...[...this.at.values()].map(at => at.y)) + EVENT.height + 30;
  }

  render(changed) {
    if (id("view-unfolding").hidden) return;
    this.filter();
    this.place();
    const root = id("events"), {scrollTop, scrollLeft} = root;
    root.replaceChildren();
    const names = make(root, "div", "names");
    names.style.width = Math.max(this.width, root.clientWidth) + "px";
    const svg = draw(root, "svg", {width: this.width, height: this.height});
    const head = arrowhead(svg);
    for (const {thread, x} of this.columns) {
      const name = make(names, "span", "thread", named(thread));
      name.style.left = x - 8 + "px";
      draw(svg, "line", {class: "column", x1: x - 9, x2: x - 9, y1: 0, y2: this.height - 6});
    }
    this.relate();
    for (const i of this.drawn) this.edges(svg, head, i);
    for (const i of this.drawn) this.node(svg, i);
    Object.assign(root, {scrollTop, scrollLeft});
    this.uncover();
    this.describe();
    if (changed) this.onchange();
  }

  edges(svg, head, i) {
    const to = this.at.get(i), half = this.box / 2;
    for (const cause of this.all[i].after) {
      const from = this.at.get(cause);
      if (!from) continue;
      const x1 = from.x + half, y1 = from.y + EVENT.height, x2 = to.x + half, y2 = to.y - 2;
      draw(svg, "path", {"marker-end": head, "data-from": cause + 1, "data-to": i + 1,
        d: `M${x1},${y1} C${x1},${y1 + 20} ${x2},${y2 - 20} ${x2},${y2}`});
    }
    for (const conflict of this.all[i].conflicts) {
      const from = this.at.get(conflict);
      if (from) this.conflict(svg, conflict, i, from, to);
    }
  }

  /* From side to side; of events above each other, around the right of them. */
  conflict(svg, first, second, from, to) {
    const [left, right] = from.x <= to.x ? [from, to] : [to, from], half = EVENT.height / 2;
    const above = left.x === right.x, x1 = left.x + this.box, y1 = left.y + half;
    const x2 = above ? x1 : right.x, y2 = right.y + half;
    const x = above ? x1 + 14 : (x1 + x2) / 2, y = (y1 + y2) / 2;
    draw(svg, "path", {class: "conflict", "data-conflict": `${first + 1} ${second + 1}`,
      d: above ? `M${x1},${y1} Q${x1 + 28},${y} ${x2},${y2}` : `M${x1},${y1} L${x2},${y2}`});
    draw(svg, "text", {class: "conflict", "text-anchor": "middle", x, y: y + 4}).textContent = "#";
  }

  text(i) {
    return (this.all[i].cutoff ? "✂ " : "") + this.all[i].label;
  }

  node(svg, i) {
    const event = this.all[i], {x, y} = this.at.get(i), [relation, mark, words] = this.relation(i);
    const cutoff = event.cutoff ? "cutoff " : "";
    const group = draw(svg, "g", {id: "event-" + (i + 1), role: "option", class: cutoff + relation,
      "aria-selected": String(i === this.selected)});
    draw(group, "rect", {x, y, width: this.box, height: EVENT.height, rx: 6});
    const label = this.text(i), room = Math.floor((this.box - 28) / 7.3);
    draw(group, "text", {class: "label", x: x + 7, y: y + 17}).textContent =
      label.length > room ? label.slice(0, room - 1) + "…" : label;
    draw(group, "text", {class: "mark", x: x + this.box - 5, y: y + 17}).textContent = mark;
    draw(group, "title", {}).textContent = `${i + 1} ${event.thread}: ${label}${words}`;
    group.addEventListener("click", () => this.choose(i));
  }

  /* Scrolls to the selected event, if it cannot be seen. */
  uncover() {
    const at = this.at.get(this.selected), root = id("events");
    if (!at) {
      root.removeAttribute("aria-activedescendant");
      return;
    }
    root.setAttribute("aria-activedescendant", "event-" + (this.selected + 1));
    const high = at.y + EVENT.height + HEAD;
    if (at.y < root.scrollTop || high > root.scrollTop + root.clientHeight)
      root.scrollTop = Math.max(0, at.y - root.clientHeight / 3);
    if (at.x < root.scrollLeft || at.x + this.box > root.scrollLeft + root.clientWidth)
      root.scrollLeft = Math.max(0, at.x - root.clientWidth / 3);
  }

  describe() {
    const event = this.all[this.selected], detail = id("event-detail");
    this.source.mark(event ? [{at: event.at, text: `${event.thread}: ${event.label}`}] : []);
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
    make(detail, "b", "", `${this.selected + 1} ${named(event.thread)} `);
    make(detail, "code", "", event.label);
    detail.append((event.place ? ", " + this.source.short(event.place) : "") +
      `; history of ${this.historyOf(this.selected).size} events` +
      (event.after.length > 0 ? "; directly after " + list(event.after) : "") +
      (conflicts.length > 0 ? "; in immediate conflict with " + list(conflicts) : "") +
      (event.cutoff ? "; a cutoff" : ""));
  }
}
