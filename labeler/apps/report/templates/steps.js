// steps.js - the steps of one solution: text, value, interval, who calls it the first error.

function stepsOf(item) {
  const last = item.labels.length;
  const rows = item.labels.map((label, i) => stepRow(item, i + 1, item.steps[i], label, i + 1 === last));
  return el("ol", { class: "steps" }, stepRow(item, 0, null, item.value, false), ...rows);
}

function stepRow(item, k, text, label, isLast) {
  const value = valueOf(label);
  const tip = el("div", { class: "tip", role: "tooltip", id: `tip-${k}` }, ...told(label, k, isLast));
  const said = text === null ? el("p", { class: "text bare" }, "the bare question")
    : el("p", { class: "text" }, text);
  const row = el("li", { class: "step", tabindex: "0", "aria-describedby": tip.id, "data-step": k },
    el("span", { class: "k" }, String(k)),
    el("div", { class: "said" }, said, marksOf(item, k)),
    valueBox(label, isLast), tip, isLast ? null : rolloutsBox(item, k, label));
  return paint(row, value);
}

function valueBox(label, isLast) {
  const value = valueOf(label);
  const measured = label.soft !== null;
  const shown = value === null ? "–" : (measured ? "" : "~") + short(value);
  const chip = el("span", { class: measured ? "chip" : "chip guessed" }, shown);
  const box = el("div", { class: "value" }, chip);
  if (isLast) box.append(el("span", { class: "own-answer" }, "own answer"));
  else box.append(trackFor(label, value));
  return box;
}

// The interval as a band between 0 and 1, the value as a line in it.
function trackFor(label, value) {
  const [low, high] = label.soft !== null ? [label.low, label.high]
    : [label.credible_low ?? null, label.credible_high ?? null];
  const track = el("span", { class: "track", "aria-hidden": "true" });
  if (value === null || low === null) return track;
  const band = el("i", { class: "band" });
  band.style.left = `${100 * low}%`;
  band.style.width = `${100 * (high - low)}%`;
  const at = el("i", { class: "at" });
  at.style.left = `${100 * value}%`;
  track.append(band, at);
  return track;
}

function told(label, k, isLast) {
  const lines = [];
  const add = (name, value) => lines.push(el("div", {}, el("b", {}, name), ` ${value}`));
  if (isLast) add("own answer", label.soft === null ? "ungradable" : label.soft ? "right" : "wrong");
  else if (label.soft === null) add("n", "0: not rolled out");
  else {
    add("n", `${label.n}, of these ${label.correct} correct`);
    add("value", `${short(label.soft)}, 95% interval ${short(label.low)} to ${short(label.high)}`);
  }
  if (k > 0 && !isLast && label.soft_posterior !== null) {
    add("posterior", `${short(label.soft_posterior)}, ${short(label.credible_low)} to ${short(label.credible_high)}`);
  }
  if (k > 0 && label.progress !== null) add("progress", signed(label.progress));
  if (label.truncated > 0) add("truncated", label.truncated);
  if (label.ungradable > 0) add("ungradable", label.ungradable);
  if (k > 0) add("target", `${label.target === null ? "undecided" : label.target ? "good" : "wrong"}${label.basis === "inferred" ? " (inferred)" : ""}`);
  if (typeof label.rating === "number") add("rating", RATINGS[label.rating]);
  if (!isLast) for (const prover of label.provers) if (prover.soft !== null) add(`by ${prover.prover}`, proverSaid(prover, k));
  return lines;
}

const RATINGS = { "-1": "−1, wrong", 0: "0, brings nothing", 1: "1, good" };

// What a further completer makes of a prefix.
function proverSaid(prover, k) {
  const progress = k > 0 && prover.progress !== null ? `, progress ${signed(prover.progress)}` : "";
  return `${short(prover.soft)}, ${short(prover.low)} to ${short(prover.high)}, n ${prover.n}${progress}`;
}

function marksOf(item, k) {
  const marks = [["labels", item.first], ["judge", item.judged ? item.judge : null], ["truth", item.truth]]
    .filter(([, first]) => k > 0 && first === k)
    .map(([who]) => el("span", { class: `mark ${who}` }, `first error: ${who}`));
  const failed = item.failures.filter(([step]) => step === k)
    .map(([, cause]) => el("span", { class: "mark failed" }, `failed: ${cause}`));
  return marks.length + failed.length ? el("p", { class: "marks" }, ...marks, ...failed) : null;
}

function rolloutsBox(item, k, label) {
  if (!label.n && !label.ungradable) return null;
  const all = label.n + (label.ungradable ?? 0);
  if (meta.no_texts) return null;
  const box = el("details", { class: "rollouts" }, el("summary", {}, `rollouts (${all})`));
  box.addEventListener("toggle", () => {
    if (!box.open || box.dataset.made) return;
    box.dataset.made = "yes";
    const held = rolloutsOf(item, k);
    if (held.length === 0) box.append(el("p", { class: "note" }, meta.more_texts));
    else box.append(el("p", { class: "note" }, `The first ${held.length} of ${all}.`), ...held.map(rolloutBox));
  });
  return box;
}

function rolloutBox([index, outcome, reason, answer, tokens, text, length]) {
  const sign = { correct: "✓", incorrect: "✗", ungradable: "?" }[outcome] ?? "?";
  const why = reason === "match" || reason === "wrong" ? "" : ` (${reason})`;
  const head = el("p", { class: "verdict" }, el("b", { class: outcome }, `${sign} ${outcome}${why}`),
    ` #${index}${answer === null ? "" : `, answer ${answer}`}, ${whole(tokens)} tokens`);
  const cut = length > [...text].length ? ` … (${whole(length)} characters)` : "";
  return el("div", { class: "rollout" }, head, el("pre", {}, text + cut));
}
