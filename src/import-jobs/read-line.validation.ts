import { parseJsonBody } from '../platform/http/json-body.ts';
import { membersOfResults } from '../vocabulary/import-jobs.ts';
import { isJsonObject, membersIn, textOf } from '../vocabulary/loose-payload.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import { LINE_BYTES_MAX } from './page-lines.rules.ts';
import type { JobAtWork } from './work-off/line-kind.rules.ts';

/** What a line says. */
export interface ReadLine {
  body: unknown;
  /** See `RequestToCheck`. */
  isPlain: boolean;
}

/**
 * Reads a line as the body of a single call is read: the same limits, the same numbers, the same refusals.
 * @param bytes the line without its end
 * @returns the value without the members that only results have; or `parse_error`, `validation_failed`, `request_too_large`
 */
export function readLine(bytes: Buffer): ReadLine | Refused {
  if (bytes.length > LINE_BYTES_MAX) {
    return refuse('request_too_large', {
      detail: `The line is longer than ${LINE_BYTES_MAX} bytes. Split its content.`,
    });
  }
  const parsed = parseJsonBody(bytes);
  if (isRefused(parsed)) return parsed;
  const { value, isPlain } = parsed;
  if (isJsonObject(value)) for (const name of membersOfResults) delete value[name];
  return { body: value, isPlain };
}

/** Under which name a line of a kind says its import supplier. */
function supplierMember(kind: JobAtWork['kind']): 'import_supplier' | 'import_supplier_code' {
  return kind === 'businesses' || kind === 'business-contracts' ? 'import_supplier_code' : 'import_supplier';
}

/**
 * The import supplier of a line is the job's: it may be left out.
 * @param body of a line; gets the member where it has none
 * @returns a refusal where another one is named
 */
export function takeSupplierOf(job: Pick<JobAtWork, 'kind' | 'importSupplier'>, body: unknown): Refused | undefined {
  if (!isJsonObject(body)) return undefined;
  const name = supplierMember(job.kind);
  if (!Object.hasOwn(body, name)) body[name] = job.importSupplier;
  const named = body[name];
  if (typeof named !== 'string' || named.trim() === '' || named.trim() === job.importSupplier) return undefined;
  const violations = [violation('invalid_choice', [name], `The job is one of ${job.importSupplier}; leave this out.`)];
  return refuse(job.kind === 'accounts' ? 'account_failed_validation' : 'validation_failed', { violations });
}

/** Characters that a key never has. */
export const INVISIBLE = /[\0\p{Default_Ignorable_Code_Point}]/u;
/** Keys of lines that were refused for their length need not be whole. */
const KEY_LENGTH_MAX = 512;

/**
 * The key of a line: the number of its account, or the identifier of its business. Undefined where it has none, or one with
 * characters that nobody sees: an erasure then finds the line by its contents.
 */
export function keyOf(kind: JobAtWork['kind'], body: unknown): string | undefined {
  const isOfBusiness = kind === 'businesses' || kind === 'business-contracts';
  const key = textOf(membersIn(body)[isOfBusiness ? 'external_business_identifier' : 'external_account_number']).trim();
  return key === '' || INVISIBLE.test(key) ? undefined : key.slice(0, KEY_LENGTH_MAX).toWellFormed();
}
