import { shortened } from './cells.ts';
import { html, type Html, type Part } from './html.ts';
import { language, t, translated } from './language.ts';

/** Names of fields whose words alone do not say enough. */
const LABELS = new Map(
  Object.entries({
    addons: 'Add-ons',
    attr: 'Field',
    bill_period_from_date: 'Billed from',
    bill_period_to_date: 'Billed to',
    customer_at_supply_address_from_date: 'Customer here since',
    issued_date: 'Issued',
    ledger_code: 'Ledger',
    organisation: 'Organization',
    siret: 'SIRET',
    term_type: 'Term',
    transaction_date: 'Date',
    transaction_id: 'Transaction',
    unresolved: 'Instruction unknown',
    vendor_name: 'Vendor',
    vendor_reference: 'Reference',
  }),
);

/** A field as people name it: `valid_from_date` is `Valid from`. */
export function labelOf(name: string): string {
  const words = name
    .replace(/_e164$/, '')
    .replace(/(?<=_(?:from|to|at|start|end))_date$/, '')
    .replaceAll('_', ' ');
  return translated(LABELS.get(name) ?? words.charAt(0).toUpperCase() + words.slice(1));
}

/** An amount with two decimals or more, and thousands: `1,234.50 €`. Digits beyond the cents are kept. */
export function euros(amount: string | undefined): string | undefined {
  const [, sign, whole = '', cents = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount ?? '') ?? [];
  if (sign === undefined) return amount;
  const [group, point] = language() === 'fr' ? ['\u202F', ','] : [',', '.'];
  return `${sign}${whole.replace(/\B(?=(?:\d{3})+$)/g, group)}${point}${cents.padEnd(2, '0')}\u00A0€`;
}

/** A telephone number to click, French ones as they are written in France: `06 12 34 56 78`. Other texts stay as they are. */
export function telephone(number: string | undefined): Part {
  if (number === undefined || !/^\+\d{6,15}$/.test(number)) return number;
  const [, digits] = /^\+33(\d{9})$/.exec(number) ?? [];
  const written = digits === undefined ? number : `0${digits}`.replace(/\B(?=(?:\d\d)+$)/g, ' ');
  return html`<a href="tel:${number}">${written}</a>`;
}

/** Values of one tree that a page shows at most; large accounts have more. */
const VALUES_SHOWN = 3_000;

/** Stored data as nested names and values, so that people need not read JSON. */
export function readable(value: unknown): Html {
  const budget = { left: VALUES_SHOWN };
  const shown = partOf(value, budget);
  return html`${shown}${budget.left <= 0 && html`<p class="fine">${t('Only the first {count} values are shown. The operator API returns all of them.', { count: VALUES_SHOWN })}</p>`}`;
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
      return html`<dt>${labelOf(name)}</dt>
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
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Stored data in one line, shortened. */
export function readableLine(value: unknown, lengthMax: number): string {
  return shortened(lineOf(value, lengthMax), lengthMax);
}

function lineOf(value: unknown, lengthMax: number): string {
  if (typeof value !== 'object' || value === null) return scalarText(value);
  const parts: string[] = [];
  let length = 0;
  for (const [name, member] of Object.entries(value)) {
    const text = lineOf(member, lengthMax);
    parts.push(Array.isArray(value) ? text : `${labelOf(name)}: ${text}`);
    length += text.length;
    if (length > lengthMax) break;
  }
  return parts.length === 0 ? '–' : parts.join(', ');
}
