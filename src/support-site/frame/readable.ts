import { html, type Html, type Part } from './html.ts';

/** Values of one tree that a page shows at most; large accounts have more. */
const VALUES_SHOWN = 3_000;

/** Stored data as nested names and values, so that people need not read JSON. */
export function readable(value: unknown): Html {
  const budget = { left: VALUES_SHOWN };
  const shown = partOf(value, budget);
  return html`${shown}${budget.left <= 0 && html`<p class="fine">Only the first ${VALUES_SHOWN} values are shown. The operator API returns all of them.</p>`}`;
}

function partOf(value: unknown, budget: { left: number }): Part {
  if (budget.left <= 0) return undefined;
  if (typeof value !== 'object' || value === null) {
    budget.left -= 1;
    return scalarText(value);
  }
  if (Array.isArray(value)) return listPart(value, budget);
  const members = Object.entries(value);
  if (members.length === 0) return '–';
  return html`<dl class="pairs">
    ${members.map(([name, member]) => {
      if (budget.left <= 0) return undefined;
      return html`<dt>${name.replaceAll('_', ' ')}</dt>
        <dd>${partOf(member, budget)}</dd>`;
    })}
  </dl>`;
}

function listPart(values: readonly unknown[], budget: { left: number }): Part {
  if (values.length === 0) return '–';
  if (values.every((one) => typeof one !== 'object' || one === null)) {
    const shown = values.slice(0, Math.max(0, budget.left));
    budget.left -= values.length;
    return shown.map(scalarText).join(', ');
  }
  return html`<ol>
    ${values.map((one) => (budget.left <= 0 ? undefined : html`<li>${partOf(one, budget)}</li>`))}
  </ol>`;
}

function scalarText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Stored data in one line, shortened. */
export function readableLine(value: unknown, lengthMax: number): string {
  const text = lineOf(value, lengthMax);
  return text.length > lengthMax ? `${text.slice(0, lengthMax)} ...` : text;
}

function lineOf(value: unknown, lengthMax: number): string {
  if (typeof value !== 'object' || value === null) return scalarText(value);
  const parts: string[] = [];
  let length = 0;
  for (const [name, member] of Object.entries(value)) {
    const text = lineOf(member, lengthMax);
    parts.push(Array.isArray(value) ? text : `${name.replaceAll('_', ' ')}: ${text}`);
    length += text.length;
    if (length > lengthMax) break;
  }
  return parts.length === 0 ? '–' : parts.join(', ');
}
