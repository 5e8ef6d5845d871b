import type { Reply } from '../../platform/http/route.ts';
import type { SteerDeps, SteerOrder } from '../../supply-points/index.ts';
import type { Refused } from '../../vocabulary/refusals.ts';
import { html, type Html } from '../frame/html.ts';
import type { PageRequest, SiteDeps } from '../frame/page.ts';

/** What pages need that change lookups. */
export type SteeringDeps = SiteDeps & SteerDeps;

/** A form as the operator API would be called; fields that were left empty are not sent. */
export function orderOf({ params, form, actor }: PageRequest): SteerOrder {
  const body = Object.fromEntries([...form].filter(([name, value]) => name !== 'form_token' && value !== ''));
  return { params, body, caller: actor };
}

/** A number of the answer that an operator's call would have been given. */
export function numberIn(done: Exclude<Reply | Refused, Refused>, member: string): number {
  const value = (done.body as Record<string, unknown>)[member];
  return typeof value === 'number' ? value : 0;
}

/** A form with one button that takes a reason. */
export function reasonForm(
  { formToken }: PageRequest,
  { action, button, id, tone = 'quiet' }: { action: string; button: string; id: string; tone?: 'quiet' | 'danger' },
): Html {
  return html`<form class="row" method="post" action="${action}">
    ${formToken}<input id="${id}" name="reason" maxlength="1000" required placeholder="Reason" aria-label="Reason" />
    <button class="${tone}">${button}</button>
  </form>`;
}
