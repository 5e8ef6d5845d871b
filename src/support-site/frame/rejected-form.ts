import { refusals, type Refused } from '../../vocabulary/refusals.ts';
import type { Field } from './forms.ts';
import { html, type Html } from './html.ts';
import { t, translated } from './language.ts';

/** A form that a call has rejected, with its faults by field; that of no field is under an empty name. */
export interface RejectedForm {
  status: number;
  faults: ReadonlyMap<string, string>;
}

/** Reads a refusal as the faults of a form. @param whole the field of a refusal that names none */
export function rejectedForm({ code, detail, violations = [] }: Refused, whole = ''): RejectedForm {
  const { status, sentence } = refusals[code];
  const faults = Map.groupBy(violations, ({ attr }) => attr.replace(/^options\./, '').split('.')[0] ?? '');
  const ofFields = [...faults].map(([name, found]) => [name, found.map((one) => translated(one.detail)).join(' ')]);
  const ofNone = violations.length === 0 ? [[whole, translated(detail ?? sentence)]] : [];
  return { status, faults: new Map([...ofFields, ...ofNone] as [string, string][]) };
}

/** A field of a rejected form: with the value that was sent, and its fault. Browsers keep no files. */
export function withFault(field: Field, { faults }: RejectedForm, sent: URLSearchParams): Field {
  return { ...field, value: sent.get(field.name) ?? field.value, fault: faults.get(field.name) };
}

/** What to do, and the faults that belong to no field of the form. */
export function faultsElsewhere(fields: readonly Field[], { faults }: RejectedForm): Html {
  const others = [...faults].filter(([name]) => fields.every((one) => one.name !== name));
  return html`<div class="flash flash-problem" role="alert">
    ${others.map(([name, fault]) => html`<p>${name !== '' && html`<code>${name}</code> `}${fault}</p>`)}
    <p>${t('Nothing was stored. Correct the form and send it again; choose files again.')}</p>
  </div>`;
}
