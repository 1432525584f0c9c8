"use strict";
// Steps through the counterexamples of the page.  A position is the number of moves made so far: 0 is the start.

const { files, runs } = JSON.parse(document.getElementById("runs").textContent);
const AROUND = 4;

function element(tag, text, name) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (name) made.className = name;
  return made;
}

// The values of all variables after a number of moves.
function values(run, position) {
  const found = new Map(Object.entries(run.start));
  for (const move of run.moves.slice(0, position)) {
    for (const [name, value] of Object.entries(move.changes)) {
      if (value === null) found.delete(name); else found.set(name, value);
    }
  }
  return found;
}

// Only variables that some move of the run changes.
function showValues(table, run, position) {
  const changed = position ? run.moves[position - 1].changes : {};
  const ever = new Set(run.moves.flatMap((move) => Object.keys(move.changes)));
  table.replaceChildren(...[...values(run, position)].filter(([name]) => ever.has(name)).map(([name, value]) => {
    const row = element("tr", "", name in changed ? "changed" : "");
    const shown = name.endsWith("[]") ? [name.slice(0, -2), `[${value}]`] : [name, value];
    row.append(element("th", shown[0]), element("td", shown[1]));
    return row;
  }));
}

// The lines around the statement of the last move, or around the first process, with the locations of processes.
function showText(place, run, position) {
  const stands = run.stands[position];
  const made = position ? run.moves[position - 1].at : null;
  const [file, line] = made || (stands.length ? stands[0].slice(1) : [null, 0]);
  place.replaceChildren();
  const lines = files[file];
  if (!lines) return;
  for (let number = Math.max(1, line - AROUND); number <= Math.min(lines.length, line + AROUND); number++) {
    const row = element("span", `${String(number).padStart(4)}  ${lines[number - 1]}`, made && number === line ? "now" : "");
    const here = stands.filter(([, where, at]) => where === file && at === number).map(([name]) => name);
    if (here.length) row.append(element("b", `   <- ${here.join(", ")}`));
    place.append(row, "\n");
  }
}

function showMove(place, run, position) {
  if (!position) {
    place.textContent = "The start.";
    return;
  }
  const move = run.moves[position - 1];
  const words = [element("strong", move.who), ": ", element("code", move.says)];
  if (move.kept) words.push(" (nothing could come between)");
  if (move.prints) words.push(" prints ", element("code", move.prints.trim()));
  if (position === run.moves.length) words.push(element("br", ""), element("strong", run.message));
  place.replaceChildren(...words);
}

function showChart(parts, position, follow) {
  let current = null;
  for (const part of parts) {
    const first = Number(part.dataset.first), last = Number(part.dataset.last);
    const now = first < position && position <= last + 1;
    part.classList.toggle("later", first >= position);
    part.classList.toggle("now", now);
    if (now) current = part;
  }
  const chart = current && current.closest(".chart");
  if (!follow || !chart) return;
  const inside = chart.getBoundingClientRect(), part = current.getBoundingClientRect();
  chart.scrollTop += part.top + part.height / 2 - inside.top - inside.height / 2;
  chart.scrollLeft += part.left + part.width / 2 - inside.left - inside.width / 2;
}

function start(article) {
  const run = runs[Number(article.dataset.run)];
  const find = (selector) => article.querySelector(selector);
  const slider = find("input"), parts = article.querySelectorAll("g[data-first]"), last = run.moves.length;
  const ways = { first: () => 0, back: (at) => at - 1, on: (at) => at + 1, last: () => last };

  function show(wanted, follow = true) {
    const position = Math.min(Math.max(wanted, 0), last);
    slider.value = position;
    const repeats = run.loop !== null && position > run.loop ? ", in the cycle" : "";
    find("output").textContent = `move ${position} of ${last}${repeats}`;
    showChart(parts, position, follow);
    showMove(find(".move"), run, position);
    showText(find(".excerpt"), run, position);
    showValues(find(".values"), run, position);
  }

  const go = (way) => show(ways[way](Number(slider.value)));
  slider.addEventListener("input", () => show(Number(slider.value)));
  for (const button of article.querySelectorAll("[data-go]")) button.addEventListener("click", () => go(button.dataset.go));
  for (const part of parts) part.addEventListener("click", () => show(Number(part.dataset.last) + 1, false));
  article.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[event.key];
    if (!way || event.target === slider) return;
    event.preventDefault();
    go(way);
  });
  find(".controls").hidden = find(".aside").hidden = false;
  const asked = new URLSearchParams(location.search).get("move");
  show(asked === null ? last : Number(asked), false);
}

document.querySelectorAll("article.run").forEach(start);
