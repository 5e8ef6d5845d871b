import { setImmediate } from 'node:timers/promises';
import { findStagedPayload } from '../../account-import/index.ts';
import type { Queryable } from '../../platform/database/prepared-query.ts';
import type { ImportJobKind, LineOutcomeName, LineState } from '../../vocabulary/import-jobs.ts';
import { isJsonObject } from '../../vocabulary/loose-payload.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import type { LineFault } from './cause.rules.ts';
import type { ImportJobRecord } from '../import-job.store.ts';
import { readLines, readUnprocessed, recordReader } from './import-job-result.store.ts';
import { keyOf, readLine } from '../read-line.validation.ts';

/** Which results are wanted. */
export interface WantedResults {
  outcome: LineOutcomeName;
  /** As lines that can be mended and sent again. */
  isResend: boolean;
}

type JobOfResults = Pick<ImportJobRecord, 'id' | 'kind' | 'importSupplier' | 'selection'>;

/** One result before it is written. */
interface Result {
  line: number;
  key: string | null;
  outcome: LineOutcomeName;
  number?: string | null;
  errors?: readonly LineFault[] | null;
  warnings?: readonly LineFault[] | null;
  record?: Buffer | undefined;
}

const STATES: Record<Exclude<LineOutcomeName, 'unprocessed'>, readonly LineState[]> = {
  succeeded: ['succeeded'],
  failed: ['failed', 'quarantined'],
};

/**
 * Writes the results of a job as JSON lines, in the order of its lines; never more than a page of them is held.
 * @returns chunks of whole lines; each is made in a turn of the event loop of its own
 */
export async function* writeResults(on: Queryable, job: JobOfResults, wanted: WantedResults): AsyncGenerator<Buffer> {
  for await (const results of resultsOf(on, job, wanted.outcome)) {
    const lines = results.map((result) => (wanted.isResend ? resendLine(result) : resultLine(job.kind, result)));
    if (lines.length > 0) yield Buffer.from(`${lines.join('\n')}\n`);
    await setImmediate();
  }
}

async function* resultsOf(on: Queryable, job: JobOfResults, outcome: LineOutcomeName): AsyncGenerator<Result[]> {
  if (outcome === 'unprocessed') {
    for await (const lines of readUnprocessed(on, job.id)) {
      if (job.selection === 'uploaded') yield lines.map((line) => ({ ...line, outcome }));
      else for (const line of lines) yield [{ ...line, outcome, record: await stagedRecord(on, job, line.key) }];
    }
    return;
  }
  const recordOf = recordReader(on, job.id);
  for await (const lines of readLines(on, job.id, STATES[outcome])) {
    if (outcome === 'succeeded') yield lines.map((line) => ({ ...line, outcome }));
    else {
      for (const line of lines) {
        const record = job.selection === 'uploaded' ? recordOf(line.line) : stagedRecord(on, job, line.key);
        yield [{ ...line, outcome, record: await record }];
      }
    }
  }
}

/** A job without upload has lines of what was staged: the account as it is staged now. */
async function stagedRecord(on: Queryable, job: JobOfResults, key: string | null): Promise<Buffer | undefined> {
  const payload = key === null ? undefined : await findStagedPayload(on, job.importSupplier, key);
  return payload === undefined ? undefined : Buffer.from(payload);
}

/** A result that says all there is; members that say nothing are left out. */
function resultLine(kind: ImportJobKind, { line, key, outcome, number, errors, warnings, record }: Result): string {
  const said = record === undefined ? undefined : valueOf(record);
  return JSON.stringify({
    line,
    key: key ?? keyOf(kind, said) ?? null,
    outcome,
    ...(outcome === 'succeeded' ? { number: number ?? null } : {}),
    ...(outcome === 'failed' ? { errors: errors ?? [] } : {}),
    ...(warnings?.length ? { warnings } : {}),
    ...(record === undefined ? {} : { record: said }),
  });
}

/** The line as it was sent, with what to mend beside it. What is no object cannot carry that, and stands in `_record` as text. */
function resendLine({ line, key, errors, warnings, record }: Result): string {
  const said = record === undefined ? undefined : valueOf(record);
  const sent = said === undefined ? { _key: key } : isJsonObject(said) ? said : { _record: said };
  return JSON.stringify({
    ...sent,
    ...(errors?.length ? { _errors: errors } : {}),
    ...(warnings?.length ? { _warnings: warnings } : {}),
    _line: line,
  });
}

/** What a line says, numbers to the last digit; the text of one that cannot be read. */
function valueOf(record: Buffer): unknown {
  const read = readLine(record);
  return isRefused(read) ? record.toString('utf8') : read.body;
}
