import pMap from 'p-map';
import { findOpenRun } from '../platform/temporal/find-open-run.ts';
import { findExpectingWork, findKnownWork, type ExpectingWork } from '../platform/work-items/compared-work.store.ts';
import { startWorkItem } from '../platform/work-items/dispatch-work-items.ts';
import { accountsIn } from '../stuck/index.ts';
import { keyedPage, type CheckStep, type ComparedPage, type Mismatch, type CheckDeps } from './check-step.rules.ts';

const CALLS_AT_ONCE = 16;
/** Pages are short, because Temporal is queried for each run: its lists lag. */
const PAGE_MAX = 200;

/** Work whose run should be open: all items except those of switches that are worked off in pages. */
export function expectedRunsStep(deps: CheckDeps): CheckStep {
  return { name: 'work-items', comparePage: (after, limit) => comparePage(deps, after, Math.min(limit, PAGE_MAX)) };
}

async function comparePage(deps: CheckDeps, after: string, limit: number): Promise<ComparedPage> {
  const page = await findExpectingWork(deps.database, after, limit);
  const client = deps.gateway.client();
  // An unreachable switch has no run before its next try, which is scheduled a day later.
  const expecting = page.filter(({ isScheduled, state }) => !isScheduled && state !== 'unreachable');
  const lacking: ExpectingWork[] = [];
  await pMap(
    expecting,
    async (work) => {
      if ((await findOpenRun(client, work.workflowId)) === undefined) lacking.push(work);
    },
    { concurrency: CALLS_AT_ONCE },
  );
  const found = (await stillKnown(deps, lacking)).map((work) => withoutRun(deps, work));
  return keyedPage(page, limit, ({ workflowId }) => workflowId, found);
}

/** Omits work completed since the page was read. */
async function stillKnown(deps: CheckDeps, lacking: readonly ExpectingWork[]): Promise<ExpectingWork[]> {
  if (lacking.length === 0) return [];
  const known = await findKnownWork(
    deps.database,
    lacking.map(({ workflowId }) => workflowId),
  );
  return lacking.filter(({ workflowId }) => known.has(workflowId));
}

function withoutRun(deps: CheckDeps, work: ExpectingWork): Mismatch {
  return {
    kind: 'work_item_without_run',
    subject: work.workflowId,
    accounts: accountsIn(work.input),
    since: work.createdAt,
    detail: `Temporal has no open run for it. The dispatcher starts one after ${work.startAt.toISOString()}.`,
    repair: { act: () => startWorkItem(deps, work) },
  };
}
