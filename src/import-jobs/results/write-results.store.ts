import { isUtf8 } from 'node:buffer';
import { findStagedPayload } from '../../account-import/index.ts';
import type { Queryable } from '../../platform/database/prepared-query.ts';
import type { ImportJobKind, LineOutcomeName, LineState } from '../../vocabulary/import-jobs.ts';
import { isJsonObject } from '../../vocabulary/loose-payload.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import type { ImportJobRecord } from '../import-job.entity.ts';
import { readLines, readUnprocessed, recordReader, type StoredLine } from './import-job-result.store.ts';
import { LINE_BYTES_MAX } from '../page-lines.rules.ts';
import { keyOf, readLine } from '../read-line.validation.ts';

/** The requested results. */
export interface WantedResults {
  outcome: LineOutcomeName;
  /** Write lines that can be corrected and sent again. */
  isResend: boolean;
  /** Translates errors or warnings, as JSON text; returns undefined if they have no messages. */
  translate?: (faults: string) => string | undefined;
}

type JobOfResults = Pick<ImportJobRecord, 'id' | 'kind' | 'importSupplier' | 'selection'>;

/** A result before it is serialized. */
interface Result extends Partial<Omit<StoredLine, 'line' | 'key' | 'state'>> {
  line: number;
  key: string | null;
  outcome: LineOutcomeName;
  record?: Buffer | undefined;
}

const STATES: Record<Exclude<LineOutcomeName, 'unprocessed'>, readonly LineState[]> = {
  succeeded: ['succeeded'],
  failed: ['failed', 'quarantined'],
};

/** Writes the results of a job as JSON lines, in the order of its lines. */
export async function* writeResults(on: Queryable, job: JobOfResults, wanted: WantedResults): AsyncGenerator<string> {
  const { isResend, translate } = wanted;
  for await (const result of resultsOf(on, job, wanted)) {
    if (translate !== undefined) {
      result.errors = result.errors && (translate(result.errors) ?? result.errors);
      result.warnings = result.warnings && (translate(result.warnings) ?? result.warnings);
    }
    yield `${isResend ? resendLine(result) : resultLine(job.kind, result)}\n`;
  }
}

async function* resultsOf(
  on: Queryable,
  job: JobOfResults,
  { outcome, isResend }: WantedResults,
): AsyncGenerator<Result> {
  const isUploaded = job.selection === 'uploaded';
  if (outcome === 'unprocessed') {
    for await (const lines of readUnprocessed(on, job.id)) {
      for (const line of lines) {
        yield { ...line, outcome, record: isUploaded ? line.record : await stagedRecord(on, job, line.key) };
      }
    }
    return;
  }
  const recordOf = recordReader(on, job.id);
  for await (const lines of readLines(on, job.id, STATES[outcome])) {
    for (const line of lines) {
      if (outcome === 'succeeded' && !isResend) yield { ...line, outcome };
      else {
        const record = isUploaded ? recordOf(line.line) : stagedRecord(on, job, line.key);
        yield { ...line, outcome, record: await record };
      }
    }
  }
}

/** The record of a job over staged accounts: the account as it is staged now. */
async function stagedRecord(on: Queryable, job: JobOfResults, key: string | null): Promise<Buffer | undefined> {
  const payload = key === null ? undefined : await findStagedPayload(on, job.importSupplier, key);
  return payload === undefined ? undefined : Buffer.from(payload);
}

/** Serializes a result; empty members are omitted. */
function resultLine(kind: ImportJobKind, result: Result): string {
  const { line, key, outcome, number, record } = result;
  const sent = record === undefined ? undefined : valueOf(record);
  return jsonObject([
    JSON.stringify({
      line,
      key: key ?? keyOf(kind, sent) ?? null,
      outcome,
      ...(outcome === 'succeeded' ? { number: number ?? null } : {}),
    }),
    outcome === 'failed' && `{"errors":${result.errors ?? '[]'}}`,
    Boolean(result.errorsOmitted) && `{"errors_omitted":${result.errorsOmitted}}`,
    hasAny(result.warnings) && `{"warnings":${result.warnings}}`,
    Boolean(result.warningsOmitted) && `{"warnings_omitted":${result.warningsOmitted}}`,
    sent !== undefined && JSON.stringify({ record: sent }),
    originalBytes('record_base64', record),
  ]);
}

/** Serializes the line as it was sent, with its errors. A line that is not an object is written as text in `_record`. */
function resendLine({ line, key, errors, warnings, record }: Result): string {
  const sent = record === undefined ? undefined : valueOf(record);
  const members = sent === undefined ? { _key: key } : isJsonObject(sent) ? sent : { _record: sent };
  return jsonObject([
    JSON.stringify(members),
    originalBytes('_record_base64', record),
    hasAny(errors) && `{"_errors":${errors}}`,
    hasAny(warnings) && `{"_warnings":${warnings}}`,
    `{"_line":${line}}`,
  ]);
}

function hasAny(faults: string | null | undefined): boolean {
  return Boolean(faults) && faults !== '[]';
}

/** Joins the members of serialized JSON objects, so that stored errors need not be parsed. */
function jsonObject(objects: readonly (string | false)[]): string {
  const members = objects.flatMap((one) => (one === false || one === '{}' ? [] : [one.slice(1, -1)]));
  return `{${members.join(',')}}`;
}

/** The bytes of a line that is not valid UTF-8, in base64. Omitted for a line that is too long, because only its start is stored. */
function originalBytes(member: string, record: Buffer | undefined): string | false {
  if (record === undefined || isUtf8(record) || record.length > LINE_BYTES_MAX) return false;
  return JSON.stringify({ [member]: record.toString('base64') });
}

/** The value of a line, with exact numbers; the text of an invalid line; undefined for a line that is too long. */
function valueOf(record: Buffer): unknown {
  if (record.length > LINE_BYTES_MAX) return undefined;
  const read = readLine(record);
  return isRefused(read) ? record.toString('utf8') : read.body;
}
