import { AsyncLocalStorage } from 'node:async_hooks';
import { refusals, type Refused } from '../../vocabulary/refusals.ts';
import { Html, html, type Part } from './html.ts';
import { t, translated } from './language.ts';
import type { PageAnswer } from './page.ts';

/** A form that was rejected, while its page is shown again. */
interface RejectedForm {
  /** Path of its handler. */
  action: string;
  sent: URLSearchParams;
  refused: Refused;
  /** The labels of fields with faults; undefined until a form of this action is shown. */
  labels?: Map<string, Part>;
}

// As the language of texts, it belongs to the request and reaches each form of the page without a parameter.
const rejections = new AsyncLocalStorage<RejectedForm>();

const CORRECTABLE = [400, 409, 413, 422];

/** Whether the person can correct what was refused in the form. */
export const isCorrectable = ({ code }: Refused): boolean => CORRECTABLE.includes(refusals[code].status);

/** Shows the page of a rejected form again, with what was sent and what is wrong with it; undefined if it has no such form. */
export async function showAgain(
  rejected: Pick<RejectedForm, 'action' | 'sent' | 'refused'>,
  show: () => PageAnswer | Promise<PageAnswer>,
): Promise<PageAnswer | undefined> {
  const { status, sentence } = refusals[rejected.refused.code];
  const form: RejectedForm = { ...rejected };
  const shown = await rejections.run(form, async () => show());
  if (form.labels === undefined || !('body' in shown)) return undefined;
  const { violations = [], detail } = form.refused;
  const body = html`<div class="flash flash-problem" role="alert">
      ${violations.map((one) => html`<p>${form.labels?.get(one.attr) ?? html`<code>${one.attr}</code>`}: ${translated(one.detail)}</p>`)}
      ${violations.length === 0 && html`<p>${translated(detail ?? sentence)}</p>`}
      <p>${t('Nothing was stored. Correct the form and send it again.')}</p>
    </div>
    ${shown.body}`;
  return { ...shown, body, status };
}

/** The fields of a form. If it was rejected, they have the values that were sent, and their faults; browsers keep no files, and no secrets are sent back. */
export function fieldsAsSent<Field extends { label: Part; name: string; type?: string; value?: unknown }>({
  action,
  fields = [],
  hidden = {},
}: {
  action: string;
  fields?: readonly (Field | Html | false)[];
  hidden?: Readonly<Record<string, string | number | null>>;
}): readonly (Field | Html | false)[] {
  const rejected = rejections.getStore();
  if (rejected?.action !== action) return fields;
  const { sent, refused } = rejected;
  // Forms of one action differ by what they hide. The id of something new is another one each time.
  const isOther = Object.entries(hidden).some(
    ([name, value]) => name !== 'id' && sent.get(name) !== String(value ?? ''),
  );
  if (isOther) return fields;
  const labels = (rejected.labels ??= new Map());
  return fields.map((field) => {
    if (field === false || field instanceof Html || field.type === 'password') return field;
    const member = field.name.split('.').at(-1)!;
    const faults = (refused.violations ?? []).filter(({ attr }) => attr.split('.').includes(member));
    for (const { attr } of faults) labels.set(attr, field.label);
    const fault = faults.map(({ detail }) => translated(detail)).join(' ');
    return { ...field, value: sent.get(field.name) ?? field.value, ...(fault !== '' && { fault }) };
  });
}
