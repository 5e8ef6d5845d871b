import { findAllImportSuppliers, findSupplierByCode, importSuppliers } from '../../suppliers/index.ts';
import type { ImportSupplierView } from '../../suppliers/import-supplier.schema.ts';
import { supplierOptions } from '../../suppliers/supplier-options.rules.ts';
import { supplierStatuses } from '../../vocabulary/supplier-status.ts';
import { membersOf } from '../../vocabulary/value-sets.ts';
import { addressOf, AUDIT, supplierPath, supplierSettingsPath } from '../frame/paths.ts';
import { badge, code, link, moment } from '../frame/cells.ts';
import { listPages, NUMBERS, pageIn, type List } from '../frame/list.ts';
import { pairs } from '../frame/parts.ts';
import { form, reason, type Field } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { accepted, done, existing, handler, page, type PageRequest } from '../frame/page.ts';
import { optionInWords, SUPPLIER_TONES } from '../suppliers/option-words.ts';
import { labelOf } from '../frame/readable.ts';
import { settingsPage } from './settings.page.ts';

const PATH = '/settings/suppliers';

const codeIn = ({ params }: PageRequest) => params['code'] ?? '';

/** Import suppliers: the list, and the settings of each. */
export const importSupplierPages = [
  ...listPages({
    path: '/settings',
    title: () => 'Import suppliers',
    list: suppliersOf,
    body: (request, list) => settingsPage('/settings', html`${list} ${newForm(request)}`).body,
  }),
  page(`${PATH}/:code`, async (request) => {
    const wanted = codeIn(request);
    const supplier = wanted.includes('\0') ? undefined : await findSupplierByCode(request.database.em(), wanted);
    return settingsPage('/settings', onePart(existing(supplier, 'This import supplier does not exist.'), request));
  }),
  handler(PATH, 'import-supplier.change', async ({ database, form: sent, actor }) => {
    const [key, name] = [sent.get('code') ?? '', sent.get('name') ?? ''];
    const { status } = accepted(await importSuppliers.put(database, actor, { key, body: name === '' ? {} : { name } }));
    const alreadyExisted = `The import supplier already existed${name === '' ? '' : ' and now has this name'}.`;
    return done(supplierSettingsPath(key), status === 201 ? 'The import supplier was registered.' : alreadyExisted);
  }),
  handler(`${PATH}/:code`, 'import-supplier.change', async (request) => {
    const key = codeIn(request);
    accepted(await importSuppliers.put(request.database, request.actor, { key, body: changeIn(request.form) }));
    return done(supplierSettingsPath(key), 'The import supplier was saved. The change takes effect within a second.');
  }),
];

async function suppliersOf({ database }: PageRequest): Promise<List<ImportSupplierView>> {
  const suppliers = await findAllImportSuppliers(database.em());
  return {
    name: 'import-suppliers',
    path: '/settings',
    label: 'Import suppliers',
    columns: {
      code: ['Code', (one) => link(supplierSettingsPath(one.code), one.code), 'row'],
      name: ['Name'],
      status: ['Status', ({ status }) => badge(status, SUPPLIER_TONES[status])],
      document_root: ['Document root', ({ document_root: root }) => root !== null && code(root)],
      options: [
        'Options',
        ({ options }) =>
          Object.entries(options).map(
            ([option, value]) => html`${optionInWords(option, value)} <small>${option}</small><br />`,
          ),
        'advice',
      ],
      reason: ['Reason'],
      updated_at: ['Last changed', ({ updated_at: at }) => moment(at)],
      progress: ['', (one) => link(supplierPath(one.code), 'Progress')],
    },
    cursors: NUMBERS,
    read: async (window) => pageIn(suppliers, window),
    empty: 'No import supplier is registered.',
  };
}

function newForm(request: PageRequest): Part {
  const fields = [
    { label: 'Code, as sent in requests', name: 'code', maxlength: 32, required: true },
    { label: 'Name', name: 'name', maxlength: 255 },
  ];
  return (
    request.may('import-supplier.change') &&
    html`<h2>Register an import supplier</h2>
      ${form(request, { action: PATH, fields, button: 'Register' })}`
  );
}

function onePart(supplier: ImportSupplierView, request: PageRequest): Html {
  const { code: key, name, status, created_at: at, options_revision: revision } = supplier;
  const audit = addressOf(AUDIT, { subject: `import-suppliers/${key}` });
  return html`<h2>${key} ${badge(status, SUPPLIER_TONES[status])}</h2>
    <p class="fine">
      ${name}, registered ${moment(at)}. Revision ${revision} of the options. ${link(supplierPath(key), 'Progress')},
      ${link(audit, 'Audit')}
    </p>
    ${request.may('import-supplier.change') ? formPart(supplier, request) : readOnlyPart(supplier)}`;
}

function readOnlyPart({ document_root: root, options, ...supplier }: ImportSupplierView): Html {
  return pairs([
    ['Document root', root ?? '–'],
    ['Reason', supplier.reason ?? '–'],
    ...Object.entries(options).map(([option, value]) => [option, optionInWords(option, value)] as const),
  ]);
}

function formPart({ code: key, name, status, document_root: root, options }: ImportSupplierView, request: PageRequest) {
  const ofOptions = [...supplierOptions].map(([option, { is }]): Field => ({
    label: html`${labelOf(option)} <small>${option}</small>`,
    name: OPTION + option,
    value: optionText(options[option]),
    ...ELEMENTS[is],
  }));
  const hint =
    'While the status is Paused or Complete, staging and creating accounts is rejected. All other requests are accepted.';
  const fields: Field[] = [
    { label: 'Name', name: 'name', value: name, maxlength: 255, required: true },
    { label: 'Status', name: 'status', value: status, options: membersOf(supplierStatuses), hint },
    { label: 'Document root', name: 'document_root', value: root ?? '', maxlength: 1024 },
    ...ofOptions,
  ];
  const former = Object.fromEntries(fields.map(({ name: field, value }) => [WAS + field, value ?? '']));
  return form(request, {
    action: supplierSettingsPath(key),
    hidden: former,
    fields: [...fields, reason()],
    button: 'Save',
  });
}

/** The element of an option by the kind of its value. */
const ELEMENTS = {
  flag: { options: [['', 'not set'], 'true', 'false'] },
  number: { inputmode: 'numeric', placeholder: 'no limit' },
  sets: { rows: 3, placeholder: '{"sales_channel": ["DIRECT"]}' },
  names: { rows: 3, placeholder: '["term_type"]' },
} as const satisfies Record<string, Partial<Field>>;

/** Prefixes of field names: the value when the page was shown, and an option. */
const WAS = 'was.';
const OPTION = 'option.';

/**
 * The fields that differ from those of the page, so that a form does not revert the change of another person.
 */
function changeIn(form: URLSearchParams): Record<string, unknown> {
  const change: Record<string, unknown> = {};
  const options: Record<string, unknown> = {};
  const changed = (name: string): string | undefined => {
    const value = form.get(name);
    return value === null || value === form.get(WAS + name) ? undefined : value;
  };
  for (const name of ['name', 'status', 'document_root']) {
    const value = changed(name);
    if (value !== undefined) change[name] = value;
  }
  for (const [name, { is }] of supplierOptions) {
    const value = changed(OPTION + name);
    if (value !== undefined) options[name] = value.trim() === '' ? null : optionIn(is, value.trim());
  }
  if (Object.keys(options).length > 0) change['options'] = options;
  const reason = form.get('reason') ?? '';
  return reason === '' ? change : { ...change, reason };
}

/** An option as text of its field. */
function optionText(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}

/** Other texts are rejected by validation. */
function optionIn(is: 'flag' | 'number' | 'sets' | 'names', text: string): unknown {
  if (is === 'flag') return text === 'true' || (text === 'false' ? false : text);
  if (is === 'number') return /^\d{1,15}$/.test(text) ? Number(text) : text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
