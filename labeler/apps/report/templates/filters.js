// filters.js - which solutions are listed. Each filter is a test; a solution must pass them all.

const differs = (ours, other) => ours !== null && other !== null && ours !== other;

const CHOICES = [
  { key: "answer", label: "Own answer", options: [
    ["right", (s) => s.right === true], ["wrong", (s) => s.right === false],
    ["ungradable", (s) => s.right === null]] },
  { key: "first", label: "First error", options: [
    ["located", (s) => s.first !== null && s.first > 0], ["none", (s) => s.first === 0],
    ["undecided", (s) => s.first === null]] },
];
const CHECKS = [
  { key: "judge", label: "differs from the judge", test: (s) => s.judged && differs(s.first, s.judge) },
  { key: "truth", label: "differs from the truth", test: (s) => differs(s.first, s.truth) },
  { key: "truncated", label: "truncated rollouts", test: (s) => s.labels.some((l) => l.truncated > 0) },
  { key: "dropped", label: "dropped by consensus", test: (s) => s.keep === false },
];

function choicesOf(items) {
  const sources = [...new Set(items.map((s) => s.source))].sort();
  const options = sources.map((name) => [name || "(none)", (s) => s.source === name]);
  return [...CHOICES, { key: "source", label: "Source", options }];
}

function searched(item) {
  item.found ??= [item.id, item.problem, item.question, ...item.steps, item.answer ?? "", item.gold]
    .join("\n").toLowerCase();
  return item.found;
}

// The controls, and a function that says whether a solution passes them.
function filtersFor(items, changed) {
  const tests = new Map();
  const search = el("input", { type: "search", id: "search", placeholder: "Search text or id",
    "aria-label": "Search questions, steps, answers and ids" });
  const selects = choicesOf(items).map((choice) => selectFor(choice, items, tests, changed));
  const checks = CHECKS.map((check) => checkFor(check, items, tests, changed));
  let waiting = null;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const wanted = search.value.trim().toLowerCase();
      if (wanted) tests.set("search", (s) => searched(s).includes(wanted));
      else tests.delete("search");
      changed();
    }, 80);
  });
  const clear = el("button", { type: "button", id: "clear" }, "Clear");
  const reset = () => {
    tests.clear();
    search.value = "";
    for (const { input } of selects) input.value = "";
    for (const { input } of checks) input.checked = false;
    changed();
  };
  clear.addEventListener("click", reset);
  const box = el("details", { class: "filters" }, el("summary", {}, "Filters"),
    el("div", { class: "choices" }, ...selects.map((s) => s.box), clear, ...checks.map((c) => c.box)));
  box.open = matchMedia("(min-width: 60rem)").matches;
  const passes = (item) => [...tests.values()].every((test) => test(item));
  return { search, box, passes, reset };
}

function selectFor(choice, items, tests, changed) {
  const input = el("select", { id: `filter-${choice.key}` }, el("option", { value: "" }, "any"));
  choice.options.forEach(([name, test], i) => {
    const count = items.filter(test).length;
    const option = el("option", { value: i, disabled: count === 0 ? "" : null }, `${name} (${whole(count)})`);
    input.append(option);
  });
  input.addEventListener("change", () => {
    if (input.value === "") tests.delete(choice.key);
    else tests.set(choice.key, choice.options[Number(input.value)][1]);
    changed();
  });
  return { input, box: el("label", { class: "choice" }, el("span", {}, choice.label), input) };
}

function checkFor(check, items, tests, changed) {
  const count = items.filter(check.test).length;
  const input = el("input", { type: "checkbox", id: `filter-${check.key}`, disabled: count === 0 ? "" : null });
  input.addEventListener("change", () => {
    if (input.checked) tests.set(check.key, check.test);
    else tests.delete(check.key);
    changed();
  });
  const box = el("label", { class: "check" }, input, el("span", {}, `${check.label} (${whole(count)})`));
  return { input, box };
}
