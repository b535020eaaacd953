// The page of gang-scheduler. It only asks (docs/reference/api.md has what), and shows. Names, labels
// and messages are other people's: they become text nodes and properties, never markup.
"use strict";

// --- small tools -------------------------------------------------------------------------------

const $ = (id) => document.getElementById(id);

/** An element with properties (and data-*), its children being elements or texts. */
function el(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name === "data") Object.assign(made.dataset, value);
    else if (name === "role" || name.startsWith("aria")) made.setAttribute(name.replace(/[A-Z]/g, (c) => "-" + c.toLowerCase()), value);
    else made[name] = value;
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

const round = (number) => (number >= 100 ? number.toFixed(0) : number.toFixed(1).replace(/\.0$/, ""));

function cpu(milli) {
  return round(milli / 1000) + " cpu";
}

function bytes(amount) {
  let value = amount;
  let unit = 0;
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  while (Math.abs(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    ++unit;
  }
  return round(value) + " " + units[unit];
}

function amounts(resources) {
  const parts = [cpu(resources.cpuMilli), bytes(resources.memoryBytes)];
  for (const [name, amount] of Object.entries(resources.extended || {})) parts.push(amount + " " + name);
  return parts.join(", ");
}

function age(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 120) return seconds + "s";
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return minutes + "m";
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? hours + "h" + (minutes % 60) + "m" : Math.floor(hours / 24) + "d" + (hours % 24) + "h";
}

// --- asking ------------------------------------------------------------------------------------

// The scheduler's clock counts, not the reader's: both may differ.
const clock = { atMs: Date.now(), readMs: performance.now() };
const now = () => clock.atMs + performance.now() - clock.readMs;
const kept = new Map(); // path -> {tag, body}
let lastAnswerMs = performance.now();
let trouble = "";

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

/** JSON of a path below api/v1/. Behind a Service any replica may answer: a standby is asked again. */
async function ask(path) {
  for (let turn = 0; ; ++turn) {
    const before = kept.get(path);
    const answer = await fetch("api/v1/" + path, {
      cache: "no-store",
      credentials: "same-origin",
      headers: before ? { "If-None-Match": before.tag } : {},
    });
    if (answer.status === 304) {
      lastAnswerMs = performance.now();
      return before.body;
    }
    let body = null;
    try {
      body = await answer.json();
    } catch (e) {
      throw new Refused(answer.status, "this is no answer of the scheduler (HTTP " + answer.status + ")");
    }
    if (answer.status === 503 && body.from === "standby" && turn < 5) {
      await pause(150);
      continue;
    }
    if (!answer.ok) throw new Refused(answer.status, body.error || "HTTP " + answer.status);
    lastAnswerMs = performance.now();
    clock.atMs = body.asOfMs;
    clock.readMs = performance.now();
    const tag = answer.headers.get("ETag");
    if (kept.size > 20) kept.clear();
    if (tag) kept.set(path, { tag, body });
    return body;
  }
}

function say(text) {
  trouble = text;
  $("trouble").hidden = text === "";
  setText($("trouble"), text);
}

// --- tables that keep their rows ----------------------------------------------------------------

/** A table whose rows stay the same elements while their content changes: focus is kept. */
class Table {
  constructor(titles, caption) {
    this.rows = new Map();
    this.titles = titles;
    this.body = el("tbody");
    this.element = el("div", { className: "scroll" },
      el("table", { className: "cards", ariaLabel: caption },
        el("thead", {}, el("tr", {}, ...titles.map((title) => el("th", { scope: "col" }, title)))), this.body));
  }

  /** Each item is {key, cells: [{text, className, href, since}]}. */
  show(items) {
    const wanted = new Set(items.map((item) => item.key));
    for (const [key, row] of this.rows) {
      if (!wanted.has(key)) {
        row.remove();
        this.rows.delete(key);
      }
    }
    items.forEach((item, index) => {
      let row = this.rows.get(item.key);
      if (!row) {
        row = el("tr", {}, ...item.cells.map((cell, i) => {
          const td = el("td", { data: { title: this.titles[i] } });
          if (cell.href) td.append(el("a", { className: "row" }));
          return td;
        }));
        this.rows.set(item.key, row);
      }
      item.cells.forEach((cell, i) => {
        const td = row.children[i];
        td.className = cell.className || "";
        const into = td.firstElementChild || td;
        if (cell.href && into.getAttribute("href") !== cell.href) into.href = cell.href;
        if (cell.since) td.dataset.since = cell.since;
        else delete td.dataset.since;
        setText(into, cell.since ? age(now() - cell.since) : cell.text || "");
      });
      const there = this.body.children[index];
      if (there !== row) this.body.insertBefore(row, there || null);
    });
  }
}

const marks = { Waiting: "◷", WaitingForConf: "…", Parked: "✕", Admitted: "◑", Running: "●", Degraded: "▲", Ended: "○" };
const waitingStates = ["Waiting", "WaitingForConf", "Parked"];
const isWaiting = (gang) => waitingStates.includes(gang.state);
const gangLink = (gang) => "#/gang/" + encodeURIComponent(gang.namespace) + "/" + encodeURIComponent(gang.driver);
const gangTitles = ["Gang", "State", "Place", "Since", "Needs", "Has", "Why"];

function stateText(state) {
  return (marks[state] || "") + " " + state;
}

function size(gang) {
  return "1+" + (gang.executors === null ? "?" : gang.executors);
}

function gangRow(gang) {
  return {
    key: gang.driverUid || gang.namespace + "/" + gang.driver,
    cells: [
      { text: gang.namespace + "/" + gang.driver, href: gangLink(gang), className: "name" },
      { text: stateText(gang.state), className: "state " + gang.state },
      { text: gang.position > 0 ? String(gang.position) : "", className: "number" },
      { since: gang.waitingSinceMs, className: "since" },
      { text: size(gang) + " (" + amounts(gang.needs) + ")", className: "number" },
      { text: isWaiting(gang) ? "" : "1+" + gang.slotsBound, className: "number" },
      { text: gang.message + (gang.code ? " [" + gang.code + "]" : ""), className: "words" },
    ],
  };
}

// --- views -------------------------------------------------------------------------------------
// A view has an element, and load(): asks what it shows and shows it.

let summary = null;

function share(part, whole) {
  return whole > 0 ? Math.max(0, Math.min(100, (100 * part) / whole)) : 0;
}

class RoomTile {
  constructor(title, format) {
    this.format = format;
    this.bound = el("i", { className: "bound" });
    this.held = el("i", { className: "held" });
    this.free = el("b", {}, "–");
    this.words = el("small");
    this.element = el("div", { className: "tile wide" }, el("small", {}, title), this.free,
      el("div", { className: "bar", ariaHidden: "true" }, this.bound, this.held), this.words);
  }
  show(room) {
    const f = this.format;
    this.bound.style.width = share(room.bound, room.allocatable) + "%";
    this.held.style.width = share(room.held, room.allocatable) + "%";
    setText(this.free, f(room.free) + " free");
    setText(this.words, f(room.bound) + " bound, " + f(room.held) + " held for gangs, of " + f(room.allocatable));
  }
}

class NumberTile {
  constructor(title, href) {
    this.number = el("b", {}, "–");
    this.words = el("small");
    this.element = el("a", { className: "tile", href }, el("small", {}, title), this.number, this.words);
  }
  show(number, words) {
    setText(this.number, String(number));
    setText(this.words, words || "");
  }
}

class NowView {
  constructor() {
    this.waiting = new NumberTile("Waiting", "#/gangs?state=WaitingForConf,Waiting");
    this.never = new NumberTile("Cannot fit", "#/gangs?state=Parked");
    this.running = new NumberTile("Running", "#/gangs?state=Running,Admitted,Degraded");
    this.nodes = new NumberTile("Nodes", "#/nodes");
    this.cpu = new RoomTile("CPU", cpu);
    this.memory = new RoomTile("Memory", bytes);
    this.line = new Table(gangTitles, "Gangs that wait");
    this.stuck = new Table(gangTitles, "Gangs that cannot fit");
    this.others = new Table(gangTitles, "Gangs that run");
    this.lineTitle = el("h2", {}, "Line");
    this.stuckTitle = el("h2", { hidden: true });
    this.othersTitle = el("h2", {}, "Running");
    this.element = el("div", {},
      el("div", { className: "tiles" }, ...[this.waiting, this.never, this.running, this.nodes, this.cpu, this.memory].map((tile) => tile.element)),
      this.lineTitle, this.line.element, this.stuckTitle, this.stuck.element, this.othersTitle, this.others.element);
    this.showSummary();
  }

  showSummary() {
    if (!summary) return;
    const states = summary.gangs;
    const oldest = summary.oldestWaitingSinceMs;
    this.waiting.show(summary.waiting, oldest ? "the oldest for " + age(now() - oldest) : "");
    this.never.show(states.Parked, states.Parked ? "even if nothing else ran" : "");
    this.running.show(states.Running + states.Admitted + states.Degraded, states.Degraded ? states.Degraded + " degraded" : "");
    this.nodes.show(summary.nodes, "");
    this.cpu.show(summary.room.cpuMilli);
    this.memory.show(summary.room.memoryBytes);
  }

  async load() {
    const line = await ask("gangs?limit=50&state=WaitingForConf,Waiting");
    const stuck = await ask("gangs?limit=50&state=Parked");
    const others = await ask("gangs?limit=50&state=Running,Admitted,Degraded");
    this.showSummary();
    this.line.show(line.gangs.map(gangRow));
    this.stuck.show(stuck.gangs.map(gangRow));
    this.stuckTitle.hidden = this.stuck.element.hidden = stuck.total === 0;
    setText(this.stuckTitle, "Cannot fit as things are: " + counted(stuck, "gang"));
    this.line.element.hidden = line.total === 0;
    this.others.element.hidden = others.total === 0;
    this.others.show(others.gangs.map(gangRow));
    setText(this.lineTitle, line.total ? "Line: " + counted(line, "gang") : "No application waits.");
    setText(this.othersTitle, others.total ? "Running: " + counted(others, "gang") : "No gang runs. An application comes here with spark.kubernetes.scheduler.name=" + ((summary && summary.schedulerNames[0]) || "gang-scheduler") + ".");
  }
}

function counted(list, what) {
  const shown = list.gangs ? list.gangs.length : list.nodes.length;
  const all = list.total + " " + what + (list.total === 1 ? "" : "s");
  return shown < list.total ? "the first " + shown + " of " + all : all;
}

class GangsView {
  constructor(parameters) {
    this.limit = 200;
    this.filter = el("input", { type: "search", id: "filter", placeholder: "name, code or words  ( / )", ariaLabel: "Filter", value: parameters.get("q") || "" });
    this.state = el("select", { ariaLabel: "State" }, el("option", { value: "" }, "every state"),
      el("option", { value: waitingStates.join(",") }, "waiting"), el("option", { value: "Running,Admitted,Degraded" }, "running"),
      ...Object.keys(marks).map((state) => el("option", { value: state }, stateText(state))));
    this.state.value = parameters.get("state") || "";
    this.namespace = el("input", { type: "search", placeholder: "namespace", ariaLabel: "Namespace", value: parameters.get("namespace") || "" });
    this.count = el("p", { className: "quiet", role: "status" });
    this.table = new Table(gangTitles, "Gangs");
    this.more = el("button", { type: "button", hidden: true }, "Show more");
    this.element = el("div", {}, el("div", { className: "controls" }, this.filter, this.state, this.namespace), this.count, this.table.element, this.more);
    const changed = debounce(() => {
      this.limit = 200;
      history.replaceState(null, "", "#/gangs" + this.query(""));
      refresh();
    }, 150);
    for (const control of [this.filter, this.state, this.namespace]) control.addEventListener("input", changed);
    this.more.addEventListener("click", () => {
      this.limit = Math.min(10000, this.limit + 800);
      refresh();
    });
  }

  query(first) {
    const parameters = new URLSearchParams(first);
    if (this.filter.value) parameters.set("q", this.filter.value);
    if (this.state.value) parameters.set("state", this.state.value);
    if (this.namespace.value) parameters.set("namespace", this.namespace.value);
    const text = parameters.toString().replaceAll("+", "%20");
    return text ? "?" + text : "";
  }

  async load() {
    const list = await ask("gangs" + this.query("limit=" + this.limit));
    this.table.show(list.gangs.map(gangRow));
    this.more.hidden = list.gangs.length >= list.total || this.limit >= 10000;
    setText(this.count, list.total ? counted(list, "gang") : "No gang is like that.");
  }
}

const steps = [["sizedMs", "size known"], ["admittedMs", "all slots reserved"], ["driverBoundMs", "driver bound"],
  ["firstExecutorBoundMs", "first executor"], ["allExecutorsBoundMs", "all executors"], ["endedMs", "ended"]];

class GangView {
  constructor(namespace, name) {
    this.path = "gangs/" + encodeURIComponent(namespace) + "/" + encodeURIComponent(name);
    this.title = el("h2", {}, namespace + "/" + name);
    this.content = el("div");
    this.element = el("div", {}, this.title, this.content);
  }

  async load() {
    const answer = await ask(this.path);
    const gang = answer.gang;
    const facts = [["State", stateText(gang.state) + (gang.code ? ", " + gang.code : "")], ["Application", gang.application], ["Its name", gang.applicationName],
      ["Place in line", gang.position > 0 ? String(gang.position) : ""], ["Needs", size(gang) + ": " + amounts(gang.needs)],
      ["Driver", amounts(gang.driverRequests)], ["Each executor", gang.executors ? amounts(gang.executorRequests) : ""]];
    this.content.replaceChildren(
      el("pre", { tabIndex: 0, ariaLabel: "Why" }, answer.text),
      el("dl", { className: "facts" }, ...facts.filter(([, text]) => text).flatMap(([title, text]) => [el("dt", {}, title), el("dd", {}, text)])),
      el("h2", {}, "Steps"), this.stepList(gang), ...this.slots(gang));
  }

  stepList(gang) {
    const created = gang.waitingSinceMs;
    const items = [el("li", { className: "done", title: new Date(created).toISOString() }, "created " + age(now() - created) + " ago")];
    for (const [key, title] of steps) {
      const at = gang.milestones[key];
      if (!at && key === "endedMs") continue;
      items.push(at ? el("li", { className: "done", title: new Date(at).toISOString() }, title + " after " + age(at - created)) : el("li", {}, title));
    }
    return el("ol", { className: "steps" }, ...items);
  }

  slots(gang) {
    if (isWaiting(gang) || !gang.executors) return [];
    const rows = Object.entries(gang.slotsPerNode).flatMap(([node, count]) => [
      el("a", { href: "#/node/" + encodeURIComponent(node) }, node),
      el("div", { className: "cells", role: "img", ariaLabel: count + " slots" }, ...Array.from({ length: Math.min(count, 500) }, () => el("i", { className: "cell bound" })), " " + count)]);
    const whole = share(gang.slotsBound, gang.executors);
    return [el("h2", {}, "Slots"),
      el("p", {}, gang.executors + " reserved: " + gang.slotsBound + " bound, " + gang.slotsClaimed + " on their way, " + gang.slotsOpen + " open"),
      el("div", { className: "bar", ariaHidden: "true" }, width(el("i", { className: "bound" }), whole), width(el("i", { className: "held" }), 100 - whole)),
      el("div", { className: "slots" }, ...rows)];
  }
}

function width(element, percent) {
  element.style.width = percent + "%";
  return element;
}

const measures = {
  cpu: { title: "CPU", of: (amount) => amount.cpuMilli, text: cpu },
  memory: { title: "memory", of: (amount) => amount.memoryBytes, text: bytes },
  pods: { title: "pods", of: (amount) => amount.pods, text: (n) => n + " pods" },
};

function nodeWords(node) {
  const parts = Object.values(measures).map((m) => m.title + ": " + m.text(m.of(node.free)) + " free, " + m.text(m.of(node.bound)) + " bound, " + m.text(m.of(node.held)) + " held, of " + m.text(m.of(node.allocatable)));
  return node.name + (node.present ? "" : " (not there any more)") + " · " + parts.join(" · ");
}

class NodesView {
  constructor(parameters) {
    this.nodes = [];
    this.at = 0;
    this.filter = el("input", { type: "search", id: "filter", placeholder: "node  ( / )", ariaLabel: "Filter", value: parameters.get("q") || "" });
    this.measure = el("select", { ariaLabel: "What the map shows" }, ...Object.entries(measures).map(([key, m]) => el("option", { value: key }, m.title)));
    this.count = el("p", { className: "quiet", role: "status" });
    this.canvas = el("canvas", { tabIndex: 0, role: "application", ariaLabel: "Map of the nodes: arrows go from node to node, Enter opens one" });
    this.words = el("p", { role: "status" });
    this.element = el("div", {}, el("div", { className: "controls" }, this.filter, this.measure), this.count,
      el("p", { className: "legend" }, el("span", {}, el("i", { className: "cell bound" }), "bound"), el("span", {}, el("i", { className: "cell held" }), "held for gangs"), el("span", {}, el("i", { className: "cell free" }), "free")),
      this.canvas, this.words);
    this.filter.addEventListener("input", debounce(() => {
      history.replaceState(null, "", "#/nodes" + (this.filter.value ? "?q=" + encodeURIComponent(this.filter.value) : ""));
      refresh();
    }, 150));
    this.measure.addEventListener("change", () => this.draw());
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
    this.canvas.addEventListener("pointermove", (event) => this.onPointer(event));
    this.canvas.addEventListener("click", (event) => {
      if (this.onPointer(event)) this.open();
    });
  }

  async load() {
    const list = await ask("nodes" + (this.filter.value ? "?q=" + encodeURIComponent(this.filter.value) : ""));
    this.nodes = list.nodes;
    this.at = Math.min(this.at, Math.max(0, this.nodes.length - 1));
    setText(this.count, list.total ? counted(list, "node") : "No node is like that.");
    this.draw();
  }

  draw() {
    const wide = this.canvas.clientWidth || 300;
    const count = Math.max(1, this.nodes.length);
    this.cell = Math.max(10, Math.min(44, Math.floor(Math.sqrt((wide * 420) / count))));
    this.columns = Math.max(1, Math.floor(wide / this.cell));
    const rows = Math.ceil(count / this.columns);
    const scale = window.devicePixelRatio || 1;
    const high = rows * this.cell + 1;
    this.canvas.width = wide * scale;
    this.canvas.height = high * scale;
    this.canvas.style.height = high + "px";
    const paint = this.canvas.getContext("2d");
    paint.scale(scale, scale);
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue("--" + name).trim();
    const colors = { bound: color("bound"), held: color("held"), free: color("free"), bad: color("bad"), ink: color("ink") };
    const measure = measures[this.measure.value];
    this.nodes.forEach((node, index) => this.drawNode(paint, node, index, measure, colors));
    setText(this.words, this.nodes.length ? nodeWords(this.nodes[this.at]) : "");
  }

  drawNode(paint, node, index, measure, colors) {
    const x = (index % this.columns) * this.cell;
    const y = Math.floor(index / this.columns) * this.cell;
    const inner = this.cell - 2;
    const whole = measure.of(node.allocatable);
    const bound = (inner * share(measure.of(node.bound), whole)) / 100;
    const held = Math.min(inner - bound, (inner * share(measure.of(node.held), whole)) / 100);
    paint.fillStyle = colors.free;
    paint.fillRect(x + 1, y + 1, inner, inner);
    paint.fillStyle = colors.bound;
    paint.fillRect(x + 1, y + 1 + inner - bound, inner, bound);
    paint.fillStyle = colors.held;
    for (let line = 0; line < held; line += 3) paint.fillRect(x + 1, y + 1 + inner - bound - held + line, inner, Math.min(2, held - line));
    if (!node.present || !node.addsUp) {
      paint.strokeStyle = colors.bad;
      paint.lineWidth = 2;
      paint.strokeRect(x + 2, y + 2, inner - 2, inner - 2);
    }
    if (index === this.at) {
      paint.strokeStyle = colors.ink;
      paint.lineWidth = 2;
      paint.strokeRect(x + 1, y + 1, inner, inner);
    }
  }

  onPointer(event) {
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / this.cell);
    const index = Math.floor((event.clientY - box.top) / this.cell) * this.columns + column;
    if (column >= this.columns || index < 0 || index >= this.nodes.length) return false;
    if (index !== this.at) {
      this.at = index;
      this.draw();
    }
    return true;
  }

  onKey(event) {
    const moves = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.columns, ArrowDown: this.columns };
    if (event.key === "Enter" && this.nodes.length) {
      this.open();
    } else if (moves[event.key]) {
      event.preventDefault();
      this.at = Math.max(0, Math.min(this.nodes.length - 1, this.at + moves[event.key]));
      this.draw();
    }
  }

  open() {
    location.hash = "#/node/" + encodeURIComponent(this.nodes[this.at].name);
  }
}

class NodeView {
  constructor(name) {
    this.path = "nodes/" + encodeURIComponent(name);
    this.facts = el("dl", { className: "facts" });
    this.heldTitle = el("h2");
    this.held = new Table(["Gang", "Slot", "State", "Since", "Size"], "Held here");
    this.element = el("div", {}, el("h2", {}, name), this.facts, this.heldTitle, this.held.element);
  }

  async load() {
    const { node } = await ask(this.path);
    const rows = Object.values(measures).map((m) => [m.title, m.text(m.of(node.free)) + " free; " + m.text(m.of(node.bound)) + " bound, " + m.text(m.of(node.held)) + " held for gangs, of " + m.text(m.of(node.allocatable))]);
    if (!node.present) rows.unshift(["Node", "is not there any more, and something still stands on it"]);
    if (!node.addsUp) rows.unshift(["Ledger", "does not add up: gang-scheduler ledger has the details"]);
    this.facts.replaceChildren(...rows.flatMap(([title, text]) => [el("dt", {}, title), el("dd", {}, text)]));
    setText(this.heldTitle, node.units.length ? "Held for executors to come" : "Nothing is held here for executors to come.");
    this.held.show(node.units.map((unit, index) => {
      const [namespace, driver] = unit.gang.split("/");
      return { key: unit.driverUid + "/" + unit.slot + "/" + index, cells: [
        { text: unit.gang, href: gangLink({ namespace, driver: driver || "" }) }, { text: unit.slot < 0 ? "" : String(unit.slot), className: "number" },
        { text: unit.state }, { since: unit.sinceMs, className: "since" }, { text: amounts(unit.requests) }] };
    }));
  }
}

/** Amounts by name, "cpuMilli" being thousandths of a core. */
function named(amounts) {
  return Object.entries(amounts).map(([name, amount]) => {
    if (name === "cpuMilli") return cpu(amount);
    return name.includes("/") ? amount + " " + name : bytes(amount) + " " + name;
  }).join(", ");
}

class QueuesView {
  constructor() {
    this.about = el("p", { className: "quiet" });
    this.list = el("div", { className: "queues", role: "list", ariaLabel: "Queues" });
    this.element = el("div", {}, el("h2", {}, "Queues"), this.about, this.list);
  }

  /** How much of its limit, or else of what its guarantee is, a queue uses: of the resource where that is most. */
  bar(queue) {
    const of = Object.keys(queue.limit).length ? queue.limit : queue.guarantee;
    let most = 0;
    let name = "";
    for (const [key, bound] of Object.entries(of)) {
      const part = share(queue.usage[key] || 0, bound);
      if (part >= most && bound > 0) [most, name] = [part, key];
    }
    if (!name) return el("p", { className: "quiet" }, "no limit, no guarantee");
    const bar = el("div", { className: "bar", ariaHidden: "true" }, el("i", { className: "bound" }));
    bar.firstChild.style.width = most + "%";
    return el("div", {}, bar, el("small", { className: "quiet" }, round(most) + " % of its " + (of === queue.limit ? "limit" : "guarantee") + " (" + name.replace("cpuMilli", "cpu") + ")"));
  }

  async load() {
    const answer = await ask("queues");
    const text = JSON.stringify(answer.queues);
    if (text === this.shown) return;
    this.shown = text;
    const focused = document.activeElement.href;
    const only = answer.queues.length === 1 && !answer.queues[0].parent;
    setText(this.about, only ? "No queues are configured: everybody is in one." : "Who is furthest below their share is next.");
    this.list.replaceChildren(...answer.queues.map((queue) => {
      const facts = [["Uses", named(queue.usage) || "nothing"], ["Guarantee", named(queue.guarantee)], ["Limit", named(queue.limit)],
        ["Gangs", queue.running + " run" + (queue.maxGangs === null ? "" : " of at most " + queue.maxGangs) + ", " + queue.waiting + " wait"]].filter((fact) => fact[1]);
      const [namespace, driver] = (queue.head || "").split("/");
      const next = queue.head ? [el("dt", {}, "First"), el("dd", {}, el("a", { className: "row", href: gangLink({ namespace, driver: driver || "" }) }, queue.head))] : [];
      const card = el("section", { role: "listitem", className: "queue" },
        el("h3", {}, queue.name, el("small", { className: "quiet" }, "  weight " + queue.weight + " · share " + round(queue.shareMillionths / 10000) + " %" + (queue.belowGuarantee ? " · below its guarantee" : "") + (queue.state === "stopped" ? " · stopped: nobody is let in" : ""))),
        this.bar(queue), el("dl", { className: "facts" }, ...facts.flatMap(([title, text]) => [el("dt", {}, title), el("dd", {}, text)]), ...next));
      card.style.marginInlineStart = Math.min(4, queue.parent ? queue.parent.split(".").length : 0) * 1.2 + "rem";
      return card;
    }));
    if (focused) [...this.list.querySelectorAll("a")].find((link) => link.href === focused)?.focus();
  }
}

const wishes = [["executors", "Executors", "4"], ["executorCpu", "CPU of each", "1"], ["executorMemory", "Memory of each", "1408Mi"],
  ["driverCpu", "CPU of the driver", "1"], ["driverMemory", "Memory of the driver", "1408Mi"],
  ["nodeSelector", "Node selector", "", "pool=batch"], ["tolerations", "Tolerations", "", "dedicated=spark"]];

class WhatIfView {
  constructor(parameters) {
    this.asked = parameters.size > 0;
    this.nextMs = 0;
    this.inputs = wishes.map(([name, title, value, example], index) =>
      el("input", { id: index === 0 ? "filter" : "what-" + name, name, value: parameters.get(name) ?? value, placeholder: example || "", autocomplete: "off" }));
    this.answer = el("div", { role: "status" });
    const form = el("form", { className: "wishes" }, ...wishes.map(([, title], index) => el("label", {}, title, this.inputs[index])),
      el("button", { type: "submit" }, "Would it fit?"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.asked = true;
      this.nextMs = 0;
      history.replaceState(null, "", "#/whatif?" + this.query());
      refresh();
    });
    this.element = el("div", {}, el("h2", {}, "Would a gang of this size fit?"), form, this.answer,
      el("p", { className: "quiet" }, "Nothing is reserved. Room alone is looked at: no quota, no rule between pods, and gangs in line come first. Memory is what the pod asks, overhead included: gang-scheduler size adds it up."));
  }

  query() {
    const parameters = new URLSearchParams();
    for (const input of this.inputs) if (input.value.trim()) parameters.set(input.name, input.value.trim());
    return parameters.toString().replaceAll("+", "%20");
  }

  async load() {
    if (!this.asked || performance.now() < this.nextMs) return;
    this.nextMs = performance.now() + 5000;
    let answer;
    try {
      answer = await ask("whatif?" + this.query());
    } catch (error) {
      const isBusy = error.status === 503 && error.message.startsWith("asked too often");
      this.answer.replaceChildren(el("p", {}, isBusy ? "The scheduler answers in a moment." : error.message));
      if (!isBusy) throw error;
      this.nextMs = 0;
      setTimeout(refresh, 1000);
      return;
    }
    const now = answer.fitsNow ? "Yes, there is room for it now." : answer.fitsEmpty ? "Not now." : "Never, as the nodes are.";
    const line = answer.waiting ? (answer.waiting === 1 ? "1 gang is" : answer.waiting + " gangs are") + " in line before it." : "";
    const why = answer.fitsNow ? "" : answer.fitsEmpty ? answer.now : "Even if nothing ran: " + answer.empty;
    const smaller = !answer.fitsNow && answer.executorsFitNow > 0 ? answer.executorsFitNow + (answer.executorsFitNow === 1 ? " executor" : " executors") + " beside the driver would fit now." : "";
    const where = answer.fitsNow ? [el("h3", {}, "Where"), el("div", { className: "slots" },
      ...[[answer.driverNode, "driver"], ...answer.executorsPerNode.map((entry) => [entry.node, entry.executors + (entry.executors === 1 ? " executor" : " executors")])].flatMap(([node, text]) =>
        [el("a", { className: "row", href: "#/node/" + encodeURIComponent(node) }, node), el("span", {}, text)]))] : [];
    this.answer.replaceChildren(el("p", { className: "verdict " + (answer.fitsNow ? "good" : "bad") }, (answer.fitsNow ? "● " : answer.fitsEmpty ? "◷ " : "✕ ") + now),
      ...[line, why, smaller].filter(Boolean).map((text) => el("p", {}, text)), ...where);
  }
}

class ConfigView {
  constructor() {
    this.about = el("p", { className: "quiet" });
    this.text = el("pre", { tabIndex: 0, ariaLabel: "Configuration" });
    this.element = el("div", {}, el("h2", {}, "Configuration in effect"), this.about, this.text);
  }
  async load() {
    const answer = await ask("config");
    setText(this.about, summary ? "gang-scheduler " + summary.version + ", cluster " + summary.server : "");
    setText(this.text, lines(answer.config, ""));
  }
}

// --- history -----------------------------------------------------------------------------------

const svg = (tag, attributes, ...children) => {
  const made = document.createElementNS($("picture").namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

/** Lines over time, the first series filled; a table of the last values says the same in words. */
class Chart {
  constructor(title, format, series) {
    this.format = format;
    this.series = series; // {name, of: (point) => number, className}
    this.words = el("p", { className: "quiet" });
    this.plot = svg("svg", { viewBox: "0 0 600 120", preserveAspectRatio: "none", role: "img" });
    this.most = el("small", { className: "quiet" });
    this.element = el("section", { className: "chart" }, el("h3", {}, title), this.most, this.plot,
      el("p", { className: "legend" }, ...series.map((one) => el("span", {}, el("i", { className: "cell " + one.className }), one.name))), this.words);
  }

  show(points, begin, end) {
    const most = Math.max(1, ...points.flatMap((point) => this.series.map((one) => one.of(point))));
    // One point alone would be no line.
    if (points.length === 1) points = [{ ...points[0], atMs: points[0].atMs - 20000 }, points[0]];
    const x = (point) => ((600 * (point.atMs - begin)) / Math.max(1, end - begin)).toFixed(1);
    const y = (value) => (118 - (114 * value) / most).toFixed(1);
    this.plot.replaceChildren(...this.series.map((one) =>
      svg("polyline", { class: "line " + one.className, points: points.map((point) => x(point) + "," + y(one.of(point))).join(" ") })));
    const last = points[points.length - 1];
    const text = this.series.map((one) => one.name + " " + this.format(one.of(last))).join(", ");
    this.plot.setAttribute("aria-label", text);
    setText(this.words, "now: " + text);
    setText(this.most, "at most " + this.format(most));
  }
}

class HistoryView {
  constructor() {
    this.about = el("p", { className: "quiet" });
    this.nextMs = 0;
    this.charts = [
      new Chart("Gangs", (n) => String(n), [
        { name: "waiting", of: (p) => p.waiting, className: "held" },
        { name: "running", of: (p) => p.running + p.degraded, className: "bound" },
        { name: "cannot fit", of: (p) => p.neverFit, className: "bad" }]),
      new Chart("The oldest that waits", age, [{ name: "has waited", of: (p) => p.oldestWaitingMs, className: "held" }]),
      new Chart("CPU", cpu, [
        { name: "there", of: (p) => p.cpuMilliAllocatable, className: "free" },
        { name: "bound and held", of: (p) => p.cpuMilliBound + p.cpuMilliHeld, className: "held" },
        { name: "bound", of: (p) => p.cpuMilliBound, className: "bound" }]),
      new Chart("Memory", bytes, [
        { name: "there", of: (p) => p.memoryBytesAllocatable, className: "free" },
        { name: "bound and held", of: (p) => p.memoryBytesBound + p.memoryBytesHeld, className: "held" },
        { name: "bound", of: (p) => p.memoryBytesBound, className: "bound" }]),
      new Chart("Reserved slots without an executor", (n) => String(n), [{ name: "open", of: (p) => p.slotsOpen, className: "held" }]),
    ];
    this.element = el("div", {}, el("h2", {}, "The last six hours"), this.about, ...this.charts.map((chart) => chart.element));
  }

  async load() {
    if (performance.now() < this.nextMs) return;
    const answer = await ask("history");
    this.nextMs = performance.now() + 5000;
    const points = answer.points.map((values) => Object.fromEntries(answer.columns.map((name, i) => [name, values[i]])));
    if (!points.length) return;
    const end = points[points.length - 1].atMs;
    const begin = Math.min(points[0].atMs, end - 10 * 60000);
    setText(this.about, points.length < 3 ? "One point a minute, since this replica leads: it has just begun." :
      "One point a minute, since " + new Date(points[0].atMs).toLocaleTimeString() + ".");
    for (const chart of this.charts) chart.show(points, begin, end);
  }
}

// --- compare -----------------------------------------------------------------------------------

/** When each gang of a recording (docs/manage/recording.md) was seen first and when it was admitted, by its name. */
function gangsOf(text) {
  const gangs = new Map();
  const names = new Map(); // uid -> name
  let atMs = 0;
  let isRecording = false;
  for (const line of text.split("\n")) {
    let entry;
    try {
      entry = JSON.parse(line);
    } catch (e) {
      continue; // the last line of a process that was killed
    }
    isRecording = isRecording || "recording" in entry;
    atMs = entry.ms || atMs;
    const pod = entry.event && entry.event.pod && entry.event.pod.pod;
    if (pod && !names.has(pod.uid)) {
      names.set(pod.uid, pod.namespace + "/" + pod.name);
      const isDriver = (pod.labels || []).some(([key, value]) => key === "spark-role" && value === "driver");
      if (isDriver) gangs.set(names.get(pod.uid), { seenMs: atMs, admittedMs: pod.node ? atMs : 0 });
    }
    for (const decision of entry.decisions || []) {
      if (!decision.bind || !decision.bind.startsGang) continue;
      const name = decision.bind.pod.namespace + "/" + decision.bind.pod.name;
      const gang = gangs.get(name) || { seenMs: decision.bind.pendingSince || atMs, admittedMs: 0 };
      gangs.set(name, gang);
      gang.admittedMs = gang.admittedMs || atMs;
    }
  }
  return isRecording ? { gangs, endMs: atMs } : null;
}

const waitOf = (gang, run) => (gang ? (gang.admittedMs || run.endMs) - gang.seenMs : null);

function figuresOf(run) {
  const waits = [...run.gangs.values()].filter((gang) => gang.admittedMs).map((gang) => waitOf(gang, run)).sort((a, b) => a - b);
  const at = (part) => (waits.length ? age(waits[Math.min(waits.length - 1, Math.floor(part * waits.length))]) : "–");
  return [["gangs", String(run.gangs.size)], ["admitted", String(waits.length)], ["mean wait", waits.length ? age(waits.reduce((a, b) => a + b, 0) / waits.length) : "–"],
    ["half waited at most", at(0.5)], ["95 of 100 waited at most", at(0.95)], ["the longest", at(1)]];
}

class CompareView {
  constructor() {
    this.runs = [null, null];
    this.answer = el("div", { role: "status" });
    const inputs = ["One recording", "The other one"].map((title, index) => {
      const input = el("input", { type: "file", id: index === 0 ? "filter" : "other", accept: ".jsonl" });
      input.addEventListener("change", () => this.read(index, input.files[0]));
      return el("label", {}, title, input);
    });
    this.element = el("div", {}, el("h2", {}, "Compare two recordings"), el("div", { className: "wishes" }, ...inputs), this.answer,
      el("p", { className: "quiet" }, "Files of gang-scheduler run --record. They are read in this browser and sent nowhere. Gangs of one name are one gang; who was not admitted has waited until the end of the recording."));
  }

  async load() {}

  async read(index, file) {
    if (!file) return;
    const run = file.size > 300e6 ? null : gangsOf(await file.text());
    this.runs[index] = run;
    if (!run) this.answer.replaceChildren(el("p", { className: "verdict bad" }, "✕ " + file.name + (file.size > 300e6 ? " is too large: 300 MB at most." : " is no recording.")));
    else this.show();
  }

  show() {
    const [one, other] = this.runs;
    if (!one && !other) return;
    const figures = new Table(["", "One", "The other"], "Waits");
    const columns = [one, other].map((run) => (run ? figuresOf(run) : null));
    const titles = columns[0] || columns[1];
    figures.show(titles.map(([title], i) => ({ key: title, cells: [{ text: title }, ...columns.map((column) => ({ text: column ? column[i][1] : "", className: "number" }))] })));
    const names = new Set([...(one ? one.gangs.keys() : []), ...(other ? other.gangs.keys() : [])]);
    const rows = [...names].map((name) => {
      const waits = [waitOf(one && one.gangs.get(name), one), waitOf(other && other.gangs.get(name), other)];
      return { name, waits, apart: waits[0] === null || waits[1] === null ? 0 : waits[1] - waits[0] };
    }).sort((a, b) => Math.abs(b.apart) - Math.abs(a.apart) || (a.name < b.name ? -1 : 1));
    const gangs = new Table(["Gang", "One waited", "The other", "Apart"], "Gang by gang");
    gangs.show(rows.slice(0, 500).map((row) => ({ key: row.name, cells: [{ text: row.name, className: "name" },
      ...row.waits.map((wait) => ({ text: wait === null ? "not there" : age(wait), className: "number" })),
      { text: row.apart === 0 ? "" : (row.apart > 0 ? "+" : "−") + age(Math.abs(row.apart)), className: "number" }] })));
    this.answer.replaceChildren(figures.element, el("h3", {}, "Gang by gang, those furthest apart first" + (rows.length > 500 ? ": 500 of " + rows.length : "")), gangs.element);
  }
}

/** Nested values as the configuration file has them. */
function lines(value, indent) {
  return Object.entries(value).map(([key, inner]) => {
    if (Array.isArray(inner) && inner.some((item) => typeof item === "object")) return indent + key + ":\n" + inner.map((item) => lines(item, indent + "    ").replace(indent + "    ", indent + "  - ")).join("");
    if (inner !== null && typeof inner === "object" && !Array.isArray(inner)) return indent + key + ":\n" + lines(inner, indent + "  ");
    return indent + key + ": " + (Array.isArray(inner) ? "[" + inner.join(", ") + "]" : inner === "" ? '""' : String(inner)) + "\n";
  }).join("");
}

// --- which view, and when it asks ----------------------------------------------------------------

let view = null;
let isLoading = false;
let isStale = false;
let firstTurn = true;

function debounce(action, ms) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, ms);
  };
}

function route() {
  const [path, query] = (location.hash.slice(1) || "/").split("?");
  const parameters = new URLSearchParams(query || "");
  let parts;
  try {
    parts = path.split("/").slice(1).map(decodeURIComponent);
  } catch (e) {
    parts = [""];
  }
  const name = parts[0];
  if (name === "gangs") view = new GangsView(parameters);
  else if (name === "gang" && parts.length === 3) view = new GangView(parts[1], parts[2]);
  else if (name === "nodes") view = new NodesView(parameters);
  else if (name === "node" && parts.length === 2) view = new NodeView(parts[1]);
  else if (name === "queues") view = new QueuesView();
  else if (name === "whatif") view = new WhatIfView(parameters);
  else if (name === "history") view = new HistoryView();
  else if (name === "compare") view = new CompareView();
  else if (name === "config") view = new ConfigView();
  else view = new NowView();
  const section = { gang: "gangs", node: "nodes", gangs: "gangs", nodes: "nodes", queues: "queues", whatif: "whatif", history: "history", compare: "compare", config: "config" }[name] || "now";
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === section) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  $("main").replaceChildren(view.element);
  if (!firstTurn) $("main").focus();
  firstTurn = false;
  refresh();
}

/** Asks once at a time; what changed meanwhile is asked afterwards, and not at once on a slow line. */
async function refresh() {
  isStale = true;
  if (isLoading) return;
  isLoading = true;
  while (isStale) {
    isStale = false;
    const shown = view;
    const began = performance.now();
    try {
      if (!summary) takeSummary(await ask("summary"));
      await shown.load();
      if (shown === view) say("");
    } catch (error) {
      if (shown === view) say(problem(error));
    }
    if (shown === view && isStale) await pause(Math.min(5000, Math.max(300, 5 * (performance.now() - began))));
  }
  isLoading = false;
}

function problem(error) {
  if (error instanceof Refused) return error.message;
  return "The scheduler does not answer; trying again. What is shown may be old.";
}

function takeSummary(body) {
  summary = body;
  clock.atMs = body.asOfMs;
  clock.readMs = performance.now();
  lastAnswerMs = performance.now();
  if (view instanceof NowView) view.showSummary();
  status();
}

function status() {
  if (!summary) return;
  const seen = Math.floor((performance.now() - lastAnswerMs) / 1000);
  const leader = summary.leader ? "led by " + summary.leader : "";
  setText($("status"), [summary.version, leader, summary.synced ? "" : "not all pods and nodes listed yet", trouble !== "" || seen > 10 ? "seen " + age(seen * 1000) + " ago" : "live"].filter(Boolean).join(" · "));
}

// Server-sent events say that something has changed. Without them (a proxy that knows none, all
// places of viewers taken) it is asked every three seconds.
let stream = null;
let pollAt = 0;

function watch() {
  if (typeof EventSource === "undefined") return;
  stream = new EventSource("api/v1/events");
  stream.addEventListener("summary", (event) => {
    pollAt = performance.now() + 15000;
    takeSummary(JSON.parse(event.data));
    refresh();
  });
  stream.addEventListener("error", () => {
    pollAt = 0;
    if (stream.readyState === EventSource.CLOSED) setTimeout(watch, 2000);
  });
}

setInterval(async () => {
  for (const cell of document.querySelectorAll("[data-since]")) setText(cell, age(now() - Number(cell.dataset.since)));
  status();
  const isLive = stream && stream.readyState === EventSource.OPEN;
  if (document.hidden || (isLive && trouble === "") || performance.now() < pollAt) return;
  pollAt = performance.now() + 3000;
  try {
    takeSummary(await ask("summary"));
    refresh();
  } catch (error) {
    say(problem(error));
  }
}, 1000);

// --- keys ----------------------------------------------------------------------------------------

function step(by) {
  const rows = [...document.querySelectorAll("a.row")];
  if (!rows.length) return;
  const at = rows.indexOf(document.activeElement);
  rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by))].focus();
}

const keys = {
  h: () => { location.hash = "#/"; },
  g: () => { location.hash = "#/gangs"; },
  n: () => { location.hash = "#/nodes"; },
  u: () => { location.hash = "#/queues"; },
  w: () => { location.hash = "#/whatif"; },
  t: () => { location.hash = "#/history"; },
  m: () => { location.hash = "#/compare"; },
  c: () => { location.hash = "#/config"; },
  j: () => step(1),
  k: () => step(-1),
  "?": () => $("help").showModal(),
  "/": () => {
    if ($("filter")) $("filter").focus();
    else location.hash = "#/gangs";
  },
  Escape: () => {
    if (location.hash.startsWith("#/gang/")) location.hash = "#/gangs";
    else if (location.hash.startsWith("#/node/")) location.hash = "#/nodes";
  },
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
  if (event.target.matches("input, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const action = keys[event.key];
  if (action) {
    event.preventDefault();
    action();
  }
});

$("help-button").addEventListener("click", () => $("help").showModal());
addEventListener("hashchange", route);
addEventListener("resize", debounce(() => { if (view instanceof NodesView) view.draw(); }, 100));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (view instanceof NodesView) view.draw(); });
addEventListener("beforeunload", () => { if (stream) stream.close(); });
route();
watch();
