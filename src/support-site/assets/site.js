// Marks all rows of a table, asks before a form is sent, keeps live parts usable, and adds keys. All pages work without it.
document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.dataset.marksAll) return;
  for (const box of target.form.querySelectorAll(`input[type=checkbox][name="${target.dataset.marksAll}"]`)) {
    box.checked = target.checked;
  }
});

document.addEventListener('submit', (event) => {
  const question = event.submitter?.dataset.ask ?? event.target.dataset.ask;
  if (question && !window.confirm(question)) event.preventDefault();
});

// Collapsed groups of the menu stay collapsed.
for (const group of document.querySelectorAll('details[data-keep]')) {
  const name = `closed:${group.dataset.keep}`;
  group.open = localStorage.getItem(name) === null;
  group.addEventListener('toggle', () => {
    if (group.open) localStorage.removeItem(name);
    else localStorage.setItem(name, 'yes');
  });
}

const LIVE = '[hx-trigger^="every"]';
const PAUSED = 'updates-paused';
const isPaused = () => sessionStorage.getItem(PAUSED) === 'yes';
let isRequested = false;

// People can pause the live parts of all pages in this tab.
const pause = document.getElementById('pause-updates');
const pauseText = pause.textContent;
const showPause = () => {
  pause.hidden = document.querySelector(LIVE) === null;
  pause.textContent = isPaused() ? pause.dataset.resume : pauseText;
  pause.dataset.paused = isPaused() ? 'yes' : 'no';
};
pause.addEventListener('click', () => {
  sessionStorage.setItem(PAUSED, isPaused() ? 'no' : 'yes');
  showPause();
});
showPause();
document.addEventListener('htmx:beforeRequest', (event) => {
  if (isPaused() && !isRequested && event.detail.elt.matches(LIVE)) event.preventDefault();
});

const isSelectedIn = (part) => {
  const selection = window.getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(part, true);
};

// An element is found again by what identifies it, and by its place among those that look the same.
const signatureOf = (element) =>
  [
    element.localName,
    element.id,
    ...['href', 'name', 'value', 'aria-label'].map((name) => element.getAttribute(name)),
  ].join('|');
const alike = (signature) => [...document.querySelectorAll('body *')].filter((one) => signatureOf(one) === signature);

let kept;
document.addEventListener('htmx:beforeSwap', (event) => {
  const { target, elt } = event.detail;
  if (!elt.matches(LIVE)) return;
  // Replacing selected text would end the selection; the next update replaces it.
  if (isSelectedIn(target)) {
    event.detail.shouldSwap = false;
    return;
  }
  const focused = document.activeElement === document.body ? null : document.activeElement;
  const signature = focused && signatureOf(focused);
  kept = {
    id: target.id,
    focused,
    signature,
    place: focused && alike(signature).indexOf(focused),
    open: [...target.querySelectorAll('details')].map((one) => one.open),
    scrolled: [...target.querySelectorAll('.table')].map((one) => one.scrollLeft),
  };
});
document.addEventListener('htmx:afterSettle', () => {
  const part = kept && document.getElementById(kept.id);
  if (!part) return;
  for (const [place, one] of part.querySelectorAll('details').entries()) one.open = kept.open[place] ?? one.open;
  for (const [place, one] of part.querySelectorAll('.table').entries()) one.scrollLeft = kept.scrolled[place] ?? 0;
  if (kept.focused !== null && !kept.focused.isConnected) {
    const found = alike(kept.signature);
    // Where the focused element is gone, the live part itself keeps the place in the page.
    const next = found[kept.place] ?? found[0] ?? part;
    if (next === part || next.localName === 'tr') next.tabIndex = -1;
    next.focus({ preventScroll: true });
  }
  kept = undefined;
  showPause();
});

const palette = document.getElementById('palette');
const keys = document.getElementById('keys');

const rowOf = (element) => element.closest('main tbody tr');
const moveRow = (step) => {
  const rows = [...document.querySelectorAll('main tbody tr')].filter((row) => row.checkVisibility());
  const at = rows.indexOf(rowOf(document.activeElement));
  const row = rows[at === -1 ? 0 : Math.min(Math.max(at + step, 0), rows.length - 1)];
  if (row === undefined) return;
  row.tabIndex = -1;
  row.focus();
};
const refresh = () => {
  isRequested = true;
  for (const part of document.querySelectorAll(LIVE)) {
    window.htmx.ajax('GET', part.getAttribute('hx-get'), { source: part, target: part, swap: 'outerHTML' });
  }
  isRequested = false;
};

const COMMANDS = {
  '/': () => document.getElementById('search').focus(),
  '?': () => keys.showModal(),
  j: () => moveRow(1),
  k: () => moveRow(-1),
  x: () => rowOf(document.activeElement)?.querySelector('input[type=checkbox]')?.click(),
  r: () => (document.querySelector('main [aria-keyshortcuts=r]') ?? { click: refresh }).click(),
  g: () => {
    isGoing = true;
    setTimeout(() => (isGoing = false), 1500);
  },
};
let isGoing = false;

// Single keys can be switched off, because speech input may type them.
const KEYS_OFF = 'keys-off';
const keysOn = document.getElementById('keys-on');
if (keysOn !== null) {
  keysOn.checked = localStorage.getItem(KEYS_OFF) === null;
  keysOn.addEventListener('change', () => {
    if (keysOn.checked) localStorage.removeItem(KEYS_OFF);
    else localStorage.setItem(KEYS_OFF, 'yes');
  });
}

document.addEventListener('keydown', (event) => {
  const { key, target } = event;
  if (palette === null || event.altKey) return;
  if ((event.ctrlKey || event.metaKey) && key === 'k') {
    event.preventDefault();
    if (!palette.open) palette.showModal();
    return;
  }
  const isTyping = target.closest('input:not([type=checkbox]), select, textarea, dialog');
  if (event.ctrlKey || event.metaKey || isTyping || !keysOn.checked) return;
  if (key === 'Enter' && target === rowOf(target)) return target.querySelector('a')?.click();
  const page = isGoing && document.querySelector(`[data-go="${CSS.escape(key)}"]`);
  const command = page ? () => page.click() : COMMANDS[key];
  if (command === undefined) return;
  event.preventDefault();
  isGoing = false;
  command();
});

// Enter must not open a result of an earlier text.
palette?.addEventListener('input', () => document.getElementById('palette-results').replaceChildren());

// In the palette, arrows move through the results, and Enter opens the first one.
palette?.addEventListener('keydown', (event) => {
  const links = [...palette.querySelectorAll('input[type=search], #palette-results a')];
  const at = links.indexOf(document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === 'Enter' && at === 0 && links.length > 1) links[1].click();
  else if (step !== undefined) links[(at + step + links.length) % links.length].focus();
  else return;
  event.preventDefault();
});
