// data.js - what the page holds. All of it is text of others: it reaches the page as text nodes
// and as attributes that run nothing, never as markup.

const meta = JSON.parse(document.getElementById("meta").textContent);

function named(list, names) {
  return Object.fromEntries(names.map((name, i) => [name, list[i]]));
}

function loaded() {
  const items = JSON.parse(document.getElementById("rows").textContent);
  const values = (list, names) => {
    const found = named(list, names);
    found.provers = found.provers.map((prover) => named(prover, meta.prover_fields));
    return found;
  };
  for (const item of items) {
    item.value = values(item.value, meta.value_fields);
    item.labels = item.labels.map((step) => values(step, meta.step_fields));
    item.truth = Object.hasOwn(meta.truth, item.id) ? meta.truth[item.id] : null;
    item.found = null; // what a search looks in, made when it is first needed
  }
  return items;
}

let texts = null;

// Some rollouts of a prefix: [index, outcome, reason, answer, tokens, text, its whole length].
function rolloutsOf(item, k) {
  texts ??= JSON.parse(document.getElementById("texts").textContent);
  const held = Object.hasOwn(texts, item.id) ? texts[item.id] : {};
  return held[k] ?? [];
}

// The value that a step is coloured by: measured, or else what the posterior says.
const valueOf = (step) => step.soft ?? step.soft_posterior ?? null;

function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}
