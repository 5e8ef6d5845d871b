import { pathWithin } from './form-checks.ts';
import { form } from './forms.ts';
import { element, html, type Html } from './html.ts';
import { t } from './language.ts';
import { handler, invalid, type PageAnswer, type PageRequest } from './page.ts';
import { LIST_VIEW } from './paths.ts';

/** Rows per page to choose from. */
const SIZES = ['25', '50', '100', '200'] as const;
const DEFAULT_SIZE = '50';
const NAME = /^[a-z][a-z0-9_-]{0,60}$/;

/** Stores the choice of a person in a cookie of their browser. */
export const listViewPages = [handler(LIST_VIEW, 'look', saveView)];

/** The choice of a person for a list. */
export interface ListView {
  size: number;
  hidden: ReadonlySet<string>;
}

/** Reads the choice of the person. */
export function chosenView({ savedView }: PageRequest, list: string): ListView {
  const [size, ...hidden] = (savedView(list) ?? '').split('.');
  return { size: Number(SIZES.find((one) => one === size) ?? DEFAULT_SIZE), hidden: new Set(hidden) };
}

/** The form with the columns of a list that can be hidden, and the rows per page. @param back the address to return to */
export function viewForm(
  request: PageRequest,
  list: string,
  columns: readonly (readonly [name: string, column: readonly [title: string, ...unknown[]]])[],
  back: string,
): Html {
  const { size, hidden } = chosenView(request, list);
  const boxes = columns.map(([name, [title]]) => {
    const box = element('input', { type: 'checkbox', name: 'column', value: name, checked: !hidden.has(name) });
    return html`<label class="check">${box} ${title}</label>`;
  });
  return html`<details class="view">
    <summary>${t('Columns and rows')}</summary>
    ${form(request, {
      action: LIST_VIEW,
      id: `view-${list}`,
      hidden: { list, back, all: columns.map(([name]) => name).join(' ') },
      fields: [...boxes, { label: t('Rows per page'), name: 'size', value: String(size), options: SIZES }],
      button: t('Apply'),
      look: 'plain',
    })}
  </details>`;
}

function saveView({ form: sent }: PageRequest): PageAnswer {
  const list = sent.get('list') ?? '';
  const all = (sent.get('all') ?? '').split(' ').filter((name) => name !== '');
  const size = SIZES.find((one) => one === sent.get('size')) ?? DEFAULT_SIZE;
  if (![list, ...all].every((name) => NAME.test(name))) invalid('Reload the page and choose the columns again.');
  const shown = new Set(sent.getAll('column'));
  const hidden = all.filter((name) => !shown.has(name)).slice(0, 30);
  return { redirect: pathWithin(sent.get('back')), view: { list, value: [size, ...hidden].join('.') } };
}
