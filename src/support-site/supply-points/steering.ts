import type { Reply } from '../../platform/http/route.ts';
import type { SteerDeps, SteerOrder } from '../../supply-points/index.ts';
import type { Refused } from '../../vocabulary/refusals.ts';
import { fieldsIn } from '../frame/form-checks.ts';
import { count } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import type { PageRequest, SiteDeps } from '../frame/page.ts';

/** Dependencies of pages that change lookups. */
export type SteeringDeps = SiteDeps & SteerDeps;

/** The fields of a form as a call of the operator API, without the empty ones. */
export function orderOf({ params, form, actor }: PageRequest): SteerOrder {
  return { params, body: fieldsIn(form), caller: actor };
}

/** A number in the reply of the operator API. */
export function numberIn(done: Exclude<Reply | Refused, Refused>, member: string): number {
  const value = (done.body as Record<string, unknown>)[member];
  return typeof value === 'number' ? value : 0;
}

/** A number of identifiers in words. */
export function identifiers(number: number): string {
  return number === 1 ? '1 identifier' : `${count(number)} identifiers`;
}

/** A form with a reason and one button. */
export function reasonForm(
  { formToken }: PageRequest,
  { action, button, id, tone = 'quiet' }: { action: string; button: string; id: string; tone?: 'quiet' | 'danger' },
): Html {
  return html`<form class="row" method="post" action="${action}">
    ${formToken}<input id="${id}" name="reason" maxlength="1000" required placeholder="Reason" aria-label="Reason" />
    <button class="${tone}">${button}</button>
  </form>`;
}
