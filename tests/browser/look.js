// What the tests see of a page: Page.look("figures") gives what figures() returns here.

const every = (selector, within = document) => [...within.querySelectorAll(selector)];

// Chromium takes a hidden group of a drawing for visible, but gives it no box.
const seen = (one) => one.checkVisibility() && one.getClientRects().length > 0;

const count = (selector) => every(selector).filter(seen).length;

// Every word in the charts that can be seen.
const drawn = () => every(".chart text").filter(seen).map((one) => one.textContent);

// How far one box reaches out of another, in pixels.
const beyond = (own, all) =>
  Math.max(all.left - own.left, own.right - all.right, all.top - own.top, own.bottom - all.bottom);

// The words in the first column of tables that go on in another line.
const broken = () => every("tbody th bdi").filter(seen).flatMap((one) => {
  const [text] = one.childNodes;
  return [...text.data.matchAll(/\S+/g)].filter(({ 0: word, index }) => {
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1;
  }).map(([word]) => word);
});

const letters = (one) => {
  const { a, b } = one.getScreenCTM();
  return parseFloat(getComputedStyle(one).fontSize) * Math.hypot(a, b);
};

// Each chart in the language of the page.
const figures = () => every("figure").map((figure) => {
  const shown = every(".chart svg", figure).filter(seen);
  const [svg] = shown;
  const box = svg.getBoundingClientRect();
  const [marks, texts] = [every("[data-tip]", svg), every("text", svg)];
  return {
    title: figure.querySelector("h3").innerText,
    name: svg.getAttribute("aria-label"),
    charts: shown.length,
    width: box.width,
    height: box.height,
    marks: marks.filter(seen).length,
    words: texts.length,
    letters: Math.min(...texts.map(letters)),
    cut: [...marks, ...texts].filter((one) => beyond(one.getBoundingClientRect(), box) > 2)
      .map((one) => one.textContent || one.dataset.tip),
  };
});

// The charts that tell systems apart by colour, but do not say which is which.
const unnamed = () => every("figure").filter((figure) => {
  const svg = figure.querySelector(".chart:lang(en) svg");
  const places = new Set(every("[data-s][data-tip]", svg).map((one) => one.dataset.s));
  const names = [...places].map((at) => document.querySelector(`input[value="${at}"]`).labels[0].innerText.trim());
  const words = every("text", svg).map((one) => one.textContent);
  return names.length > 1 && !names.every((name) => words.some((word) => word.startsWith(name)));
}).map((figure) => figure.querySelector("h3").innerText);

// Contrast as in https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio; what is translucent is laid over its ground.
const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const rgba = (css) => {
  brush.clearRect(0, 0, 1, 1);
  brush.fillStyle = css;
  brush.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = brush.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
};
const over = ([r, g, b, a], [R, G, B]) => [a * r + (1 - a) * R, a * g + (1 - a) * G, a * b + (1 - a) * B, 1];
const ground = (one) => {
  if (one === null) return [255, 255, 255, 1];
  const paint = one instanceof SVGElement ? [0, 0, 0, 0] : rgba(getComputedStyle(one).backgroundColor);
  return paint[3] === 1 ? paint : over(paint, ground(one.parentElement));
};
const opacity = (one) =>
  one === null ? 1 : Number(getComputedStyle(one).opacity) * opacity(one.parentElement);
const linear = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
const contrast = (css, one, alpha) => {
  const below = ground(one);
  const [r, g, b, a] = rgba(css);
  const both = [over([r, g, b, a * alpha], below), below].map(luminance);
  return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
};

// The contrast of every text that is seen, whether it is in a chart, and where it is; what is there for
// screen readers alone is clipped away.
const texts = () => {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walk.nextNode()) {
    const [text, one] = [walk.currentNode.data.trim(), walk.currentNode.parentElement];
    if (!text || one.closest(".sr, script") || !seen(one)) continue;
    const style = getComputedStyle(one);
    const inChart = one instanceof SVGElement;
    const ratio = inChart
      ? contrast(style.fill, one, opacity(one) * Number(style.fillOpacity))
      : contrast(style.color, one, opacity(one));
    found.push([ratio, inChart, `${text.slice(0, 40)} (${one.tagName} in ${one.closest("[id]")?.id})`]);
  }
  return found;
};

// The contrast of what is drawn in the colour of a system or in ink, and not meant to let others shine through.
const marks = () => {
  const found = [];
  for (const one of every(".chart svg *").filter(seen)) {
    const style = getComputedStyle(one);
    for (const paint of ["fill", "stroke"]) {
      const colour = one.getAttribute(paint) ?? "";
      const alpha = opacity(one) * Number(style[`${paint}Opacity`]);
      if (!/--(s[0-9]|ink|muted)/.test(colour) || alpha < 0.7) continue;
      found.push([contrast(style[paint], one, alpha), `${paint} ${colour} in ${one.closest("figure").id}`]);
    }
  }
  return found;
};

// Whatever a report has no use for.
const foreign = () => [
  ...every("img, iframe, object, embed, link, form, b b, [src], [style]:not(#tip)"),
  ...every("a").filter((one) => !one.getAttribute("href").startsWith("#")),
  ...every("*").filter((one) => [...one.attributes].some((own) => own.name.startsWith("on"))),
  ...[...document.scripts].slice(1),
].map((one) => one.outerHTML);
