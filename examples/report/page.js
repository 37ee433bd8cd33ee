/* The page: what is shown, and what keys, clicks and the address do. */
const data = JSON.parse(document.getElementById("data").textContent);
const id = name => document.getElementById(name);
const defects = data.result.defects || [];
const state = {view: "execution", defect: 0, step: 0};
const source = new Source(id("source"), id("source-name"), data.sources);
const picture = new Lanes(id("picture"), at => select(at));
const other = new Lanes(id("other"), at => selectOther(at));
let events = null, timer = 0;

const execution = () => data.executions[state.defect];
/* A thread with the function that it begins with, where that is known. */
const functions = new Map(Object.entries(data.functions));
const named = thread => functions.get(thread) ? `${thread} ${functions.get(thread)}` : thread;

/* What was counted: name, value, and more about it. What is 0 is said quietly. */
function countsOf(result) {
  const {sampled, executions, traces} = result;
  const ends = `${result.complete} complete, ${result.blocked} blocked`;
  const first = sampled ? ["executions", executions, ends] : ["traces", traces, ends];
  const second = sampled ? ["traces", "at least " + traces]
    : ["executions", executions, `${result.redundant} redundant`];
  return [first, ["deadlocks", result.deadlocks], ["errors", result.errors],
    ["data races", result.races], second, ["events", result.events],
    ["steps", result.steps], ["seconds", result.seconds.toFixed(3)],
    ["algorithm", result.algorithm, result.k === null ? "" : "k " + result.k]];
}

function headline() {
  const result = data.result, found = defects.length > 0;
  document.title = result.program + " — " + data.tool;
  id("program").textContent = result.program;
  id("verdict").textContent = (found ? "✕ " : result.finished ? "✓ " : "… ") + result.verdict;
  id("verdict").className = found ? "found" : result.finished ? "clean" : "";
  for (const [key, value, more] of countsOf(result)) {
    const entry = make(id("counts"), "div", value === 0 ? "none" : "");
    make(entry, "dt", "", key);
    make(entry, "dd", "", more ? `${value} (${more})` : value);
  }
  for (const line of data.unseen) make(id("unseen"), "li", "", "not seen: " + line);
  if (result.uncontrolled) make(id("unseen"), "li", "", result.uncontrolled);
  if (result.sampled) {
    const {bound, depth} = result.sampled;
    make(id("unseen"), "li", "", "executions were drawn, not explored to the end" + (!bound ? ""
      : `; one of pct has a defect of depth ${depth} with probability ${bound.toPrecision(2)} at least`));
  }
  defects.forEach((defect, i) => {
    const text = `${i + 1} ${defect.kind}` + (defect.text ? ": " + defect.text : "");
    const button = make(id("defects"), "button", "", text);
    button.id = "defect-" + i;
    button.title = text;
    button.addEventListener("click", () => choose(i));
  });
  id("nothing").hidden = found;
  id("shown").hidden = !found;
}

/* The step behind which a thread is blocked, if that is one of another thread. */
function keeperOf(thread) {
  const steps = (execution() || {steps: []}).steps;
  return behindOf(thread.thread).map(number => steps[number - 1])
    .find(step => step && step.thread !== thread.thread);
}

/* What a thread of a defect waits for, holds and did, in lines. Of the other execution it is not
 * known behind what its threads are blocked. */
function endOf(thread, other) {
  const lines = [thread.state + (thread.operation ? " at " + thread.operation : "")];
  if (thread.waits_for)
    lines.push(thread.owner ? `${thread.waits_for} is held by ${thread.owner}`
      : "waits for " + thread.waits_for);
  else if (thread.note) lines.push(thread.note);
  const joined = thread.waits_for ? thread.waits_for.replace(/^thread /, "") : null;
  const keeper = thread.waits_for || other ? null : keeperOf(thread);
  if (keeper) lines.push(`behind ${stepText(keeper)} of ${keeper.thread}`);
  return {thread: thread.thread, owner: thread.owner || joined || (keeper && keeper.thread), lines};
}

/* What --shorten came to. */
function shortenedText({steps, switches, why}) {
  if (why) return "not shortened: " + why;
  const one = (name, {before, after, fewest}, least) =>
    `${name} ${after} (${fewest ? least + " has fewer; " : ""}before ${before})`;
  return `shortened: ${one("steps", steps, "no execution")}, ` +
    one("switches", switches, "no order of these");
}

/* The numbers of the steps behind which a thread is blocked. */
function behindOf(name) {
  const blocked = blockedOf(name);
  return blocked ? blocked.behind.filter(number => number > 0) : [];
}

function blockedOf(name) {
  return ((execution() || {}).blocked || []).find(each => each.thread === name);
}

function cards(defect) {
  id("threads").replaceChildren();
  for (const thread of defect.threads) {
    const card = make(id("threads"), "li"), line = make(card, "p");
    make(line, "b", "", named(thread.thread));
    line.append(" " + thread.state);
    if (thread.operation) {
      line.append(" at ");
      make(line, "code", "", thread.operation);
    }
    if (thread.place) line.append(", " + source.short(thread.place));
    const behind = behindOf(thread.thread);
    if (thread.waits_for || behind.length > 0) {
      const has = thread.owner ? `, which ${thread.owner} has` : "";
      const keeper = keeperOf(thread), text = thread.waits_for ? `waits for ${thread.waits_for}${has}`
        : keeper ? `blocked behind ${stepText(keeper)} of ${keeper.thread}` : "blocked";
      const waits = make(card, "p", "waits", text);
      behind.forEach((number, i) => {
        waits.append(i === 0 ? " (step " : ", ");
        make(waits, "button", "link", number).addEventListener("click", () => selectStep(number));
      });
      if (behind.length > 0)
        waits.append(blockedOf(thread.thread).left ? " and others, which are not listed)" : ")");
    }
    for (const held of thread.holds)
      make(card, "p", "holds", `holds ${held.object}` + (held.place ? " since " + source.short(held.place) : ""));
    if (thread.note) make(card, "p", "", thread.note);
  }
  const inputs = defect.inputs === null ? "possible only: no inputs are known that lead there"
    : Object.entries(defect.inputs || {}).map(([name, value]) => `${name} = ${value}`).join(", ");
  id("inputs").textContent = inputs && defect.inputs ? "with inputs " + inputs : inputs;
  id("shortened").textContent = defect.shortened ? shortenedText(defect.shortened) : "";
}

function namesOf(executions, ends) {
  const used = new Set(ends.map(end => end.thread));
  for (const steps of executions) for (const step of steps) used.add(step.thread);
  const known = data.threads.filter(name => used.delete(name));
  return known.concat([...used]);
}

function choose(number) {
  if (number < 0 || number >= defects.length) return;
  const defect = defects[number];
  state.defect = number;
  defects.forEach((_, i) => id("defect-" + i).setAttribute("aria-pressed", String(i === number)));
  const count = defect.count || defect.probes || defect.earlier;
  id("title").textContent = `${defect.kind}${defect.text ? ": " + defect.text : ""} ` +
    `(${count} ${defect.count > 0 ? "execution" : defect.probes > 0 ? "probe" : "earlier execution"}` +
    `${count === 1 ? "" : "s"})`;
  const told = execution(), steps = told ? told.steps : [];
  const rows = rowsOf(steps, told ? told.accesses : null), races = rows.some(row => row.access);
  const ends = races ? [] : defect.threads.map(end => endOf(end, false));
  const deciding = told ? told.deciding : null, better = deciding ? deciding.other : null;
  const names = namesOf(better ? [steps, better.steps] : [steps], defect.threads);
  const decided = deciding && deciding.step ? rowOf(rows, deciding.step) : -1;
  picture.show({rows, from: 0, names, ends, fine: false, decided,
    note: races ? "the execution ends" : ""});
  id("picture-figure").style.flexBasis = picture.natural() + "px";
  id("other-figure").hidden = !better;
  if (better) {
    const from = deciding.step - 1;
    id("other-caption").textContent = `another execution, from step ${from + 1} on: ${better.end}`;
    other.show({rows: rowsOf(better.steps), from, names, decided: from, fine: better.fine,
      ends: better.ends.map(end => endOf(end, true)), note: better.end});
    id("other-figure").style.flexBasis = other.natural() + "px";
    other.select(from);
  }
  picture.render();
  id("decide").hidden = !deciding;
  id("decide").disabled = !better;
  id("decided").textContent = !told ? "no steps are known of it" :
    told.why ? told.why : better ? "" : deciding && deciding.why ? deciding.why : "";
  id("legend-race").hidden = !races;
  cards(defect);
  select(races ? rows.findIndex(row => row.access) : rows.length);
}

/* The row of a step, by its number from 1. */
function rowOf(rows, number) {
  return rows.findIndex(row => row.number === number);
}

/* The end, if there is no such row. */
function selectRow(is) {
  const at = picture.rows.findIndex(is);
  select(at < 0 ? picture.rows.length : at);
}

const selectStep = number => selectRow(row => row.number === number);

function marksOfStep(step) {
  return [{at: step.at || source.locate(step.place), text: `${step.thread}: ${stepText(step)}`}];
}

/* Of an access, the other one is marked too. */
function marksOfRow(row, lanes) {
  const racing = row.access ? lanes.racing.map(i => lanes.rows[i]) : [];
  return [row, ...racing.filter(each => each !== row)].flatMap(each => marksOfStep(each.step));
}

/* What a row is, in words. */
function describe(row, lanes) {
  const detail = id("detail"), {step, number, access, after} = row;
  const place = step.place ? ", " + source.short(step.place) : "";
  detail.replaceChildren();
  make(detail, "b", "", `${number || "⚡"} ${named(step.thread)} `);
  make(detail, "code", "", stepText(step));
  const causes = after.map(i => lanes.rows[i].number || "the access");
  if (!access) {
    detail.append(`${place}; ` + (causes.length > 0 ? "directly after " + causes.join(", ")
      + (step.left ? " and others, which are not listed" : "")
      : "nothing comes before it"));
    return;
  }
  detail.append(place + (causes.length > 0 ? `, after step ${causes[0]}` : ", before any step"));
  for (const i of lanes.racing.filter(each => lanes.rows[each] !== row)) {
    const against = lanes.rows[i].step;
    detail.append("; nothing orders it and the ");
    make(detail, "code", "", against.operation);
    const where = against.place ? ", " + source.short(against.place) : "";
    detail.append(` by ${against.thread}${where}`);
  }
}

function positionText(row, count) {
  if (!row) return `end, after ${count} steps`;
  return row.number ? `step ${row.number} of ${count}` : `access ${row.access} of the race`;
}

function select(at) {
  picture.select(at);
  state.step = picture.selected;
  const row = picture.rows[state.step], count = (execution() || {steps: []}).steps.length;
  id("position").textContent = positionText(row, count);
  if (row) {
    describe(row, picture);
    source.mark(marksOfRow(row, picture));
  } else {
    id("detail").textContent = "How it ends: the lines at which its threads stand are marked.";
    source.mark((defects[state.defect] || {threads: []}).threads.map(thread => ({
      at: source.locate(thread.place),
      text: `${thread.thread} ${thread.state}` + (thread.operation ? " at " + thread.operation : "")})));
  }
  remember();
}

function selectOther(at) {
  other.select(at);
  const row = other.rows[other.selected];
  if (!row) return;
  describe(row, other);
  source.mark(marksOfRow(row, other));
}

function play(on) {
  clearInterval(timer);
  timer = on ? setInterval(() => {
    select(state.step + 1);
    if (state.step >= picture.rows.length) play(false);
  }, 700) : 0;
  id("play").setAttribute("aria-pressed", String(on));
  id("play").textContent = on ? "❚❚ Pause" : "▶ Play";
  if (on && state.step >= picture.rows.length) select(0);
}

function decide() {
  const told = execution();
  if (told && told.deciding && told.deciding.other) {
    selectStep(told.deciding.step);
    other.select(told.deciding.step - 1);
  }
}

function view(name) {
  state.view = name;
  for (const each of ["execution", "unfolding"]) {
    id("view-" + each).hidden = each !== name;
    id("keys-" + each).hidden = each !== name;
    id("tab-" + each).setAttribute("aria-selected", String(each === name));
  }
  if (name === "unfolding" && events) events.render();
  if (name === "execution") picture.render(), other.render();
  remember();
}

/* The address says what is shown, so that it can be gone back to, and sent to others. */
function remember() {
  const words = new URLSearchParams();
  words.set("view", state.view);
  if (state.view === "execution") {
    words.set("defect", state.defect);
    const row = picture.rows[state.step];
    words.set("step", !row ? "end" : row.number || "a" + row.access);
  } else if (events) events.remember(words);
  history.replaceState(null, "", "#" + words);
}

function follow() {
  const words = new URLSearchParams(location.hash.slice(1));
  const defect = Number(words.get("defect")) || 0, step = words.get("step");
  choose(Math.max(0, Math.min(defect, defects.length - 1)));
  if (step === "end") select(picture.rows.length);
  else if (/^a[12]$/.test(step || "")) selectRow(row => "a" + row.access === step);
  else if (step) selectStep(Number(step) || 1);
  if (events) events.follow(words);
  const wanted = words.get("view") || (defects.length === 0 ? "unfolding" : "execution");
  view(events && wanted === "unfolding" ? "unfolding" : "execution");
}

const keys = {
  ArrowDown: () => select(state.step + 1), j: () => select(state.step + 1),
  ArrowUp: () => select(state.step - 1), k: () => select(state.step - 1),
  PageDown: () => select(state.step + 10), PageUp: () => select(state.step - 10),
  Home: () => select(0), End: () => select(picture.rows.length),
  e: () => select(picture.rows.length), d: decide,
  n: () => choose(state.defect + 1), p: () => choose(state.defect - 1),
  " ": () => play(timer === 0),
};

const keysOfEvents = {
  ArrowDown: () => events.move(1), j: () => events.move(1),
  ArrowUp: () => events.move(-1), k: () => events.move(-1),
  Home: () => events.move(-events.drawn.length), End: () => events.move(events.drawn.length),
  h: () => events.narrow(), Escape: () => events.choose(-1),
};

document.addEventListener("keydown", event => {
  const at = event.target, typing = at instanceof HTMLInputElement || at instanceof HTMLSelectElement;
  if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === " " && at instanceof HTMLButtonElement) return;
  if (event.key === "u" && events) {
    view(state.view === "unfolding" ? "execution" : "unfolding");
  } else if (state.view === "execution" && defects.length > 0 && keys[event.key]) {
    keys[event.key]();
    event.preventDefault();
  } else if (state.view === "unfolding" && events && keysOfEvents[event.key]) {
    keysOfEvents[event.key]();
    event.preventDefault();
  }
});

for (const [name, action] of [["first", keys.Home], ["back", keys.ArrowUp], ["play", keys[" "]],
  ["forward", keys.ArrowDown], ["last", keys.End], ["decide", decide],
  ["tab-execution", () => view("execution")], ["tab-unfolding", () => view("unfolding")]])
  id(name).addEventListener("click", action);

headline();
const eventSource = new Source(id("event-source"), id("event-source-name"), data.sources);
if (data.unfolding) events = new Events(data.unfolding, eventSource, remember);
else id("tab-unfolding").hidden = true;
follow();
window.addEventListener("hashchange", follow);
