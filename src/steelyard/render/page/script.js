"use strict";
(() => {
  const root = document.documentElement;
  const every = (selector, within = document) => [...within.querySelectorAll(selector)];

  // Controls do nothing without this script, so they are shown by it.
  for (const one of every(".controls, .systems, .copy")) one.hidden = false;

  const language = document.getElementById("language");
  language.addEventListener("change", () => { root.lang = language.value; });

  const theme = document.getElementById("theme");
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const showTheme = () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches;
    theme.setAttribute("aria-pressed", String(dark));
    return dark;
  };
  theme.addEventListener("click", () => {
    root.dataset.theme = showTheme() ? "light" : "dark";
    showTheme();
  });
  prefersDark.addEventListener("change", showTheme);
  showTheme();

  // Systems: whatever belongs to one says so in data-s.
  for (const box of every(".systems input")) {
    const show = () => {
      for (const one of every(`[data-s="${box.value}"]`)) one.toggleAttribute("hidden", !box.checked);
    };
    box.addEventListener("change", show);
    show();
  }

  // Tables: a heading becomes a button; values that are undefined stay at the end.
  const key = (row, at, numeric) => {
    const cell = row.cells[at];
    if (numeric) return cell.dataset.v === undefined ? null : Number(cell.dataset.v);
    return cell.textContent.trim();
  };
  const sort = (table, head, heads) => {
    const numeric = head.classList.contains("n");
    const at = head.cellIndex;
    const before = head.getAttribute("aria-sort");
    const falling = before ? before === "ascending" : numeric;
    for (const one of heads) one.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", falling ? "descending" : "ascending");
    const body = table.tBodies[table.tBodies.length - 1];
    const compare = (a, b) => {
      const [one, other] = [key(a, at, numeric), key(b, at, numeric)];
      if (one === null || other === null) return (one === null) - (other === null);
      const order = numeric ? one - other : one.localeCompare(other, undefined, { numeric: true });
      return falling ? -order : order;
    };
    body.append(...[...body.rows].sort(compare));
  };
  for (const table of every("table[data-sortable]")) {
    const heads = every("thead tr:last-child > th", table);
    for (const head of heads) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(table, head, heads));
    }
  }

  // A region that has nothing to scroll needs no place in the order of the keyboard, and says of no more.
  const moved = (region) => region.toggleAttribute("data-moved", region.scrollLeft > 1);
  const regions = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const scrolls = target.scrollWidth > target.clientWidth + 1;
      target.toggleAttribute("tabindex", scrolls);
      if (scrolls) target.tabIndex = 0;
      target.setAttribute("role", scrolls ? "region" : "presentation");
      target.querySelector(".more").hidden = !scrolls;
      moved(target);
    }
  });
  for (const one of every(".scroll")) {
    regions.observe(one);
    one.addEventListener("scroll", () => moved(one), { passive: true });
  }

  // Charts: the value under the pointer; for the keyboard there is the table below each chart.
  const tip = document.getElementById("tip");
  const place = (event) => {
    const box = tip.getBoundingClientRect();
    const left = Math.min(event.clientX + 14, innerWidth - box.width - 8);
    const above = event.clientY - box.height - 12;
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${above > 8 ? above : event.clientY + 18}px`;
  };
  const near = 20; // pixels
  const distance = (mark, event) => {
    const box = mark.getBoundingClientRect();
    if (box.width === 0 && box.height === 0) return Infinity; // hidden; an upright line has no width
    const across = Math.max(box.left - event.clientX, 0, event.clientX - box.right);
    const along = Math.max(box.top - event.clientY, 0, event.clientY - box.bottom);
    return Math.hypot(across, along);
  };
  const nearest = (event) => {
    if (!(event.target instanceof Element)) return null;
    const mark = event.target.closest("[data-tip]");
    const chart = event.target.closest(".chart svg");
    if (mark !== null || chart === null) return mark;
    const found = { mark: null, away: near };
    for (const one of every("[data-tip]", chart)) {
      const away = distance(one, event);
      if (away < found.away) Object.assign(found, { mark: one, away });
    }
    return found.mark;
  };
  let told = null;
  let at = null; // where the pointer was last
  const tell = (mark, event) => {
    if (told !== mark && told !== null) told.classList.remove("on");
    [told, at] = [mark, event];
    tip.hidden = mark === null;
    if (mark === null) return;
    mark.classList.add("on");
    tip.textContent = mark.dataset.tip;
    place(event);
  };
  for (const kind of ["pointermove", "pointerdown"]) {
    document.addEventListener(kind, (event) => tell(nearest(event), event));
  }
  const leave = () => { if (told !== null && distance(told, at) > near) tell(null); };
  document.addEventListener("scroll", leave, { passive: true, capture: true });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") tell(null); });

  // Copying.
  const copied = async (source) => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      return true;
    } catch {
      const range = document.createRange();
      range.selectNodeContents(source);
      const selection = getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
      return document.execCommand("copy");
    }
  };
  for (const button of every(".copy")) {
    const [idle, done] = [button.querySelector(".idle"), button.querySelector(".done")];
    button.addEventListener("click", async () => {
      if (!(await copied(document.getElementById(button.dataset.copy)))) return;
      const show = (copied) => { [idle.hidden, done.hidden] = [copied, !copied]; };
      show(true);
      setTimeout(show, 1500, false);
    });
  }

  // On paper everything is open.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = every("details:not([open])");
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => { for (const one of opened) one.open = false; });
})();
