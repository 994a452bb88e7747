// detail.js - one solution: what was asked, what was answered, who says what, then its steps.

function detailOf(item, [at, of]) {
  const head = el("header", { class: "head" },
    el("h3", {}, `Solution ${item.id}`),
    el("p", { class: "place" }, at > 0 ? `${whole(at)} of ${whole(of)}` : "not in this selection"));
  const question = el("div", { class: "question" }, el("h4", {}, "Question"), el("p", { class: "text" }, item.question));
  const chain = el("div", { class: "chain" }, scaleBar(), stepsOf(item),
    meta.no_texts ? el("p", { class: "note" }, meta.no_texts) : null);
  return [head, el("div", { class: "columns" }, question, aboutOf(item), chain)];
}

function aboutOf(item) {
  const own = { true: "right", false: "wrong", null: "ungradable" }[item.right];
  const rows = [
    ["gold", item.gold],
    ["own answer", `${item.answer ?? "none"} (${own})`],
    ["first error", firstError(item.first) + (item.sure === null ? "" : `, ${short(item.sure)} sure`)],
    item.judged ? ["judge", item.judge === null ? "undecided" : firstError(item.judge)] : null,
    item.truth === null ? null : ["truth", firstError(item.truth)],
    item.keep === null ? null : ["consensus", item.keep ? "kept" : `dropped: ${item.dropped.replaceAll("_", " ")}`],
    item.chances.length > 1 ? ["likeliest", item.chances.slice(0, 4).map(([step, p]) => `${step === 0 ? "none" : `step ${step}`} ${short(p)}`).join(", ")] : null,
    ["rollouts", `${whole(item.rollouts)}, ${whole(item.tokens)} tokens`],
    ["problem", item.problem],
    ["source", item.source || "(none)"],
    item.generator ? ["written by", item.generator] : null,
  ].filter((row) => row !== null);
  return el("dl", { class: "about" }, ...rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

function scaleBar() {
  return el("p", { class: "scale" }, el("span", {}, "value 0"), el("i", { "aria-hidden": "true" }), el("span", {}, "1"),
    el("span", { class: "chip guessed" }, "~0.50"), el("span", {}, "inferred, not rolled out"));
}
