// Marks all rows of a table, asks before a form is sent, keeps live parts usable, uploads files in parts, and adds keys. All pages work without it.
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

// Selected rows of a list stay selected on its other pages, until the form is sent.
const marksOf = (form) => {
  const name = `marks:${form.dataset.marks}`;
  const boxes = [...form.querySelectorAll('tbody input[type=checkbox]')];
  return { name, boxes, values: new Set(JSON.parse(sessionStorage.getItem(name) ?? '[]')) };
};
const showMarks = (form, { name, boxes, values }) => {
  sessionStorage.setItem(name, JSON.stringify([...values]));
  const others = values.size - boxes.filter((box) => box.checked).length;
  form.querySelector('[data-marked]').textContent =
    `${values.size} selected${others > 0 ? `, ${others} of them on other pages` : ''}`;
};
for (const form of document.querySelectorAll('form[data-marks]')) {
  const marks = marksOf(form);
  for (const box of marks.boxes) box.checked ||= marks.values.has(box.value);
  showMarks(form, marks);
}
document.addEventListener('change', ({ target }) => {
  const form = target.closest('form[data-marks]');
  if (form === null || target.type !== 'checkbox') return;
  const marks = marksOf(form);
  for (const box of marks.boxes) marks.values[box.checked ? 'add' : 'delete'](box.value);
  showMarks(form, marks);
});
document.addEventListener('submit', ({ target, defaultPrevented }) => {
  if (defaultPrevented || target.dataset.marks === undefined) return;
  const { name, boxes, values } = marksOf(target);
  for (const box of boxes) values.delete(box.value);
  for (const value of values) {
    const field = Object.assign(document.createElement('input'), { type: 'hidden', value });
    field.name = target.querySelector('[data-marks-all]').dataset.marksAll;
    target.append(field);
  }
  sessionStorage.removeItem(name);
});

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

// Copies a text, where the browser allows it.
for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = !navigator.clipboard;
  button.addEventListener('click', async () => {
    const copied = document.getElementById(button.dataset.copy);
    await navigator.clipboard.writeText(copied.value ?? copied.textContent);
    button.textContent = button.dataset.copied;
  });
}

const PART_BYTES = 8 * 1024 * 1024;
const TRIES = 5;

// Cuts a file, unpacked, at line ends, always at the same ones, so that its stored parts are recognized.
async function* partsOf(file, showRead) {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  let read = 0;
  const counted = new TransformStream({
    transform: (chunk, controller) => {
      read += chunk.length;
      showRead(read / file.size);
      controller.enqueue(chunk);
    },
  });
  const bytes = file.stream().pipeThrough(counted);
  const isGzip = first === 0x1f && second === 0x8b;
  const reader = (isGzip ? bytes.pipeThrough(new DecompressionStream('gzip')) : bytes).getReader();
  let [held, size] = [[], 0];
  for (let isOver = false; !isOver;) {
    const { done, value } = await reader.read();
    isOver = done;
    if (!done) {
      held.push(value);
      size += value.length;
    }
    while (size > PART_BYTES) {
      const all = new Blob(held);
      const start = new Uint8Array(await all.slice(0, PART_BYTES).arrayBuffer());
      const end = start.lastIndexOf(10) + 1 || PART_BYTES;
      yield all.slice(0, end);
      [held, size] = [[all.slice(end)], size - end];
    }
  }
  const rest = new Blob(held);
  if (size > 1024 || (await rest.text()).trim() !== '') yield rest;
}

const sha256Of = async (part) => {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await part.arrayBuffer()));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
};

// Sends a part, again after a broken connection or while the service is busy.
async function sendPart(address, body) {
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(address, { method: 'POST', body, headers: { 'hx-request': 'true' } }).catch(
      () => undefined,
    );
    if (answer?.ok) return;
    if (answer !== undefined && ![429, 502, 503, 504].includes(answer.status)) {
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      throw new Error(page.querySelector('main h1 ~ :is(p, ul)')?.textContent.trim() ?? 'reload');
    }
    if (tries === TRIES) throw new Error('lost');
    await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** tries));
  }
}

// A file whose first part is stored continues there; another one comes after the stored parts.
async function uploadFile(form, stored, showRead) {
  const [file] = form.elements.file.files;
  if (file.size === 0) throw new Error('empty');
  const address = form.getAttribute('action').replace(/\d+$/, '');
  let number;
  for await (const part of partsOf(file, showRead)) {
    const sha256 = await sha256Of(part);
    number ??= [...stored].find(([, known]) => known === sha256)?.[0] ?? Math.max(0, ...stored.keys()) + 1;
    if (stored.has(number) && stored.get(number) !== sha256) {
      throw new Error('other');
    }
    if (!stored.has(number)) {
      const body = new FormData();
      body.append('form_token', form.elements.form_token.value);
      body.append('file', part, file.name);
      await sendPart(address + number, body);
      stored.set(number, sha256);
    }
    number += 1;
  }
}

for (const form of document.querySelectorAll('form[data-parts]')) {
  // Without TLS browsers have no hashes; then the form sends the file itself.
  if (!globalThis.crypto?.subtle) continue;
  const stored = new Map(JSON.parse(form.dataset.parts).map(({ part, sha256 }) => [part, sha256]));
  const bar = form.querySelector('progress');
  const said = form.querySelector('[role=status]');
  const button = form.querySelector('button');
  const showRead = (share) => {
    bar.value = share;
    said.textContent = `${Math.floor(share * 100)} %`;
  };
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    [bar.hidden, button.disabled, said.className] = [false, true, ''];
    try {
      await uploadFile(form, stored, showRead);
      location.reload();
    } catch (error) {
      // The page has the sentences of its own errors, in its language.
      said.textContent = said.dataset[error.message] ?? error.message;
      said.className = 'flash flash-problem';
      [bar.hidden, button.disabled] = [true, false];
    }
  });
  form.addEventListener('dragover', (event) => event.preventDefault());
  form.addEventListener('dragenter', () => form.classList.add('over'));
  form.addEventListener('dragleave', (event) => form.classList.toggle('over', form.contains(event.relatedTarget)));
  form.addEventListener('drop', (event) => {
    event.preventDefault();
    form.classList.remove('over');
    form.elements.file.files = event.dataTransfer.files;
    form.requestSubmit();
  });
}
