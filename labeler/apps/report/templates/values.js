// values.js - a value's colour: from orange (0) over grey to blue (1), Okabe and Ito's, which
// colour-blind readers tell apart. The number always stands beside it.

const SCALE = [[213, 94, 0], [230, 159, 0], [153, 153, 153], [86, 180, 233], [0, 114, 178]];

function colourOf(value) {
  const at = Math.min(Math.max(value, 0), 1) * (SCALE.length - 1);
  const i = Math.min(Math.floor(at), SCALE.length - 2);
  return SCALE[i].map((c, j) => Math.round(c + (SCALE[i + 1][j] - c) * (at - i)));
}

// Black or white, whichever reads better on a colour (WCAG's relative luminance).
function inkOn(colour) {
  const [r, g, b] = colour.map((c) => {
    const s = c / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
}

function paint(element, value) {
  if (value === null) return element;
  const colour = colourOf(value);
  element.style.setProperty("--v", `rgb(${colour.join(" ")})`);
  element.style.setProperty("--v-ink", inkOn(colour));
  return element;
}

const short = (x) => x.toFixed(2);
const signed = (x) => (x < 0 ? "\u2212" : "+") + Math.abs(x).toFixed(2);
const whole = (n) => n.toLocaleString("en");
