import { parseJsonBody } from '../platform/http/json-body.ts';
import { membersOfResults } from '../vocabulary/import-jobs.ts';
import { isJsonObject, membersIn, textOf } from '../vocabulary/loose-payload.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import { LINE_BYTES_MAX } from './page-lines.rules.ts';
import type { JobAtWork, Line, PreparedLine } from './work-off/line-kind.rules.ts';

/** The parsed value of a line. */
export interface ReadLine {
  body: unknown;
  /** See `RequestToCheck`. */
  isPlain: boolean;
}

/**
 * Parses a line like the body of a single request: same limits, same handling of numbers, same refusals.
 * @param bytes the line without its end
 * @returns the value without the members that `form=resend` adds; or `parse_error`, `validation_failed`, `request_too_large`
 */
export function readLine(bytes: Buffer): ReadLine | Refused {
  const read = parseLine(bytes);
  if (!isRefused(read) && isJsonObject(read.body)) for (const name of membersOfResults) delete read.body[name];
  return read;
}

/** The same with these members. */
export function parseLine(bytes: Buffer): ReadLine | Refused {
  if (bytes.length > LINE_BYTES_MAX) {
    return refuse('request_too_large', {
      detail: `The line is longer than ${LINE_BYTES_MAX} bytes. Split its content.`,
    });
  }
  const parsed = parseJsonBody(bytes);
  if (isRefused(parsed)) return { ...parsed, ...(parsed.detail !== undefined && { detail: inLine(parsed.detail) }) };
  return { body: parsed.value, isPlain: parsed.isPlain };
}

/** The result has the number of the line in the file; `line 1` of the body would contradict it. */
function inLine(detail: string): string {
  return detail.replace(/^The body is/, 'The line is').replace('line 1, column', 'column');
}

function supplierMember(kind: JobAtWork['kind']): 'import_supplier' | 'import_supplier_code' {
  return kind === 'businesses' || kind === 'business-contracts' ? 'import_supplier_code' : 'import_supplier';
}

/**
 * Sets the job's import supplier on a line that omits it.
 * @param body of a line; modified in place
 * @returns a refusal if the line names another import supplier
 */
export function setSupplierOf(job: Pick<JobAtWork, 'kind' | 'importSupplier'>, body: unknown): Refused | undefined {
  if (!isJsonObject(body)) return undefined;
  const name = supplierMember(job.kind);
  if (!Object.hasOwn(body, name)) body[name] = job.importSupplier;
  const named = body[name];
  if (typeof named !== 'string' || named.trim() === '' || named.trim() === job.importSupplier) return undefined;
  const violations = [
    violation('invalid_choice', [name], `The job is for ${job.importSupplier}; omit this member or send that code.`),
  ];
  return refuse(job.kind === 'accounts' ? 'account_failed_validation' : 'validation_failed', { violations });
}

/** Parses a line of a job; rejects a line that is invalid or names another import supplier. */
export function readLineOfJob(job: JobAtWork, { line, bytes }: Line): PreparedLine {
  const read = readLine(bytes);
  const { body, isPlain } = isRefused(read) ? { body: undefined, isPlain: false } : read;
  const refused = isRefused(read) ? read : setSupplierOf(job, body);
  return { line, bytes: bytes.length, body, isPlain, key: keyOf(job.kind, body), refused };
}

/** Characters that a key never contains. */
export const INVISIBLE = /[\p{Cc}\p{Default_Ignorable_Code_Point}]/u;
/** Longer keys are cut. A line with such a key is rejected anyway. */
const KEY_LENGTH_MAX = 512;

/**
 * Returns the key of a line: the external number of its account, or the external identifier of its business. Undefined if the key is
 * missing or contains invisible characters; an erasure then searches the contents of the line.
 */
export function keyOf(kind: JobAtWork['kind'], body: unknown): string | undefined {
  const isOfBusiness = kind === 'businesses' || kind === 'business-contracts';
  const key = textOf(membersIn(body)[isOfBusiness ? 'external_business_identifier' : 'external_account_number']).trim();
  return key === '' || INVISIBLE.test(key) ? undefined : key.slice(0, KEY_LENGTH_MAX).toWellFormed();
}
