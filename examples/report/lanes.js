/* One execution as a picture: a column for each thread, a row for each step. Only the rows that can
 * be seen are in the document, so that executions of many thousand steps stay usable. */
const ROW = 38, END = 52, GUTTER = 72, HEAD = 30, AROUND = 12;

/* Makes an element; what it says is always text. */
function make(parent, name, className, text) {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined && text !== null) element.textContent = text;
  if (parent) parent.append(element);
  return element;
}

function draw(parent, name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (parent) parent.append(element);
  return element;
}

let markers = 0;

/* A drawing that has the head of an arrow; answers what refers to that. */
function arrowhead(svg) {
  const id = "arrow-" + markers++;
  const marker = draw(draw(svg, "defs", {}), "marker", {id, viewBox: "0 0 8 8", refX: 7, refY: 4,
    markerWidth: 7, markerHeight: 7, orient: "auto"});
  draw(marker, "path", {d: "M0,0 L8,4 L0,8 z"});
  return "url(#" + id + ")";
}

function stepText(step) {
  let text = step.operation;
  if (step.several) text += " · " + step.event;
  if (step.notified) text += step.notified.length > 0 ? " → " + step.notified.join(", ") : " → nobody";
  if (step.result !== undefined) text += " = " + step.result;
  return text;
}

class Lanes {
  constructor(root, onselect) {
    this.root = root;
    this.onselect = onselect;
    this.steps = [];
    root.tabIndex = 0;
    root.setAttribute("role", "listbox");
    root.addEventListener("scroll", () => this.later());
    window.addEventListener("resize", () => this.later());
  }

  /* The steps from `from` on; `names` are those of the threads, in the order of their columns;
   * `ends` says how threads end, `fine` that this is how it should be. */
  show({steps, from, names, ends, fine, decided, note}) {
    Object.assign(this, {steps, from, names, ends, fine, decided, note, selected: from});
    this.lane = new Map(names.map((name, i) => [name, i]));
    this.effects = steps.map(() => []);
    steps.forEach((step, i) => step.after.forEach(cause => this.effects[cause].push(i)));
    this.root.replaceChildren();
    this.all = make(this.root, "div", "all");
    const head = make(this.all, "div", "names");
    this.svg = draw(this.all, "svg", {});
    this.rows = make(this.all, "div");
    this.heads = names.map(name => {
      const span = make(head, "span", "", name);
      span.title = name;
      return span;
    });
    this.relate();
    this.render();
  }

  /* What happens before the selected step, and what after it. */
  relate() {
    const at = this.selected, before = new Set(), after = new Set();
    const todo = at < this.steps.length ? [at] : [];
    while (todo.length > 0)
      for (const cause of this.steps[todo.pop()].after)
        if (!before.has(cause)) {
          before.add(cause);
          todo.push(cause);
        }
    if (at < this.steps.length) after.add(at);
    for (let i = at + 1; i < this.steps.length; i++)
      if (this.steps[i].after.some(cause => after.has(cause))) after.add(i);
    after.delete(at);
    Object.assign(this, {before, after});
  }

  relation(i) {
    if (this.selected >= this.steps.length || i === this.selected) return " ";
    return this.before.has(i) ? "↑" : this.after.has(i) ? "↓" : "∥";
  }

  select(at) {
    this.selected = Math.max(this.from, Math.min(at, this.steps.length));
    this.relate();
    const top = this.top(this.selected) - HEAD, view = this.root.clientHeight - HEAD;
    const bottom = top + (this.selected === this.steps.length ? END : ROW);
    if (top < this.root.scrollTop) this.root.scrollTop = Math.max(0, top - 2 * ROW);
    else if (bottom > this.root.scrollTop + view) this.root.scrollTop = bottom - view + 2 * ROW;
    this.render();
  }

  top(i) {
    return HEAD + 6 + (i - this.from) * ROW;
  }

  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.render();
    });
  }

  x(lane) {
    return GUTTER + lane * this.width;
  }

  render() {
    if (!this.all) return;
    const count = this.steps.length, room = this.root.clientWidth - GUTTER - 4;
    this.width = Math.max(112, Math.min(270, room / Math.max(1, this.names.length)));
    const height = this.top(count) + END + 40, width = this.x(this.names.length);
    this.all.style.height = height + "px";
    this.all.style.width = Math.max(width, this.root.clientWidth - 20) + "px";
    this.heads.forEach((span, lane) => {
      span.style.left = this.x(lane) + "px";
      span.style.width = this.width - 8 + "px";
    });
    const first = this.from + Math.floor(this.root.scrollTop / ROW) - AROUND;
    const shown = Math.ceil((this.root.clientHeight || 600) / ROW) + 2 * AROUND;
    const low = Math.max(this.from, first), high = Math.min(count - 1, first + shown);
    this.rows.replaceChildren();
    for (let i = low; i <= high; i++) this.step(i);
    if (first + shown >= count) this.end();
    this.arrows(low, high, width);
  }

  row(i, className, number) {
    const row = make(this.rows, "div", "row " + className);
    row.style.top = this.top(i) + "px";
    row.id = this.root.id + "-" + (i < this.steps.length ? i + 1 : "end");
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", String(i === this.selected));
    if (i === this.selected) this.root.setAttribute("aria-activedescendant", row.id);
    make(row, "span", "number", number);
    row.addEventListener("click", () => this.onselect(i));
    return row;
  }

  /* One that stands alone in its row has the room up to the right of the picture. */
  cell(row, thread, text, alone) {
    const cell = make(row, "span", "cell", text), lane = this.lane.get(thread);
    cell.title = text;
    cell.style.left = this.x(lane) + "px";
    cell.style.maxWidth = this.width * (alone ? this.names.length - lane : 1) - 10 + "px";
  }

  step(i) {
    const step = this.steps[i], decided = i === this.decided;
    const row = this.row(i, decided ? "decided" : "", this.relation(i) + String(i + 1).padStart(6));
    const text = (decided ? "◆ " : "") + stepText(step);
    row.setAttribute("aria-label", `${i + 1} ${step.thread}: ${text}`);
    this.cell(row, step.thread, text, true);
  }

  /* How the threads end, which is a row of its own below the steps. */
  end() {
    const row = this.row(this.steps.length, "end" + (this.fine ? " fine" : ""), "end");
    if (this.fine && this.ends.length === 0)
      this.cell(row, this.names[0], "✓ " + this.note, true);
    for (const end of this.ends)
      this.cell(row, end.thread, (this.fine ? "✓ " : "✕ ") + end.lines.join("\n  "));
  }

  arrows(low, high, width) {
    const top = this.top(low) - 4, bottom = this.top(high + 1) + END + 40;
    this.svg.replaceChildren();
    this.svg.style.top = top + "px";
    this.svg.setAttribute("width", width);
    this.svg.setAttribute("height", Math.max(0, bottom - top));
    const head = arrowhead(this.svg);
    this.names.forEach((name, lane) => draw(this.svg, "line", {x1: this.x(lane) + 20,
      x2: this.x(lane) + 20, y1: 0, y2: this.top(this.steps.length) + 10 - top}));
    const one = (cause, effect) => {
      const from = this.steps[cause].thread, to = this.steps[effect].thread;
      if (from === to) return;
      const x1 = this.x(this.lane.get(from)) + 34, x2 = this.x(this.lane.get(to)) + 34;
      const y1 = this.top(cause) + 28 - top, y2 = this.top(effect) + 3 - top;
      const bend = Math.min(60, (y2 - y1) / 2 + 8);
      const near = cause === this.selected || effect === this.selected;
      draw(this.svg, "path", {class: near ? "near" : "", "marker-end": head,
        "data-from": cause + 1, "data-to": effect + 1,
        d: `M${x1},${y1} C${x1},${y1 + bend} ${x2},${y2 - bend} ${x2},${y2}`});
    };
    for (let i = low; i <= high; i++) {
      for (const cause of this.steps[i].after)
        if (cause >= this.from) one(cause, i);
      for (const effect of this.effects[i])
        if (effect > high) one(i, effect);
    }
    if (high === this.steps.length - 1) this.waits(head, top);
  }

  /* Who waits for whom at the end. */
  waits(head, top) {
    const y = this.top(this.steps.length) + 48 - top;
    for (const end of this.ends) {
      if (!this.lane.has(end.owner) || end.owner === end.thread) continue;
      const from = this.lane.get(end.thread), to = this.lane.get(end.owner);
      const x1 = this.x(from) + (from < to ? 80 : 50), x2 = this.x(to) + (from < to ? 50 : 80);
      draw(this.svg, "path", {class: "waits", "marker-end": head, "data-waits": end.thread,
        "data-owner": end.owner, d: `M${x1},${y} C${x1},${y + 30} ${x2},${y + 30} ${x2},${y + 2}`});
    }
  }
}
