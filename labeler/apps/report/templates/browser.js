// browser.js - the browser of solutions: list beside detail, keys, and links to one solution.

function startBrowser() {
  const items = loaded();
  const byId = new Map(items.map((item) => [item.id, item]));
  const place = document.getElementById("browser");
  const status = el("p", { class: "status", role: "status" });
  const detail = el("article", { class: "detail", id: "detail", "aria-label": "The chosen solution" });
  let shown = items;
  let chosen = null;

  const list = listFor((item) => choose(item, true));
  const filters = filtersFor(items, refresh);
  const before = el("button", { type: "button", id: "previous", title: "k, or left arrow" }, "Previous");
  const after = el("button", { type: "button", id: "next", title: "j, or right arrow" }, "Next");

  function refresh() {
    shown = items.filter(filters.passes);
    counted();
    list.show(shown);
    if (chosen === null || !shown.includes(chosen)) choose(shown[0] ?? null, chosen !== null && location.hash !== "");
    else draw();
  }

  function counted() {
    status.textContent = `${whole(shown.length)} of ${whole(items.length)} solutions`;
  }

  function choose(item, isLinked) {
    chosen = item;
    draw();
    if (isLinked && item) history.replaceState(null, "", `#s=${encodeURIComponent(item.id)}`);
  }

  function draw() {
    list.mark(chosen);
    const [at, of] = list.place();
    before.disabled = at <= 1;
    after.disabled = at >= of;
    if (chosen) detail.replaceChildren(...detailOf(chosen, [at, of]));
    else detail.replaceChildren(el("p", { class: "empty" }, items.length ? "No solution passes these filters." : "This page holds no solutions."));
  }

  function step(by) {
    const item = list.beside(by);
    if (!item) return;
    choose(item, true);
    const top = detail.getBoundingClientRect().top;
    if (top < 0 || top > innerHeight * 0.8) detail.scrollIntoView({ block: "start" });
  }

  function follow() {
    const found = /^#s=(.*)$/.exec(location.hash);
    if (!found) return;
    let id = found[1];
    try { id = decodeURIComponent(id); } catch { /* as it stands, then */ }
    const item = byId.get(id);
    if (!item) {
      status.textContent = `Solution ${id} is not in this page: ${meta.elsewhere}`;
      place.scrollIntoView();
      return;
    }
    if (!filters.passes(item)) filters.reset();
    counted();
    choose(item, false);
    detail.scrollIntoView({ block: "start" });
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input:not([type=checkbox]), select, textarea")) return;
    if (event.key.startsWith("Arrow") && event.target.closest?.(".scroll")) return;
    const inList = document.activeElement === list.box;
    const by = { j: 1, k: -1, ArrowRight: 1, ArrowLeft: -1,
      ...(inList ? { ArrowDown: 1, ArrowUp: -1, Home: -items.length, End: items.length } : {}) }[event.key];
    if (by) step(by);
    else if (event.key === "/") filters.search.focus();
    else return;
    event.preventDefault();
  });
  before.addEventListener("click", () => step(-1));
  after.addEventListener("click", () => step(1));
  addEventListener("hashchange", follow);

  const keys = el("p", { class: "keys" }, el("kbd", {}, "j"), " ", el("kbd", {}, "k"), " next, previous  ", el("kbd", {}, "/"), " search");
  place.append(
    el("div", { class: "pane" }, filters.search, filters.box, status, list.box,
      el("div", { class: "moves" }, before, after, keys)),
    detail);
  place.hidden = false;
  refresh();
  follow();
}

startTheme();
startBrowser();
