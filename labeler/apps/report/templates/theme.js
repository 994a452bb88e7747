// theme.js - light or dark: as the system has it, until the button says otherwise.

const THEME = "labeler-theme";

function kept(key) {
  try { return localStorage.getItem(key); } catch { return null; } // a file's page may have no store
}

function startTheme() {
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = kept(THEME);
  const dark = () => (chosen === null ? system.matches : chosen === "dark");
  const show = () => {
    if (chosen !== null) document.documentElement.dataset.theme = chosen;
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", dark() ? "Use light colours" : "Use dark colours");
  };
  button.addEventListener("click", () => {
    chosen = dark() ? "light" : "dark";
    try { localStorage.setItem(THEME, chosen); } catch { /* not kept, then */ }
    show();
  });
  system.addEventListener("change", show);
  button.hidden = false;
  show();
}
