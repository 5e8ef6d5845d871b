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

document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input:not([type=checkbox]), select, textarea');
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
  event.preventDefault();
  document.getElementById('search')?.focus();
});

const LIVE = '[hx-trigger^="every"]';
const PAUSED = 'updates-paused';
const isPaused = () => sessionStorage.getItem(PAUSED) === 'yes';

// People can pause the live parts of all pages in this tab.
const pause = document.getElementById('pause-updates');
const showPause = () => {
  pause.hidden = document.querySelector(LIVE) === null;
  pause.textContent = isPaused() ? 'Resume updates' : 'Pause updates';
};
pause.addEventListener('click', () => {
  sessionStorage.setItem(PAUSED, isPaused() ? 'no' : 'yes');
  showPause();
});
showPause();
document.addEventListener('htmx:beforeRequest', (event) => {
  if (isPaused() && event.detail.elt.matches(LIVE)) event.preventDefault();
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
    if (found.length === 0) part.tabIndex = -1;
    (found[kept.place] ?? found[0] ?? part).focus({ preventScroll: true });
  }
  kept = undefined;
  showPause();
});
