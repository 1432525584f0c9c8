"use strict";
// Updates the page of a running command, and shows the result when there is one.

const EVERY = 400;
const find = (name) => document.getElementById(name);
const grouped = (number) => Math.round(number).toLocaleString("en");

function numbers(progress) {
  if (!progress) return [];
  const rate = progress.seconds > 0 ? progress.states / progress.seconds : 0;
  const rows = [["states", grouped(progress.states)], ["transitions", grouped(progress.transitions)],
    ["depth", grouped(progress.depth)], ["frontier", grouped(progress.frontier)], ["states per second", grouped(rate)]];
  if (progress.memory) rows.push(["memory", `${grouped(progress.memory / 2 ** 20)} MB`]);
  if (progress.remaining !== null && rate) rows.push(["to go", `about ${grouped(Math.ceil(progress.remaining / rate))} s`]);
  return rows;
}

function show(state) {
  document.title = document.title.replace(/^[^:]*/, state.outcome);
  find("outcome").textContent = state.outcome;
  find("told").textContent = state.status === "waiting" ? "Other searches come first." : `${state.seconds.toFixed(1)} s`;
  find("numbers").replaceChildren(...numbers(state.progress).map(([name, value]) => {
    const row = document.createElement("div");
    for (const [tag, text] of [["dt", name], ["dd", value]]) {
      row.append(Object.assign(document.createElement(tag), { textContent: text }));
    }
    return row;
  }));
  const { progress } = state, bar = find("bar");
  if (progress && progress.remaining !== null) bar.value = progress.states / (progress.states + progress.remaining);
  else bar.removeAttribute("value");
  find("messages").textContent = state.messages.join("\n");
  find("messages").hidden = !state.messages.length;
}

async function poll() {
  try {
    const answer = await fetch(find("run").dataset.state);
    if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
    const state = await answer.json();
    if (state.status === "done") {
      location.reload();
      return;
    }
    show(state);
  } catch (error) {
    find("told").textContent = `The server cannot be reached (${error.message}); trying again.`;
  }
  setTimeout(poll, EVERY);
}

poll();
