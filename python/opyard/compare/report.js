// Sorts tables, unfolds where a link leads, and prepares folds for paper.
"use strict";
{
  // A click on a heading sorts the rows of a table and of its continuations, a second one the
  // other way; cells without a number come last.
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    if (column === 0) return cell.textContent;
    return cell.dataset.value === undefined ? null : Number(cell.dataset.value);
  };
  const inOrder = (rows, column, ascending) => [...rows].sort((a, b) => {
    const [x, y] = [keyOf(a, column), keyOf(b, column)];
    if (x === null || y === null) return (x === null) - (y === null);
    const order = typeof x === "string" ? x.localeCompare(y) : x - y;
    return ascending ? order : -order;
  });
  const sort = (table, heading, column) => {
    const ascending = heading.getAttribute("aria-sort") !== "ascending";
    const tables = [...table.parentElement.querySelectorAll("table")];
    const before = [...table.tBodies[0].rows];
    const places = inOrder(before, column, ascending).map((row) => before.indexOf(row));
    for (const other of tables) {
      const rows = [...other.tBodies[0].rows];
      other.tBodies[0].append(...places.map((place) => rows[place]));
      for (const each of other.tHead.rows[0].cells) each.removeAttribute("aria-sort");
    }
    heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  };
  for (const table of document.querySelectorAll("table:has(thead button)")) {
    [...table.tHead.rows[0].cells].forEach((heading, column) => {
      heading.querySelector("button").addEventListener("click", () => sort(table, heading, column));
    });
  }

  // Charts of sections are drawn in closed folds, too: open, but out of sight, until they are.
  const settle = (fold) => {
    if (!fold.classList.contains("out-of-sight")) return;
    fold.open = false;
    fold.classList.remove("out-of-sight");
  };
  const show = (fold) => {
    fold.classList.remove("out-of-sight");
    fold.open = true;
  };
  const sections = [...document.querySelectorAll("details.section")];
  const waiting = new Set(sections.filter((fold) => fold.querySelector(".charts [data-figure]")));
  const isDrawn = (fold) => [...fold.querySelectorAll(".charts [data-figure]")]
    .every((figure) => figure.dataset.state !== undefined);
  const settleDrawn = () => {
    for (const fold of waiting) {
      if (isDrawn(fold)) {
        settle(fold);
        waiting.delete(fold);
      }
    }
    if (waiting.size === 0) document.documentElement.dataset.ready = "";
  };
  for (const fold of waiting) {
    fold.classList.add("out-of-sight");
    fold.open = true;
    fold.querySelector("summary").addEventListener("click", (event) => {
      if (fold.classList.contains("out-of-sight") && event.target.closest("a") === null) {
        event.preventDefault();
        show(fold);
      }
    });
  }
  new MutationObserver(settleDrawn).observe(
    document.body, { subtree: true, attributes: true, attributeFilter: ["data-state"] });
  settleDrawn();

  // A link to anything in a fold unfolds it.
  const unfoldTarget = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target === null) return;
    for (let fold = target.closest("details"); fold !== null;
      fold = fold.parentElement.closest("details")) show(fold);
    target.scrollIntoView();
  };
  addEventListener("hashchange", unfoldTarget);
  document.addEventListener("click", (event) => {
    if (event.target.closest?.("a")?.getAttribute("href") === location.hash) unfoldTarget();
  });
  unfoldTarget();

  const expand = document.getElementById("expand");
  expand.addEventListener("click", () => {
    const isExpanded = expand.getAttribute("aria-pressed") === "true";
    for (const fold of document.querySelectorAll("main details:not(.plan, .view)")) {
      if (isExpanded) fold.open = false; else show(fold);
    }
    expand.setAttribute("aria-pressed", String(!isExpanded));
    expand.textContent = isExpanded ? "Expand all" : "Collapse all";
  });

  // On paper all sections are open.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = sections.filter((fold) => !fold.open || fold.classList.contains("out-of-sight"));
    closed.forEach(show);
  });
  addEventListener("afterprint", () => {
    for (const fold of closed) fold.open = false;
    closed = [];
  });
}
