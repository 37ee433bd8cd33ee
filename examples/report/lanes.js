/* One execution as a picture: a column for each thread, a row for each step. Only the rows that can
 * be seen are in the document, so that executions of many thousand steps stay usable. */
const ROW = 38, GUTTER = 72, HEAD = 30, AROUND = 12;

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
    markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto"});
  draw(marker, "path", {d: "M0,0 L8,4 L0,8 z"});
  return "url(#" + id + ")";
}

function stepText(step) {
  let text = step.operation;
  if (step.several) text += " · " + step.event;
  if (step.notified) text += " → " + (step.notified.join(", ") || "nobody");
  if (step.result !== undefined) text += " = " + step.result;
  return text;
}

/* The rows of a picture: steps, numbered from 1, and between them the accesses of a data race, with
 * the rows that each directly follows. An access stands behind a step, in front of the next one of
 * its thread, or of the one that joins it. */
function rowsOf(steps, accesses) {
  const rows = [], rowOfStep = [], behind = new Map(), last = new Map();
  (accesses || []).forEach((access, i) =>
    behind.set(access.behind, [...behind.get(access.behind) || [], [access, i]]));
  const putAccesses = number => (behind.get(number) || []).forEach(([access, i]) => {
    last.set(access.thread, rows.length);
    const after = number > 0 ? [rowOfStep[number - 1]] : [];
    rows.push({step: access, access: i + 1, number: 0, after});
  });
  putAccesses(0);
  steps.forEach((step, i) => {
    let after = step.after.map(cause => rowOfStep[cause]);
    for (const [thread, row] of last) {
      const joins = step.event === "join" && step.operation === `join(${thread})`;
      if (thread !== step.thread && !joins) continue;
      after = after.filter(cause => !rows[row].after.includes(cause));
      after.push(row);
      last.delete(thread);
    }
    rowOfStep.push(rows.length);
    rows.push({step, access: 0, number: i + 1, after});
    putAccesses(i + 1);
  });
  return rows;
}

/* How wide a text is, roughly, in the letters of the cells. */
const widthOf = text => 7.9 * text.length + 22;

class Lanes {
  constructor(root, onselect) {
    this.root = root;
    this.onselect = onselect;
    this.rows = [];
    root.tabIndex = 0;
    root.setAttribute("role", "listbox");
    root.addEventListener("scroll", () => this.later());
    window.addEventListener("resize", () => this.later());
  }

  /* The rows from `from` on; `names` are those of the threads, in the order of their columns;
   * `ends` says how threads end, `fine` that this is how it should be. */
  show({rows, from, names, ends, fine, decided, note}) {
    Object.assign(this, {rows, from, names, ends, fine, decided, note, selected: from});
    this.lane = new Map(names.map((name, i) => [name, i]));
    this.effects = rows.map(() => []);
    rows.forEach((row, i) => row.after.forEach(cause => this.effects[cause].push(i)));
    this.widest = rows.reduce((most, row) => Math.max(most, widthOf(stepText(row.step))), 100);
    this.widest = names.reduce((most, name) => Math.max(most, widthOf(named(name))), this.widest);
    this.root.replaceChildren();
    this.all = make(this.root, "div", "all");
    const head = make(this.all, "div", "names");
    this.svg = draw(this.all, "svg", {});
    this.cells = make(this.all, "div");
    this.heads = names.map(name => {
      const span = make(head, "span", "", named(name));
      span.title = named(name);
      return span;
    });
    this.racing = [];
    rows.forEach((row, i) => row.access && this.racing.push(i));
    this.relate();
    this.render();
  }

  /* How wide it would like to be. */
  natural() {
    return GUTTER + this.names.length * Math.min(250, this.widest + 14) + 24;
  }

  /* What happens before the selected row (1), and what after it (2). */
  relate() {
    const at = this.selected, marks = new Uint8Array(this.rows.length), todo = [];
    if (at < this.rows.length) todo.push(at);
    while (todo.length > 0)
      for (const cause of this.rows[todo.pop()].after)
        if (marks[cause] === 0) {
          marks[cause] = 1;
          todo.push(cause);
        }
    for (let i = at + 1; i < this.rows.length; i++)
      if (this.rows[i].after.some(cause => cause === at || marks[cause] === 2)) marks[i] = 2;
    this.marks = marks;
  }

  relation(i) {
    if (this.selected >= this.rows.length || i === this.selected) return " ";
    return ["∥", "↑", "↓"][this.marks[i]];
  }

  select(at) {
    this.selected = Math.max(this.from, Math.min(at, this.rows.length));
    this.relate();
    const end = this.selected === this.rows.length;
    const top = this.top(this.selected) - HEAD, view = this.root.clientHeight - HEAD;
    const bottom = top + (end ? this.endHeight : ROW);
    if (top < this.root.scrollTop) this.root.scrollTop = Math.max(0, top - 2 * ROW);
    else if (bottom > this.root.scrollTop + view) this.root.scrollTop = bottom - view + 2 * ROW;
    if (!end) this.uncover(this.lane.get(this.rows[this.selected].step.thread));
    this.render();
  }

  /* Scrolls sideways to a lane that cannot be seen. */
  uncover(lane) {
    const low = this.x(lane) - GUTTER, high = this.x(lane + 1) - this.root.clientWidth;
    if (low < this.root.scrollLeft) this.root.scrollLeft = low;
    else if (high > this.root.scrollLeft) this.root.scrollLeft = high;
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
    const count = this.rows.length, room = this.root.clientWidth - GUTTER - 4;
    const wanted = Math.max(112, Math.min(250, this.widest + 14));
    this.width = Math.max(112, Math.min(wanted, room / Math.max(1, this.names.length)));
    const width = Math.max(this.x(this.names.length), this.root.clientWidth - 20);
    this.endHeight = this.heightOfEnd();
    this.all.style.height = this.top(count) + this.endHeight + 44 + "px";
    this.all.style.width = width + "px";
    this.heads.forEach((span, lane) => {
      span.style.left = this.x(lane) + "px";
      span.style.width = this.width - 8 + "px";
    });
    const first = this.from + Math.floor(this.root.scrollTop / ROW) - AROUND;
    const shown = Math.ceil((this.root.clientHeight || 600) / ROW) + 2 * AROUND;
    const low = Math.max(this.from, first), high = Math.min(count - 1, first + shown);
    this.cells.replaceChildren();
    for (let i = low; i <= high; i++) this.row(i);
    if (first + shown >= count) this.end();
    this.arrows(low, high, width);
  }

  put(i, className, number) {
    const row = make(this.cells, "div", "row " + className), known = this.rows[i];
    row.style.top = this.top(i) + "px";
    row.id = this.root.id + "-" + (!known ? "end" : known.number || "a" + known.access);
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
    const all = Math.max(this.x(this.names.length), this.root.clientWidth);
    const right = alone ? all : this.x(lane + 1);
    cell.title = text;
    cell.style.left = this.x(lane) + "px";
    cell.style.maxWidth = right - this.x(lane) - 10 + "px";
    return cell;
  }

  row(i) {
    const {step, number, access} = this.rows[i], decided = i === this.decided;
    const className = decided ? "decided" : access ? "access" : "";
    const row = this.put(i, className, this.relation(i) + String(number || "").padStart(6));
    const text = (decided ? "◆ " : access ? "⚡ " : "") + stepText(step);
    row.setAttribute("aria-label", `${number || "access"} ${step.thread}: ${text}`);
    this.cell(row, step.thread, text, true);
  }

  textOfEnd(end) {
    return (this.fine ? "✓ " : "✕ ") + end.lines.join("\n");
  }

  /* The cells of the end have whole words, in as many lines as they need. */
  heightOfEnd() {
    const letters = Math.max(8, Math.floor((this.width - 34) / 7.9));
    const linesOf = line => {
      let lines = 1, used = 0;
      for (const word of line.split(" ")) {
        if (used > 0 && used + 1 + word.length > letters) lines++, used = 0;
        lines += Math.max(0, Math.ceil(word.length / letters) - 1);
        used = (used > 0 ? used + 1 : 0) + Math.min(word.length, letters);
      }
      return lines;
    };
    const heights = this.ends.map(end =>
      this.textOfEnd(end).split("\n").reduce((sum, line) => sum + linesOf(line), 0));
    return Math.max(1, ...heights) * 19 + 14;
  }

  /* How the threads end, which is a row of its own below the others. */
  end() {
    const row = this.put(this.rows.length, "end" + (this.fine ? " fine" : "") +
      (this.ends.length === 0 ? " plain" : ""), "end");
    row.style.height = this.endHeight + "px";
    if (this.note && this.ends.length === 0)
      this.cell(row, this.names[0], (this.fine ? "✓ " : "") + this.note, true);
    for (const end of this.ends) {
      const cell = this.cell(row, end.thread, this.textOfEnd(end));
      cell.style.width = cell.style.maxWidth;
    }
  }

  arrows(low, high, width) {
    const top = this.top(low) - 4, bottom = this.top(high + 1) + this.endHeight + 44;
    this.svg.replaceChildren();
    this.svg.style.top = top + "px";
    this.svg.setAttribute("width", width);
    this.svg.setAttribute("height", Math.max(0, bottom - top));
    const head = arrowhead(this.svg);
    this.names.forEach((name, lane) => draw(this.svg, "line", {x1: this.x(lane) + 20,
      x2: this.x(lane) + 20, y1: 0, y2: this.top(this.rows.length) + 10 - top}));
    const one = (cause, effect) => {
      const from = this.rows[cause].step.thread, to = this.rows[effect].step.thread;
      if (from === to) return;
      const x1 = this.x(this.lane.get(from)) + 34, x2 = this.x(this.lane.get(to)) + 34;
      const y1 = this.top(cause) + 28 - top, y2 = this.top(effect) + 3 - top;
      const bend = Math.min(60, (y2 - y1) / 2 + 8);
      const near = cause === this.selected || effect === this.selected;
      draw(this.svg, "path", {class: near ? "near" : "", "marker-end": head,
        "data-from": this.rows[cause].number, "data-to": this.rows[effect].number,
        d: `M${x1},${y1} C${x1},${y1 + bend} ${x2},${y2 - bend} ${x2},${y2}`});
    };
    for (let i = low; i <= high; i++) {
      for (const cause of this.rows[i].after)
        if (cause >= this.from) one(cause, i);
      for (const effect of this.effects[i])
        if (effect > high) one(i, effect);
    }
    this.race(low, high, top);
    if (high === this.rows.length - 1) this.waits(head, top);
  }

  /* Both accesses of a race, which nothing orders. */
  race(low, high, top) {
    const [a, b] = this.racing;
    if (b === undefined || b < low || a > high) return;
    const x = i => this.x(this.lane.get(this.rows[i].step.thread)) + 34;
    const y1 = this.top(a) + 28 - top, y2 = this.top(b) + 5 - top;
    draw(this.svg, "path", {class: "race", d: `M${x(a)},${y1} L${x(b)},${y2}`});
  }

  /* Who waits for whom at the end. */
  waits(head, top) {
    const y = this.top(this.rows.length) + this.endHeight - 4 - top;
    for (const end of this.ends) {
      if (!this.lane.has(end.owner) || end.owner === end.thread) continue;
      const from = this.lane.get(end.thread), to = this.lane.get(end.owner);
      const x1 = this.x(from) + (from < to ? 80 : 50), x2 = this.x(to) + (from < to ? 50 : 80);
      draw(this.svg, "path", {class: "waits", "marker-end": head, "data-waits": end.thread,
        "data-owner": end.owner, d: `M${x1},${y} C${x1},${y + 30} ${x2},${y + 30} ${x2},${y + 2}`});
    }
  }
}
