/* What htmx cannot do: when to poll, what never to swap, ages, and saying so when the page goes stale. */
(() => {
  "use strict";
  const SEEN = 5000, HIDDEN = 60000, STALE = 30000, SAY = 15000, SOON = 1000;
  const byId = (id) => document.getElementById(id);
  const island = () => document.querySelector("[hx-trigger='aglet:poll']");
  const told = document.querySelector("meta[name=aglet-now]");
  // Ages are counted by the server's clock: a wrong one in the browser must not make an outage look younger.
  const ahead = told ? Date.parse(told.content) - Date.now() : 0;
  const now = () => Date.now() + ahead;
  let good = Date.now(), wait = SEEN, timer = 0, said = 0, over = false, busy = false;

  const clock = (ms) => new Date(ms).toISOString().slice(11, 19) + "Z";

  function span(ms) {
    const s = Math.max(0, Math.floor(ms / 1000));
    const two = (a, unit, b, rest) => (b ? `${a} ${unit} ${b} ${rest}` : `${a} ${unit}`);
    if (s < 120) return `${s} s`;
    if (s < 3600) return two(Math.floor(s / 60), "min", s % 60, "s");
    const h = Math.floor(s / 3600);
    if (h < 48) return two(h, "h", Math.floor(s / 60) % 60, "min");
    return two(Math.floor(h / 24), "d", h % 24, "h");
  }

  function stamp() {
    for (const each of document.querySelectorAll("time[data-age]")) {
      const text = span(now() - Date.parse(each.dateTime));
      if (each.textContent !== text) each.textContent = text;
    }
    const live = byId("live");
    if (!live || !island()) return;
    const stale = over || Date.now() - good > STALE;
    live.classList.toggle("stale", stale);
    live.textContent = stale ? `Not updating since ${clock(good + ahead)}, ${over ? "signed out" : "retrying"}` : `Live ${clock(good + ahead)}`;
  }

  function plan(ms) {
    clearTimeout(timer);
    if (!over) timer = setTimeout(poll, ms);
  }

  function poll() {
    const part = island();
    if (part && !document.hidden && !busy) {
      busy = true;
      htmx.trigger(part, "aglet:poll");
    }
    plan(document.hidden ? HIDDEN : wait);
  }

  // A text being marked, or a field being used, stays as it is; the next poll brings the change.
  function inUse() {
    const marked = getSelection();
    const field = document.activeElement;
    return [...document.querySelectorAll("[data-live], [hx-trigger='aglet:poll']")].some((part) =>
      (marked && !marked.isCollapsed && part.contains(marked.anchorNode)) ||
      (part.contains(field) && field.matches("input, select, textarea")));
  }

  // What came of a person's own act takes the focus; a refusal that has no part of its own is said as well.
  function acted(event) {
    const result = byId("result");
    const status = event.detail.xhr.status;
    if (result && !event.detail.successful && status !== 422) {
      result.innerHTML = '<p class="note" data-s="absent" role="alert" tabindex="-1"></p>';
      result.firstChild.textContent = status ? `Not done: the console answered ${status}. Load the page again.` : "Not done: the console did not answer. Your text is still here; try again.";
    }
    const told = result && result.querySelector("[tabindex='-1']");
    if (told) told.focus();
  }

  function announce(text) {
    const line = byId("say");
    if (!line || !text || Date.now() - said < SAY) return;
    said = Date.now();
    line.textContent = text;
  }

  function signedOut() {
    over = true;
    clearTimeout(timer);
    const note = document.createElement("p");
    note.className = "note";
    note.setAttribute("role", "alert");
    note.append("You were signed out, so this page no longer changes. ");
    const link = document.createElement("a");
    link.href = "/sign-in/?next=" + encodeURIComponent(location.pathname + location.search);
    link.textContent = "Sign in again";
    note.append(link);
    byId("main").prepend(note);
    stamp();
  }

  const on = (name, run) => document.addEventListener(name, run);
  let open = [];

  on("htmx:beforeSwap", (event) => {
    const part = island();
    if (!event.detail.shouldSwap || !part) return;
    if (event.detail.requestConfig.verb === "get" && inUse()) event.detail.shouldSwap = false;
    open = [...document.querySelectorAll("details[open][id]")].map((each) => each.id);
  });
  on("htmx:afterSwap", () => {
    const part = island();
    if (!part) return;
    open.forEach((id) => byId(id) && (byId(id).open = true));
    document.title = part.dataset.title || document.title;
    byId("icon").href = byId("icon").dataset.icons + part.dataset.icon + ".svg";
    announce(part.dataset.say);
  });
  on("htmx:afterRequest", (event) => {
    if (event.detail.requestConfig.verb === "post") return acted(event);
    busy = false;
    const fine = event.detail.successful;
    if (fine) good = Date.now();
    wait = fine ? SEEN : Math.min(wait * 2, HIDDEN);
    plan(wait);
    stamp();
  });
  on("aglet:signed-out", signedOut);
  on("visibilitychange", () => document.hidden || plan(SOON));

  // A second press sends nothing; the server would give the first answer again anyway.
  on("submit", (event) => {
    const form = event.target;
    if (!form.matches("[data-once]")) return;
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
  });
  addEventListener("pageshow", () => document.querySelectorAll("[data-sent]").forEach((form) => delete form.dataset.sent));

  setInterval(stamp, SEEN);
  stamp();
  plan(SEEN);
})();
