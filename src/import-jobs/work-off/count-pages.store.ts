import { mergeTotals } from '../../manifest/totals.rules.ts';
import { recordOf, runningTotals } from '../../manifest/index.ts';
import type { TimeSlice } from '../../platform/time-slice.ts';
import { unpackPage } from '../import-job-page.store.ts';
import { findTotals, lockTotals, storeTotals } from '../manifest/manifest.store.ts';
import { linesOfPage } from '../page-lines.rules.ts';
import { readLineOfJob } from '../read-line.validation.ts';
import type { StepEnd, WorkDeps, WorkedJob } from './job-at-work.store.ts';
import { findPageToValidate } from './worked-page.store.ts';

/**
 * Counts the records of a job before it imports them, a page per transaction. The number of the last counted page is stored with the
 * totals, so that no page counts twice.
 */
export async function countPages(deps: WorkDeps, { record }: WorkedJob, slice: TimeSlice): Promise<StepEnd> {
  const { database } = deps;
  let { countedPage } = await findTotals(database, record.id);
  let counted = 0;
  while (!slice.isOver()) {
    const page = await findPageToValidate(database, record.id, countedPage);
    if (page === undefined) break;
    const totals = runningTotals();
    for (const line of linesOfPage(await unpackPage(page.body), page.firstLine)) {
      const { body, refused } = readLineOfJob(record, line);
      if (!refused) totals.add(record.kind, recordOf(record.kind, body));
      await slice.yieldToEventLoop();
    }
    const after = countedPage;
    const isStored = await database.transaction(async (em) => {
      const known = await lockTotals(em, record.id);
      // Another worker, considered lost, has counted the page.
      if (known.countedPage !== after) return false;
      const received = mergeTotals(known.received ?? {}, totals.kinds());
      const counted = known.counted + page.lines;
      await storeTotals(em, record.id, { received, countedPage: page.number, counted });
      return true;
    });
    if (!isStored) return { lines: 1, waitMs: 0 };
    countedPage = page.number;
    counted += page.lines;
  }
  // At least 1, so that the caller determines the next step immediately.
  return { lines: Math.max(1, counted), waitMs: 0 };
}
