// list.js - the solutions that pass, as a list of which only what is seen is in the page.

const ROW = 64; // pixels, as .row is high in browser.css
const BEYOND = 4; // rows kept above and below what is seen

function listFor(choose) {
  const space = el("div", { class: "space", role: "presentation" });
  const box = el("div", { class: "list", id: "list", role: "listbox", tabindex: "0", "aria-label": "Solutions" }, space);
  let items = [];
  let chosen = -1;

  function render() {
    const first = Math.max(0, Math.floor(box.scrollTop / ROW) - BEYOND);
    const last = Math.min(items.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + BEYOND);
    const rows = [];
    for (let i = first; i < last; i += 1) rows.push(rowFor(items[i], i, i === chosen, items.length));
    space.replaceChildren(...rows);
    const active = chosen >= first && chosen < last ? `row-${chosen}` : null;
    if (active) box.setAttribute("aria-activedescendant", active);
    else box.removeAttribute("aria-activedescendant");
  }

  let queued = false;
  const later = () => {
    if (queued) return;
    queued = true;
    requestAnimationFrame(() => { queued = false; render(); });
  };
  box.addEventListener("scroll", later);
  new ResizeObserver(later).observe(box);
  box.addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (row) choose(items[Number(row.dataset.at)]);
  });

  return {
    box,
    show(shown) {
      items = shown;
      space.style.height = `${items.length * ROW}px`;
      render();
    },
    mark(item) {
      chosen = items.indexOf(item);
      const top = chosen * ROW;
      if (chosen >= 0 && (top < box.scrollTop || top + ROW > box.scrollTop + box.clientHeight)) {
        box.scrollTop = top - (box.clientHeight - ROW) / 2;
      }
      render();
    },
    // The solution `by` places further; the first where none is chosen.
    beside(by) {
      const at = chosen < 0 ? 0 : Math.min(Math.max(chosen + by, 0), items.length - 1);
      return items[at];
    },
    place: () => [chosen + 1, items.length],
  };
}

function rowFor(item, i, chosen, of) {
  const answer = { true: ["✓", "right"], false: ["✗", "wrong"], null: ["?", "ungradable"] }[item.right];
  const row = el("div", { class: "row", role: "option", id: `row-${i}`, "data-at": i,
    "aria-selected": String(chosen), "aria-posinset": i + 1, "aria-setsize": of },
    el("span", { class: `own ${answer[1]}`, title: `own answer ${answer[1]}` }, answer[0]),
    el("span", { class: "asked" }, item.question),
    el("span", { class: "said" }, firstError(item.first)),
    stripFor(item));
  row.style.transform = `translateY(${i * ROW}px)`;
  return row;
}

const firstError = (first) => (first === null ? "undecided" : first === 0 ? "no error" : `step ${first}`);

// A solution's steps as small squares, the first error with a frame.
function stripFor(item) {
  const cells = item.labels.map((step, k) => {
    const cell = el("i", { class: k + 1 === item.first ? "cell error" : "cell" });
    return paint(cell, valueOf(step));
  });
  return el("span", { class: "strip", "aria-hidden": "true" }, ...cells);
}
