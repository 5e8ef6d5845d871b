import { supplierCodes } from '../../suppliers/index.ts';
import { element, html, Html, type Part } from './html.ts';
import { t, translated } from './language.ts';
import type { PageRequest } from './page.ts';
import { fieldsAsSent } from './rejected-form.ts';

/** A field of a form. Other members are attributes of its element. */
export interface Field {
  label: Part;
  name: string;
  value?: string | number | null | undefined;
  /** Values to choose from, with their names where they differ. */
  options?: readonly (string | readonly [value: string, name: string])[];
  /** Lines of a text area. */
  rows?: number;
  /** A sentence below the field. */
  hint?: Part;
  /** What is wrong with its value. */
  fault?: string | undefined;
  maxlength?: number;
  required?: boolean;
  type?: 'date' | 'datetime-local' | 'file' | 'password' | 'search' | 'text';
  inputmode?: 'decimal' | 'numeric' | 'url';
  pattern?: string;
  placeholder?: string;
  autocomplete?: 'off';
  autofocus?: boolean;
  accept?: string;
}

/** A form as data. */
export interface Form {
  action: string;
  button?: Part;
  /** Markup after the button, or instead of it. */
  more?: Part;
  tone?: 'danger' | 'quiet';
  /** Fields, and markup between them. */
  fields?: readonly (Field | Html | false)[];
  /** Values that the person does not change; null is empty. */
  hidden?: Readonly<Record<string, string | number | null>>;
  /** A heading inside of the form. */
  title?: string | undefined;
  /** Prefix of the ids of its fields, where another form of the page has fields with the same names. */
  id?: string | undefined;
  /** A question that the person must confirm. */
  ask?: string | undefined;
  /** Whether it is a landmark for searching, or the name of this landmark for screen readers. */
  search?: true | string;
  /** A column (the default), a line whose labels are for screen readers, a line with labels, a grid, or no look of its own. */
  look?: keyof typeof CLASSES;
  /** Whether its last field is a file. */
  hasFile?: boolean;
  /** The stored parts of a file, for the script that uploads it in parts. */
  parts?: string;
}

/** A form that changes something. */
export function form({ formToken }: Pick<PageRequest, 'formToken'>, spec: Form): Html {
  return formOf('post', html`${formToken}${hiddenFields(spec.hidden)}`, spec);
}

/** A form that narrows a list, or leads to another page. */
export function filterForm(spec: Form): Html {
  return formOf('get', html`${hiddenFields(spec.hidden)}`, { look: 'row', ...spec });
}

function formOf(method: 'get' | 'post', hidden: Part, { look = 'narrow', ...spec }: Form): Html {
  const search = spec.search && { role: 'search', 'aria-label': spec.search !== true && spec.search };
  const enctype = spec.hasFile === true && 'multipart/form-data';
  const attributes = {
    ...{ class: CLASSES[look], method, action: spec.action, enctype, 'data-ask': spec.ask, 'data-parts': spec.parts },
    ...search,
  };
  const fields = fieldsAsSent(spec).map((one) => {
    if (look === 'row') return inlineField(one);
    return look === 'filters' ? html`<p>${labeledField(one, spec.id)}</p>` : labeledField(one, spec.id);
  });
  const button = html`${buttonOf(spec)} ${spec.more}`;
  const content = html`${spec.title !== undefined && html`<h2>${spec.title}</h2>`} ${hidden} ${fields}
  ${look === 'filters' ? html`<p class="row">${button}</p>` : button}`;
  return element('form', attributes, content);
}

/** The button of a form. */
export const buttonOf = ({ button, tone }: Pick<Form, 'button' | 'tone'>): Part =>
  button !== undefined && element('button', { class: tone }, button);

const CLASSES = { narrow: 'narrow', row: 'row', 'labeled-row': 'row', filters: 'filters', plain: undefined };

/** Copies the text of an element, where the browser allows it. */
export function copyButton(id: string): Html {
  return html`<button class="quiet" type="button" data-copy="${id}" data-copied="${t('Copied')}" hidden>
    ${t('Copy')}
  </button>`;
}

/** Fields of values that the person does not change. */
export function hiddenFields(hidden: Form['hidden'] = {}): Html[] {
  return Object.entries(hidden).map(([name, value]) => element('input', { type: 'hidden', name, value: value ?? '' }));
}

/** A field below its label. */
function labeledField(one: Field | Html | false, prefix: string | undefined): Part {
  if (one === false || one instanceof Html) return one;
  const { label, hint, fault, ...field } = one;
  const id = prefix === undefined ? field.name : `${prefix}-${field.name}`;
  const described = fault && { 'aria-invalid': 'true', 'aria-describedby': `${id}-fault` };
  return html`<label for="${id}">${label}</label> ${control({ id, ...field, ...described })}
    ${fault && html`<p class="flash flash-problem" id="${id}-fault">${fault}</p>`}
    ${hint !== undefined && html`<p class="fine">${hint}</p>`}`;
}

/** A field whose label is for screen readers. */
export function inlineField(one: Field | Html | false): Part {
  if (one === false || one instanceof Html) return one;
  const { label, hint: _hint, fault: _fault, ...field } = one;
  const placeholder = field.options === undefined ? String(label) : undefined;
  return control({ 'aria-label': String(label), placeholder, ...field });
}

function control({ options, value, ...field }: Omit<Field, 'label' | 'hint' | 'fault'> & Described) {
  const choices = options?.map((one) => optionOf(one, value));
  if (choices !== undefined) return element('select', field, choices);
  // Browsers drop the first line break of a text area.
  return field.rows === undefined ? element('input', { ...field, value }) : element('textarea', field, `\n${value}`);
}

interface Described {
  id?: string;
  'aria-label'?: string;
  'aria-invalid'?: string;
  'aria-describedby'?: string;
}

function optionOf(one: string | readonly [value: string, name: string], chosen: Field['value']): Html {
  const [value, name] = typeof one === 'string' ? [one, one] : one;
  return element('option', { value, selected: value === chosen }, name);
}

/** The reason of a change, for the audit. */
export function reason(required = false, label = t('Reason')): Field {
  return { label, name: 'reason', maxlength: 1000, required };
}

/** A form of one line with a required reason and a button. */
export function reasonForm(request: PageRequest, spec: Form): Html {
  return form(request, { look: 'row', fields: [reason(true)], ...spec });
}

/** The button that shows contact data to people who do not see it otherwise. */
export function revealForm(request: PageRequest, at: string, words: string): Html {
  const more = html`<span class="fine">${t('Each read is audited.')}</span>`;
  return form(request, { action: `${at}/reveal`, button: words, more, tone: 'quiet', look: 'plain' });
}

/** The choice of an import supplier. */
export function supplierChoice(codes: readonly string[], chosen: string | null, empty: string): Field {
  return { label: t('Import supplier'), name: 'import_supplier', value: chosen, options: [['', empty], ...codes] };
}

/** Codes to choose from, with their words. */
export function codeOptions(codes: readonly string[]): (readonly [code: string, words: string])[] {
  return codes.map((one) => [one, translated(one)]);
}

/** The filter by import supplier, to choose from those that the person may see. */
export async function supplierFilter({ suppliers, query }: PageRequest): Promise<Field> {
  return supplierChoice(await supplierCodes(suppliers), query.get('import_supplier'), t('all'));
}

/** The filter by import supplier, also by codes that are not registered. */
export function supplierField(query: URLSearchParams): Field {
  const label = t('Import supplier');
  return { label, name: 'import_supplier', value: query.get('import_supplier'), maxlength: 32 };
}

/** The external number of an account. */
export function accountNumber(value: string | null): Field {
  return { label: t('External account number'), name: 'external_account_number', value, maxlength: 128 };
}

/** The filter by account. */
export function accountField(query: URLSearchParams): Field {
  return { ...accountNumber(query.get('external_account_number')), placeholder: t('Account number') };
}

/** The address of a list with its filters, from the field `back` of a form on it; no other address. */
export function backTo({ form: sent }: PageRequest, list: string): string {
  const back = sent.get('back') ?? '';
  return back.startsWith(`${list}?`) ? back : list;
}
