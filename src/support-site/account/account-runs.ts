import type { StuckView } from '../../stuck/stuck.schema.ts';
import { badge, fromNow, linkAway, nothing, table } from '../frame/elements.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import type { PageRequest, SiteDeps } from '../frame/page.ts';
import { adviceOnSite, mayBeRetried } from '../frame/site-advice.rules.ts';
import type { Stored } from './stored.ts';

/** Stuck work of the account with its retries, and its runs. @param stuck undefined while Temporal is unavailable */
export function stuckPart(
  view: Stored,
  stuck: readonly StuckView[] | undefined,
  { request, deps, at }: { request: PageRequest; deps: SiteDeps; at: string },
): Html {
  const runs = new Set([...runsOf(view), ...(stuck ?? []).map(({ workflow_id: id }) => id)]);
  const heads = ['Kind', 'Cause', 'Stuck since', 'Next attempt', 'What to do', ''];
  const rows = (stuck ?? []).map((one) => rowOf(one, { request, deps, at }));
  return html`<section>
    <h2 id="stuck">Stuck work</h2>
    ${stuck === undefined && nothing('Stuck work is not known at the moment: Temporal is unavailable.')}
    ${stuck?.length === 0 && nothing('No work of this account is stuck.')}
    ${rows.length > 0 && table('Stuck work', heads, rows)}
    ${[...runs].filter(Boolean).map((id) => html`<p>Run ${runLink(id, deps)}</p>`)}
  </section>`;
}

function rowOf(one: StuckView, { request, deps, at }: { request: PageRequest; deps: SiteDeps; at: string }): Html {
  const now = deps.clock.now();
  return html`<tr>
    <td>${one.kind}</td>
    <td>
      ${badge(one.cause, one.paused ? 'warn' : 'plain')}
      ${one.last_failure !== null && html`<br /><small>${one.last_failure.message}</small>`}
    </td>
    <td>${fromNow(one.waiting_since, now)}</td>
    <td>${one.paused ? 'paused' : fromNow(one.next_attempt_at, now)}</td>
    <td class="advice">${adviceOnSite(one)}</td>
    <td>
      ${
        request.may('stuck.retry') &&
        mayBeRetried(one) &&
        html`<form method="post" action="${at}/retry">
          ${request.formToken}<input type="hidden" name="id" value="${one.id}" /><button>Retry</button>
        </form>`
      }
    </td>
  </tr>`;
}

/** Ids of the runs that the account waits in. */
export function runsOf(view: Stored): string[] {
  const ids = view['workflow_ids'];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

/** A run with a link to Temporal's web UI, if its address is set. */
export function runLink(id: string, deps: SiteDeps, words: Part = html`<code>${id}</code>`): Part {
  return linkAway(deps.runAddress(id), words, html`<code>${id}</code>`);
}
