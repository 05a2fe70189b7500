"use strict";
(() => {
  const SPACE = "\u202f";
  const MINUS = "\u2212";
  const NOT_KNOWN = "\u2014";
  const RAISED = { "-": "\u207b", 0: "\u2070", 1: "\u00b9", 2: "\u00b2", 3: "\u00b3", 4: "\u2074",
    5: "\u2075", 6: "\u2076", 7: "\u2077", 8: "\u2078", 9: "\u2079" };

  // Numbers, digit for digit as _text.py writes them.
  function fixed(value, decimals) {
    const [whole, part] = Math.abs(value).toFixed(decimals).split(".");
    const digits = whole.replace(/\B(?=(\d{3})+$)/g, SPACE) + (part ? "." + part : "");
    return (value < 0 && /[1-9]/.test(digits) ? MINUS : "") + digits;
  }
  function exponent(value, digits) {
    return Number(value.toExponential(digits - 1).split("e")[1]);
  }
  const usual = (value, decimals) => (Math.abs(value) >= 1e15 ? number(value) : fixed(value, decimals));
  function percent(value) {
    const hundredths = 100 * value;
    if (!Number.isFinite(hundredths)) return NOT_KNOWN;
    const size = Math.abs(hundredths);
    let text;
    if (size === 0 || size === 100) text = fixed(hundredths, 0);
    else if (size < 0.001) text = hundredths > 0 ? `<${SPACE}0.001` : `>${SPACE}${MINUS}0.001`;
    else if (hundredths >= 99.95 && hundredths < 100) text = `>${SPACE}99.9`;
    else if (hundredths > 100 && hundredths < 100.05) text = `>${SPACE}100`;
    else text = usual(hundredths, Math.max(1, 1 - exponent(hundredths, 2)));
    return text + SPACE + "%";
  }
  function number(value) {
    if (value === 0) return "0";
    const power = exponent(value, 4);
    if (power >= -4 && power <= 6) return fixed(value, Math.max(0, 3 - power));
    const digits = value.toExponential(3).split("e")[0].replace("-", MINUS);
    return `${digits}${SPACE}×${SPACE}10${[...String(power)].map((sign) => RAISED[sign]).join("")}`;
  }
  const WRITE = { count: (value) => usual(value, 0), percent, ratio: (value) => usual(value, 3),
    number, plain: String };

  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("cut-data").textContent);
  const { curve, prior, rows, chosen } = data;
  const costs = { ...data.costs };
  const slider = byId("slider");
  const frame = byId("frame");
  const shown = [...document.querySelectorAll("[data-show]")];

  const ratio = (top, bottom) => (bottom === 0 ? 0 : top / bottom);
  // If the labels do not tell how many rows are positive, nothing is shown that needs their number.
  const hasPrior = prior.estimate !== null && data.told;
  const precision = (recall, share) =>
    (hasPrior ? Math.min(1, ratio(prior.estimate * recall, share)) : null);
  // An end of the recall where few rows are labeled: Wilson's.
  function recallEnd(recall, sign) {
    if (!data.recall_is_range) return null;
    const extra = data.per_error ** 2 / data.independent;
    const half = Math.sqrt(extra * (recall * (1 - recall) + extra / 4));
    return Math.min(1, Math.max(0, (recall + extra / 2 + sign * half) / (1 + extra)));
  }
  // An end of precision: by that of the class prior, and by the error of the recall.
  function precisionEnd(recall, share, end, sign, labeled) {
    if (prior.estimate === null || end === null || recall <= 0 || share <= 0) return null;
    const nobody = 0.5 / (data.independent + 1);
    const found = Math.min(Math.max(recall, nobody), 1 - nobody);
    const far = Math.hypot(data.per_error * Math.sqrt((1 - found) / (found * data.independent)),
      Math.log(end / prior.estimate));
    const value = prior.estimate * found / share * Math.exp(sign * far);
    return Math.max(Math.min(1, value), labeled);
  }
  function cost(recall, share) {
    const found = prior.estimate * recall;
    return costs.miss * (prior.estimate - found) + costs.false_alarm * (share - found);
  }
  function numbersAt(index) {
    const recall = curve.recall[index];
    const share = curve.share[index];
    const numbers = { recall, share, miss: costs.miss, false_alarm: costs.false_alarm };
    for (const name of ["threshold", "selected", "selected_unlabeled", "posterior"]) {
      numbers[name] = curve[name][index];
    }
    if (!data.told) numbers.posterior = null;
    numbers.recall_lower = recallEnd(recall, -1);
    numbers.recall_upper = recallEnd(recall, 1);
    numbers.selected_share = numbers.selected / rows;
    const labeledSelected = numbers.selected - numbers.selected_unlabeled;
    numbers.labeled_share = numbers.selected ? labeledSelected / numbers.selected : null;
    numbers.precision = precision(recall, share);
    const known = numbers.labeled_share ?? 0;
    numbers.precision_lower = precisionEnd(recall, share, prior.lower, -1, known);
    numbers.precision_upper = precisionEnd(recall, share, prior.upper, 1, known);
    if (!hasPrior) return numbers;
    const labeled = data.labeled_are_counted ? labeledSelected / rows : data.labeled_rows / rows * recall;
    const others = share - labeled;
    const few = others * rows < 1;
    numbers.precision_unlabeled = few ? null
      : Math.min(1, Math.max(0, prior.estimate * recall - labeled) / others);
    const found = Math.min(prior.estimate * recall, share);
    numbers.f1 = Math.min(1, ratio(2 * prior.estimate * recall, prior.estimate + share));
    numbers.missed = (prior.estimate - found) * rows;
    numbers.false_alarms = (share - found) * rows;
    if (costs.miss !== null && costs.false_alarm !== null) {
      numbers.cost = costs.miss * (prior.estimate - found) + costs.false_alarm * (share - found);
      numbers.total_cost = numbers.cost * rows;
    }
    return numbers;
  }

  // The cut with the least cost, as the library chooses it: at least one labeled row is above it,
  // and of equal cuts it selects the fewest rows.
  function cheapest() {
    const allowed = (recall) => recall * data.labeled >= 1 - 1e-9;
    const values = curve.recall.map((recall, index) =>
      (allowed(recall) ? cost(recall, curve.share[index]) : Infinity));
    const least = Math.min(...values);
    return values.findIndex((value) => value <= least + 1e-12 * Math.abs(least));
  }

  // Where a share is on the axis that is shown, and which share is at a place.
  const scale = () => data.scales[frame.dataset.scale];
  function placeOf(share) {
    const { low, high, logarithmic } = scale();
    return logarithmic ? Math.max(0, Math.log(Math.max(share, low) / low) / Math.log(high / low)) : share / high;
  }
  function shareAt(place) {
    const { low, high, logarithmic } = scale();
    return logarithmic ? low * (high / low) ** place : place * high;
  }

  function move(mark, numbers) {
    const place = placeOf(numbers.share);
    mark.setAttribute("visibility", place > 1 ? "hidden" : "visible");
    byId("now-beyond").setAttribute("visibility", place > 1 ? "visible" : "hidden");
    const x = `${100 * Math.min(1, place)}%`;
    const y = `${100 - 100 * numbers.recall}%`;
    const [down, across, dot] = mark.children;
    const places = [[down, { x1: x, x2: x, y1: y }], [across, { x2: x, y1: y, y2: y }],
      [dot, { cx: x, cy: y }]];
    for (const [part, attributes] of places) {
      for (const [name, value] of Object.entries(attributes)) part.setAttribute(name, value);
    }
  }

  const range = (numbers, name) =>
    `${percent(numbers[`${name}_lower`])} to ${percent(numbers[`${name}_upper`])}`;
  function show(index) {
    const numbers = numbersAt(index);
    for (const place of shown) {
      const value = numbers[place.dataset.show];
      const known = value !== null && value !== undefined && Number.isFinite(value);
      place.textContent = known ? WRITE[place.dataset.as](value) : NOT_KNOWN;
      place.dataset.value = known ? String(value) : "";
    }
    slider.value = String(index);
    slider.setAttribute("aria-valuetext", `${WRITE.count(numbers.selected)} of ${WRITE.count(rows)} rows, `
      + `recall ${data.recall_is_range ? range(numbers, "recall") : percent(numbers.recall)}`
      + (!data.told && numbers.precision_lower !== null ? `, precision ${range(numbers, "precision")}` : "")
      + (numbers.precision === null ? "" : `, precision ${percent(numbers.precision)}`)
      + (index === chosen ? ", the chosen cut" : ""));
    move(byId("now-mark"), numbers);
    const which = byId("which");
    which.textContent = index === chosen ? which.dataset.chosen : which.dataset.other;
    byId("back").hidden = index === chosen;
    for (const place of document.querySelectorAll(".copied")) place.textContent = "";
  }
  const now = () => Number(slider.value);

  function readCosts() {
    for (const [name, id] of [["miss", "miss"], ["false_alarm", "false-alarm"]]) {
      const input = byId(id);
      const value = input.valueAsNumber;
      const fine = Number.isFinite(value) && value >= 0;
      costs[name] = fine ? value : null;
      input.setAttribute("aria-invalid", String(!fine));
    }
    const bad = costs.miss === null || costs.false_alarm === null;
    byId("bad-costs").hidden = !bad;
    byId("cheapest").disabled = bad || !hasPrior;
    show(now());
  }

  function nearest(share) {
    let best = 0;
    curve.share.forEach((one, index) => {
      if (Math.abs(one - share) < Math.abs(curve.share[best] - share)) best = index;
    });
    return best;
  }

  async function copy(button) {
    const text = byId(button.dataset.copy);
    const told = button.parentElement.querySelector(".copied");
    try {
      await navigator.clipboard.writeText(text.textContent);
      told.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(text);
      told.textContent = "Selected";
    }
  }

  slider.addEventListener("input", () => show(now()));
  for (const button of document.querySelectorAll("button[data-index]")) {
    button.addEventListener("click", () => {
      show(Number(button.dataset.index));
      if (button.id === "back") slider.focus();
      else if (byId("cutting").getBoundingClientRect().bottom < 200) {
        byId("cutting").scrollIntoView({ block: "start" });
      }
    });
  }
  byId("miss").addEventListener("input", readCosts);
  byId("false-alarm").addEventListener("input", readCosts);
  byId("cheapest").addEventListener("click", () => show(cheapest()));
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.addEventListener("click", () => copy(button));
  }
  byId("curve").addEventListener("click", (event) => {
    const box = byId("curve").getBoundingClientRect();
    show(nearest(shareAt((event.clientX - box.left) / box.width)));
  });
  for (const choice of document.querySelectorAll("input[name=scale]")) {
    choice.addEventListener("change", () => {
      frame.dataset.scale = choice.value;
      show(now());
    });
  }

  // A table that is wider than its place says that it can be scrolled.
  const wide = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const place = target.closest(".scroll");
      place.classList.toggle("wide", place.scrollWidth > place.clientWidth + 1);
    }
  });
  for (const place of document.querySelectorAll(".scroll, .scroll > table")) wide.observe(place);

  // Printed pages show what is folded.
  const folds = [...document.querySelectorAll("details")];
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = folds.filter((fold) => !fold.open);
    for (const fold of closed) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of closed) fold.open = false;
  });

  document.documentElement.classList.add("scripted");
  for (const fold of document.querySelectorAll("details[data-close]")) fold.open = false;
  readCosts();
})();
