/* Source lines, with those marked where threads are. */
class Source {
  constructor(root, caption, sources) {
    Object.assign(this, {root, caption, sources, shown: -1, marked: []});
    root.closest("figure").hidden = sources.every(source => source.lines.length === 0);
  }

  /* The place that a text such as FILE:LINE names: number of the source, and line; or null. */
  locate(place) {
    let best = null;
    this.sources.forEach((source, i) => {
      if (!place || !place.startsWith(source.name + ":")) return;
      const line = /^(\d+)(:\d+)?$/.exec(place.slice(source.name.length + 1));
      if (line && (!best || source.name.length > this.sources[best[0]].name.length))
        best = [i, Number(line[1])];
    });
    return best;
  }

  /* A place without the folders of its source. */
  short(place) {
    const source = this.sources.find(each => place && place.startsWith(each.name + ":"));
    return source ? place.slice(source.name.lastIndexOf("/") + 1) : place;
  }

  open(number) {
    this.root.replaceChildren();
    this.lines = [];
    this.shown = number;
    this.marked = [];
    const source = this.sources[number];
    this.caption.textContent = source ? source.name : "no source lines";
    if (!source) return;
    source.lines.forEach((line, i) => {
      const row = make(this.root, "div");
      make(row, "span", "number", source.first + i);
      make(row, "span", "text", line);
      this.lines.push(row);
    });
  }

  /* marks: {at: [source, line], text}; the first one decides which source is shown. */
  mark(marks) {
    marks = marks.filter(mark => mark.at && this.sources[mark.at[0]]);
    if (marks.length > 0 && (marks[0].at[0] !== this.shown)) this.open(marks[0].at[0]);
    if (this.shown < 0) this.open(this.sources.length > 0 ? 0 : -1);
    for (const row of this.marked) {
      row.classList.remove("at", "other");
      row.querySelectorAll(".remark").forEach(remark => remark.remove());
    }
    this.marked = [];
    let first = null;
    marks.forEach((mark, i) => {
      const source = this.sources[this.shown];
      const row = mark.at[0] === this.shown ? this.lines[mark.at[1] - source.first] : undefined;
      if (!row) return;
      row.classList.add("at");
      if (i > 0 && mark.at[1] !== marks[0].at[1]) row.classList.add("other");
      make(row, "span", "remark", mark.text);
      this.marked.push(row);
      first = first || row;
    });
    if (!first) return;
    const top = first.offsetTop, view = this.root.clientHeight;
    if (top < this.root.scrollTop + 30 || top > this.root.scrollTop + view - 60)
      this.root.scrollTop = Math.max(0, top - view / 3);
  }
}
