"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const { columns, keys, rows, answers: allowed, storage } = JSON.parse(byId("check-data").textContent);
  const ANSWER_OF = { y: "yes", 1: "yes", n: "no", 0: "no", u: "not sure", "?": "not sure" };
  const STEP_OF = { arrowleft: -1, b: -1, arrowright: 1, f: 1 };
  const LONG = 600;
  const WIDE = 36;
  const last = rows.length - 1;
  const answers = new Map();
  let now = 0;
  let unsaved = false;

  // What the browser keeps: one answer per key, and nothing of the rows.
  function read() {
    answers.clear();
    const stored = JSON.parse(localStorage.getItem(storage) ?? "{}");
    for (const key of keys) {
      if (allowed.includes(stored?.[key])) answers.set(key, stored[key]);
    }
  }
  function sayWhether(kept) {
    byId("not-kept").hidden = kept;
    byId("kept").hidden = !kept;
  }
  function keep() {
    let kept = true;
    try {
      if (answers.size) localStorage.setItem(storage, JSON.stringify(Object.fromEntries(answers)));
      else localStorage.removeItem(storage);
    } catch {
      kept = false;
    }
    sayWhether(kept);
  }
  function begin() {
    try {
      read();
      // Some browsers only refuse to write.
      localStorage.setItem(`${storage} try`, "");
      localStorage.removeItem(`${storage} try`);
    } catch (error) {
      // Stored text that is no JSON is overwritten by the next answer.
      if (!(error instanceof SyntaxError)) sayWhether(false);
    }
  }

  const csv = () => ["key,truth", ...keys.map((key) => `${key},${answers.get(key) ?? ""}`), ""].join("\n");
  const isOpen = (index) => !answers.has(keys[index]);
  const firstOpen = (from = 0) => keys.findIndex((key, index) => index >= from && isOpen(index));

  function element(tag, text, className) {
    const made = document.createElement(tag);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  }
  function longValue(text) {
    const signs = [...text];
    const shown = element("bdi", "");
    const more = element("button", "", "more");
    more.type = "button";
    function fold(folded) {
      shown.textContent = folded ? `${signs.slice(0, LONG).join("")}…` : text;
      more.textContent = folded ? `Show all ${signs.length} characters` : "Show less";
      more.setAttribute("aria-expanded", String(!folded));
    }
    more.addEventListener("click", () => fold(more.getAttribute("aria-expanded") === "true"));
    fold(true);
    return [shown, more];
  }
  function cell(name, text) {
    const pair = document.createElement("div");
    const value = document.createElement("dd");
    if (text === null) value.append(element("span", "empty", "empty"));
    else if (text.length > LONG) value.append(...longValue(text));
    else value.append(element("bdi", text));
    const title = document.createElement("dt");
    title.append(element("bdi", name));
    if (text !== null && (text.length > WIDE || text.includes("\n"))) pair.className = "wide";
    pair.append(title, value);
    return pair;
  }

  function showRow() {
    byId("row").textContent = `Row ${now + 1} of ${rows.length}`;
    byId("cells").replaceChildren(...columns.map((name, index) => cell(name, rows[now][index])));
    for (const button of document.querySelectorAll("[data-answer]")) {
      button.setAttribute("aria-pressed", String(answers.get(keys[now]) === button.dataset.answer));
    }
    byId("back").disabled = now === 0;
    byId("forward").disabled = now === last;
  }
  function showProgress(before = "") {
    const left = rows.length - answers.size;
    byId("progress").textContent = `${before}${answers.size} of ${rows.length} answered`;
    byId("bar").value = answers.size;
    if (left === 0) byId("left").textContent = `All ${rows.length} rows are answered.`;
    else {
      byId("left").textContent = `${left} of ${rows.length} rows ${left === 1 ? "has" : "have"} no answer yet. `
        + "You can save now and go on later.";
    }
    byId("end").classList.toggle("done", left === 0);
    byId("next-open").hidden = left === 0;
    byId("clear").disabled = answers.size === 0;
    byId("text").value = csv();
    byId("copied").textContent = "";
    byId("saved").textContent = "";
  }
  function showMap() {
    [...byId("map").children].forEach((place, index) => {
      const [button] = place.children;
      const answer = answers.get(keys[index]);
      button.dataset.state = answer ?? "";
      button.lastChild.textContent = answer === "not sure" ? "?" : answer ?? "";
      button.setAttribute("aria-label", `Row ${index + 1}, ${answer ?? "no answer"}`);
      if (index === now) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    });
    const map = byId("map");
    const { offsetTop, offsetHeight } = map.children[now];
    if (offsetTop < map.scrollTop || offsetTop + offsetHeight > map.scrollTop + map.clientHeight) {
      map.scrollTop = offsetTop - map.clientHeight / 2;
    }
  }
  function show(before) {
    showRow();
    showProgress(before);
    showMap();
  }

  // The focus goes to the heading of what is new, and the page scrolls only if it is out of sight.
  function lead(heading, place) {
    heading.focus({ preventScroll: true });
    const { top, bottom } = heading.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) place.scrollIntoView({ block: "start", behavior: "instant" });
  }
  function go(index, before) {
    now = Math.min(Math.max(index, 0), last);
    show(before);
    lead(byId("row"), byId("one"));
  }
  function answer(word) {
    const next = isOpen(now) ? firstOpen(now + 1) : now + 1;
    const said = `Row ${now + 1}: ${word}. `;
    answers.set(keys[now], word);
    unsaved = true;
    keep();
    if (next === -1 || next > last) {
      show(said);
      lead(byId("save-title"), byId("end"));
    } else go(next, said);
  }
  function clear() {
    answers.clear();
    unsaved = false;
    keep();
    byId("sure").close();
    go(0, "All answers are cleared. ");
  }

  function save() {
    const address = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
    const link = document.createElement("a");
    link.href = address;
    link.download = "answers.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
    unsaved = false;
    byId("saved").textContent = "Look for answers.csv in your downloads. If you save more than once, "
      + "use the newest file.";
  }
  async function copy() {
    byId("text").select();
    try {
      await navigator.clipboard.writeText(csv());
      byId("copied").textContent = "Copied";
    } catch {
      byId("copied").textContent = "Selected: copy it with Ctrl+C";
    }
  }

  keys.forEach((key, index) => {
    const button = element("button", "");
    button.type = "button";
    button.append(element("span", String(index + 1)), element("small", ""));
    button.addEventListener("click", () => go(index));
    const place = document.createElement("li");
    place.append(button);
    byId("map").append(place);
  });
  for (const button of document.querySelectorAll("[data-answer]")) {
    button.addEventListener("click", () => answer(button.dataset.answer));
  }
  byId("back").addEventListener("click", () => go(now - 1));
  byId("forward").addEventListener("click", () => go(now + 1));
  byId("next-open").addEventListener("click", () => go(firstOpen()));
  byId("save").addEventListener("click", save);
  byId("copy").addEventListener("click", copy);
  byId("clear").addEventListener("click", () => {
    byId("sure-words").textContent = `You have answered ${answers.size} of ${rows.length} rows. `
      + "You cannot get the answers back.";
    byId("sure").showModal();
  });
  byId("keep-them").addEventListener("click", () => byId("sure").close());
  byId("clear-them").addEventListener("click", clear);

  addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.closest("input, textarea, dialog");
    if (event.ctrlKey || event.metaKey || event.altKey || typing || !byId("use-keys").checked) return;
    const key = event.key.toLowerCase();
    // A key held down must not answer row after row.
    if (Object.hasOwn(ANSWER_OF, key) && !event.repeat) answer(ANSWER_OF[key]);
    else if (Object.hasOwn(STEP_OF, key)) go(now + STEP_OF[key]);
    else return;
    event.preventDefault();
  });
  // The same page in another tab.
  addEventListener("storage", (event) => {
    if (event.key !== storage && event.key !== null) return;
    begin();
    show();
  });
  addEventListener("beforeunload", (event) => {
    if (unsaved && !byId("not-kept").hidden) event.preventDefault();
  });

  document.documentElement.classList.add("scripted");
  begin();
  now = Math.max(firstOpen(), 0);
  show();
})();
