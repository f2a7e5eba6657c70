// Draws the figures of a page: each when it is first seen, in the scheme of the browser, and as
// pictures on paper.
"use strict";
{
  const placeholders = [...document.querySelectorAll("[data-figure]")];
  const drawn = new Map(); // placeholder -> promise of its views
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paper = matchMedia("print");
  const whenIdle = window.requestIdleCallback ?? ((call) => setTimeout(call, 50)); // Safari

  const unpack = async (text) => {
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < bytes.length; ++i) bytes[i] = letters.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  };
  const modelsOf = (views) => [...views.roots[0].model.document.all_models];
  const idle = (views) => new Promise((resolve) => {
    const { document } = views.roots[0].model;
    if (document.is_idle) resolve(); else document.idle.connect(resolve);
  });
  const paint = (views) => {
    for (const view of views.query((view) => typeof view.invalidate_painters === "function")) {
      view.invalidate_painters();
      view.paint();
    }
  };
  const draw = (placeholder) => {
    if (!drawn.has(placeholder)) {
      drawn.set(placeholder, (async () => {
        const { figure } = placeholder.dataset;
        const item = await unpack(document.getElementById(`packed-${figure}`).textContent);
        const views = await Bokeh.embed.embed_item(item, placeholder.id);
        await idle(views);
        placeholder.views = views;
        placeholder.dataset.state = "drawn";
        return views;
      })().catch((error) => {
        placeholder.dataset.state = "failed";
        placeholder.textContent = `This figure cannot be drawn here: ${error}`;
      }));
    }
    return drawn.get(placeholder);
  };
  const repaintAll = () => {
    for (const { views } of placeholders) if (views !== undefined) paint(views);
  };

  // On paper a figure is a picture, which takes the width of the page; a high one is several that
  // stand below each other, since pages end between pictures only.
  const [mostPixels, pieceOfPixels] = [640, 312];
  const picturesOf = (plot) => {
    const { canvas } = plot.export("png");
    const isHigh = plot.bbox.height > mostPixels;
    const height = Math.round((isHigh ? pieceOfPixels : mostPixels) * canvas.width / plot.bbox.width);
    const pictures = [];
    for (let top = 0; top < canvas.height; top += height) {
      const piece = document.createElement("canvas");
      piece.width = canvas.width;
      piece.height = Math.min(height, canvas.height - top);
      piece.getContext("2d").drawImage(canvas, 0, -top);
      const picture = new Image();
      picture.alt = "";
      picture.src = piece.toDataURL();
      picture.style.setProperty("--width", `${plot.bbox.width}px`);
      pictures.push(picture);
    }
    return pictures;
  };
  const toPaper = () => {
    document.documentElement.dataset.printing = "";
    for (const placeholder of placeholders) {
      const { views } = placeholder;
      if (views === undefined || placeholder.querySelector(":scope > img") !== null) continue;
      paint(views);
      placeholder.append(...picturesOf(views.roots[0]));
    }
  };
  const fromPaper = () => {
    delete document.documentElement.dataset.printing;
    for (const picture of document.querySelectorAll(".figure > img")) picture.remove();
    repaintAll();
  };

  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) {
        seen.unobserve(target);
        draw(target);
      }
    }
  }, { rootMargin: "400px" });
  for (const placeholder of placeholders) seen.observe(placeholder);
  // What is unfolded but further down is drawn, too, so that it prints: nothing waits for printing.
  const drawNext = () => {
    const next = placeholders.find((one) => !drawn.has(one) && one.checkVisibility());
    if (next !== undefined) draw(next).then(() => whenIdle(drawNext));
  };
  addEventListener("load", () => whenIdle(drawNext));
  for (const details of document.querySelectorAll("details")) {
    details.addEventListener("toggle", drawNext);
  }

  for (const menu of document.querySelectorAll("[data-figure-choice]")) {
    menu.addEventListener("change", async () => {
      const views = await draw(document.getElementById(`figure-${menu.dataset.figureChoice}`));
      const setting = JSON.parse(menu.value);
      const text = menu.selectedOptions[0].textContent;
      for (const legend of menu.closest(".choice").querySelectorAll("[data-of]")) {
        legend.hidden = legend.dataset.of !== text;
      }
      for (const model of modelsOf(views)) {
        if (Object.hasOwn(setting, model.name)) model.setv(setting[model.name]);
      }
    });
  }
  for (const button of document.querySelectorAll("[data-figure-toggle]")) {
    button.addEventListener("click", async () => {
      const isShown = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(isShown));
      const views = await draw(document.getElementById(`figure-${button.dataset.figureToggle}`));
      for (const model of modelsOf(views)) {
        if (model.name === button.value && model.visible !== undefined) model.visible = isShown;
      }
    });
  }
  dark.addEventListener("change", repaintAll);
  paper.addEventListener("change", () => (paper.matches ? toPaper() : fromPaper()));
  addEventListener("beforeprint", toPaper);
  addEventListener("afterprint", fromPaper);
}
