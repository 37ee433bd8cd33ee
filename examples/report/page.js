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

function headline() {
  const result = data.result, found = defects.length > 0;
  document.title = result.program + " — " + data.tool;
  id("program").textContent = result.program;
  id("verdict").textContent = (found ? "✕ " : result.finished ? "✓ " : "… ") + result.verdict;
  id("verdict").className = found ? "found" : result.finished ? "clean" : "";
  const counts = [["traces", `${result.traces} (${result.complete} complete, ${result.blocked} blocked)`],
    ["deadlocks", result.deadlocks], ["errors", result.errors], ["data races", result.races],
    ["executions", `${result.executions} (${result.redundant} redundant)`], ["events", result.events],
    ["steps", result.steps], ["seconds", result.seconds.toFixed(3)],
    ["algorithm", result.algorithm + (result.k === null ? "" : ", k " + result.k)]];
  for (const [key, value] of counts) {
    const entry = make(id("counts"), "div");
    make(entry, "dt", "", key);
    make(entry, "dd", "", value);
  }
  for (const line of data.unseen) make(id("unseen"), "li", "", "not seen: " + line);
  if (result.uncontrolled) make(id("unseen"), "li", "", result.uncontrolled);
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

/* What a thread of a defect waits for, holds and did, in lines. */
function endOf(thread) {
  const lines = [thread.state + (thread.operation ? " at " + thread.operation : "")];
  if (thread.waits_for)
    lines.push(thread.owner ? `${thread.waits_for} is held by ${thread.owner}`
      : "waits for " + thread.waits_for);
  else if (thread.note) lines.push(thread.note);
  const joined = thread.waits_for ? thread.waits_for.replace(/^thread /, "") : null;
  return {thread: thread.thread, owner: thread.owner || joined, lines};
}

function cards(defect) {
  id("threads").replaceChildren();
  for (const thread of defect.threads) {
    const card = make(id("threads"), "li"), line = make(card, "p");
    make(line, "b", "", thread.thread);
    line.append(" " + thread.state);
    if (thread.operation) {
      line.append(" at ");
      make(line, "code", "", thread.operation);
    }
    if (thread.place) line.append(", " + source.short(thread.place));
    if (thread.waits_for && thread.owner)
      make(card, "p", "waits", `waits for ${thread.waits_for}, which ${thread.owner} has`);
    else if (thread.waits_for) make(card, "p", "waits", "waits for " + thread.waits_for);
    for (const held of thread.holds)
      make(card, "p", "holds", `holds ${held.object}` + (held.place ? " since " + source.short(held.place) : ""));
    if (thread.note) make(card, "p", "", thread.note);
  }
  const inputs = defect.inputs === null ? "possible only: no inputs are known that lead there"
    : Object.entries(defect.inputs || {}).map(([name, value]) => `${name} = ${value}`).join(", ");
  id("inputs").textContent = inputs && defect.inputs ? "with inputs " + inputs : inputs;
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
  cards(defect);
  const told = execution(), steps = told ? told.steps : [], ends = defect.threads.map(endOf);
  const deciding = told ? told.deciding : null, better = deciding ? deciding.other : null;
  const names = namesOf(better ? [steps, better.steps] : [steps], ends);
  picture.show({steps, from: 0, names, ends, fine: false,
    decided: deciding && deciding.step ? deciding.step - 1 : -1});
  id("other-figure").hidden = !better;
  if (better) {
    const from = deciding.step - 1;
    id("other-caption").textContent = `another execution, from step ${from + 1} on: ${better.end}`;
    other.show({steps: better.steps, from, names, decided: from, fine: better.fine,
      ends: better.ends.map(endOf), note: better.end});
  }
  id("decide").hidden = !deciding;
  id("decide").disabled = !better;
  id("decided").textContent = !told ? "no steps are known of it" :
    told.why ? told.why : better ? "" : deciding && deciding.why ? deciding.why : "";
  select(steps.length);
}

function marksOfStep(step) {
  return [{at: step.at || source.locate(step.place), text: `${step.thread}: ${stepText(step)}`}];
}

function describe(step, number) {
  const detail = id("detail");
  detail.replaceChildren();
  make(detail, "b", "", `${number} ${step.thread} `);
  make(detail, "code", "", stepText(step));
  detail.append((step.place ? ", " + source.short(step.place) : "") + "; " +
    (step.after.length > 0 ? "directly after " + step.after.map(i => i + 1).join(", ") : "nothing comes before it"));
}

function select(at) {
  const steps = picture.steps;
  picture.select(at);
  state.step = picture.selected;
  id("position").textContent = state.step < steps.length ? `step ${state.step + 1} of ${steps.length}`
    : `end, after ${steps.length} steps`;
  if (state.step < steps.length) {
    describe(steps[state.step], state.step + 1);
    source.mark(marksOfStep(steps[state.step]));
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
  const step = other.steps[other.selected];
  if (!step) return;
  describe(step, other.selected + 1);
  source.mark(marksOfStep(step));
}

function play(on) {
  clearInterval(timer);
  timer = on ? setInterval(() => {
    select(state.step + 1);
    if (state.step >= picture.steps.length) play(false);
  }, 700) : 0;
  id("play").setAttribute("aria-pressed", String(on));
  id("play").textContent = on ? "❚❚ Pause" : "▶ Play";
  if (on && state.step >= picture.steps.length) select(0);
}

function decide() {
  const told = execution();
  if (told && told.deciding && told.deciding.other) {
    select(told.deciding.step - 1);
    other.select(told.deciding.step - 1);
  }
}

function view(name) {
  state.view = name;
  for (const each of ["execution", "unfolding"]) {
    id("view-" + each).hidden = each !== name;
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
    words.set("step", state.step < picture.steps.length ? state.step + 1 : "end");
  } else if (events) events.remember(words);
  history.replaceState(null, "", "#" + words);
}

function follow() {
  const words = new URLSearchParams(location.hash.slice(1));
  const defect = Number(words.get("defect")) || 0, step = words.get("step");
  choose(Math.max(0, Math.min(defect, defects.length - 1)));
  if (step && step !== "end") select((Number(step) || 1) - 1);
  if (events) events.follow(words);
  view(words.get("view") === "unfolding" ? "unfolding" : "execution");
}

const keys = {
  ArrowDown: () => select(state.step + 1), j: () => select(state.step + 1),
  ArrowUp: () => select(state.step - 1), k: () => select(state.step - 1),
  PageDown: () => select(state.step + 10), PageUp: () => select(state.step - 10),
  Home: () => select(0), End: () => select(picture.steps.length),
  e: () => select(picture.steps.length), d: decide,
  n: () => choose(state.defect + 1), p: () => choose(state.defect - 1),
  " ": () => play(timer === 0),
};

document.addEventListener("keydown", event => {
  const at = event.target, typing = at instanceof HTMLInputElement || at instanceof HTMLSelectElement;
  if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === " " && at instanceof HTMLButtonElement) return;
  if (event.key === "u") {
    view(state.view === "unfolding" ? "execution" : "unfolding");
  } else if (state.view === "execution" && defects.length > 0 && keys[event.key]) {
    keys[event.key]();
    event.preventDefault();
  }
});

for (const [name, action] of [["first", keys.Home], ["back", keys.ArrowUp], ["play", keys[" "]],
  ["forward", keys.ArrowDown], ["last", keys.End], ["decide", decide],
  ["tab-execution", () => view("execution")], ["tab-unfolding", () => view("unfolding")]])
  id(name).addEventListener("click", action);

headline();
if (data.unfolding) events = new Events(data.unfolding, remember);
else id("tab-unfolding").hidden = true;
follow();
window.addEventListener("hashchange", follow);
