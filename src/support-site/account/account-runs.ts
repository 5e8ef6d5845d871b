import type { StuckView } from '../../stuck/stuck.schema.ts';
import { code, linkAway, nothing, table } from '../frame/elements.ts';
import { form } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import type { PageRequest } from '../frame/page.ts';
import { mayBeRetried } from '../frame/site-advice.rules.ts';
import { stuckColumns } from '../stuck/stuck-parts.ts';
import type { Stored } from './stored.ts';

/** Stuck work of the account with its retries, and its runs. @param stuck undefined while Temporal is unavailable */
export function stuckPart(
  view: Stored,
  stuck: readonly StuckView[] | undefined,
  request: PageRequest,
  at: string,
): Html {
  const runs = new Set([...runsOf(view), ...(stuck ?? []).map(({ workflow_id: id }) => id)]);
  const { cause, since, next, advice } = stuckColumns(request);
  const retry = { action: `${at}/retry`, button: 'Retry', look: 'plain' } as const;
  const retryForm = (one: StuckView) =>
    request.may('stuck.retry') && mayBeRetried(one) && form(request, { ...retry, hidden: { id: one.id } });
  const columns = [
    ['Kind', ({ kind }: StuckView) => kind] as const,
    cause,
    since,
    next,
    advice,
    ['', retryForm] as const,
  ];
  return html`<section>
    <h2 id="stuck">Stuck work</h2>
    ${
      stuck === undefined
        ? nothing('Stuck work is not known at the moment: Temporal is unavailable.')
        : table('Stuck work', stuck, columns, 'No work of this account is stuck.')
    }
    ${[...runs].filter(Boolean).map((id) => html`<p>Run ${runLink(id, request)}</p>`)}
  </section>`;
}

/** Ids of the runs that the account waits in. */
export function runsOf(view: Stored): string[] {
  const ids = view['workflow_ids'];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

/** A run with a link to Temporal's web UI, if its address is set. */
export function runLink(id: string, { runAddress }: PageRequest, words: Part = code(id)): Part {
  return linkAway(runAddress(id), words, code(id));
}
