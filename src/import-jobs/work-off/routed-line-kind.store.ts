import { createBusiness, createBusinessContracts } from '../../businesses/index.ts';
import { createNotes } from '../../notes/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { databaseWithin, type WritableDatabase } from '../../platform/database/database.ts';
import { LARGE_BODY_BYTES } from '../../platform/http/large-body-gate.ts';
import type { AuthenticatedRequest, Caller, TokenRoute } from '../../platform/http/route.ts';
import type { Log } from '../../platform/log.ts';
import { createStatements } from '../../statements/index.ts';
import { checksDocuments, type DocumentCheck, type SupplierDirectory } from '../../suppliers/index.ts';
import { createTransactions } from '../../transactions/index.ts';
import type { ImportJobKind } from '../../vocabulary/import-jobs.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { VendorUnavailable } from '../../vocabulary/vendor-errors.ts';
import {
  type JobAtWork,
  type LineKind,
  type LineOutcome,
  outcomeOfRefusal,
  outcomeOfReply,
  type PreparedLine,
} from './line-kind.rules.ts';
import { readLineOfJob } from '../read-line.validation.ts';

export interface RoutedLineDeps {
  suppliers: SupplierDirectory;
  documents: DocumentCheck;
  clock: Clock;
  log: Log;
}

type RoutedKind = Exclude<ImportJobKind, 'accounts' | 'payment-instructions'>;
type RouteOfLine = (
  deps: RoutedLineDeps & {
    database: WritableDatabase;
    bodyLimitBytes: number;
    isRehearsal: boolean;
    importJobId: string;
  },
) => TokenRoute;

/** The operation of each kind, and whether lines with different keys may be reordered. */
const ROUTES: Record<RoutedKind, { route: RouteOfLine; isOrderFree: boolean }> = {
  notes: { route: createNotes as RouteOfLine, isOrderFree: true },
  transactions: { route: createTransactions as RouteOfLine, isOrderFree: true },
  statements: { route: createStatements as RouteOfLine, isOrderFree: true },
  // If two lines have the same contract identifier, the first one gets it.
  businesses: { route: createBusiness as RouteOfLine, isOrderFree: false },
  'business-contracts': { route: createBusinessContracts as RouteOfLine, isOrderFree: false },
};

/** Kinds other than accounts and payment instructions: the route of the single request processes each line in the transaction of the page. */
export function routedLineKinds(deps: RoutedLineDeps): Record<RoutedKind, LineKind> {
  const kinds = Object.keys(ROUTES) as RoutedKind[];
  return Object.fromEntries(kinds.map((kind) => [kind, routedLineKind(deps, kind)])) as Record<RoutedKind, LineKind>;
}

function routedLineKind(deps: RoutedLineDeps, kind: RoutedKind): LineKind {
  const { route, isOrderFree } = ROUTES[kind];
  const serve = (importJobId: string, database: WritableDatabase, documents: DocumentCheck, isRehearsal: boolean) =>
    // The upload already limited the length of lines.
    route({ ...deps, database, documents, bodyLimitBytes: 0, isRehearsal, importJobId });
  return {
    prepare: async (job, lines, yieldToEventLoop) => {
      const read: PreparedLine[] = [];
      for (const line of lines) {
        read.push(readLineOfJob(job, line));
        await yieldToEventLoop();
      }
      await refuseWithoutDocuments(deps, job, read, serve(job.id, UNREACHED, deps.documents, true), yieldToEventLoop);
      return read;
    },
    write: async (em, job, prepared) => {
      const single = serve(job.id, databaseWithin(em), KNOWN_DOCUMENTS, job.goal === 'VALIDATE');
      const outcomes = new Map<number, LineOutcome>();
      for (const line of isOrderFree ? inOrderOfKeys(prepared) : prepared) {
        outcomes.set(line.line, await outcomeOfLine(deps.log, job, line, single));
      }
      return prepared.map(({ line }) => outcomes.get(line)!);
    },
  };
}

/** The caller of the lines of a job, with the rights for its import supplier. */
export function callerOfJob({ apiKeyId, organisation, importSupplier }: JobAtWork): Caller {
  const importSuppliers = new Set([importSupplier]);
  return { keyId: apiKeyId, organisation, keyName: '', role: 'supplier', scope: 'all', importSuppliers };
}

/** Builds the single request that is equivalent to a line. */
export function requestOfLine(job: JobAtWork, { line, bytes, body }: PreparedLine, log: Log): AuthenticatedRequest {
  return {
    caller: callerOfJob(job),
    language: 'en',
    params: {},
    query: new URLSearchParams(),
    body,
    requestId: `${job.id}-${line}`,
    log,
    isLarge: bytes > LARGE_BODY_BYTES,
    yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
    hungUp: () => new AbortController().signal,
  };
}

/** Sorts lines by key, so that concurrent pages lock rows in the same order. Lines with the same key keep their order. */
function inOrderOfKeys(lines: readonly PreparedLine[]): PreparedLine[] {
  return lines.toSorted(({ key: one = '' }, { key: other = '' }) => (one < other ? -1 : Number(one > other)));
}

/** Processes a line with its operation. A validated line is rolled back, so its number is omitted. */
export async function outcomeOfLine(
  log: Log,
  job: JobAtWork,
  line: PreparedLine,
  route: TokenRoute,
): Promise<LineOutcome> {
  const answer = line.refused ?? (await route.handle(requestOfLine(job, line, log)));
  if (isRefused(answer)) return outcomeOfRefusal(answer);
  const outcome = outcomeOfReply(answer);
  return job.goal === 'VALIDATE' && outcome.kind === 'succeeded' ? { ...outcome, number: undefined } : outcome;
}

/** Accepts all documents: they were checked before the transaction, so that no lock waits for the document store. */
const KNOWN_DOCUMENTS: DocumentCheck = { findMissing: async () => [] };

/** Thrown instead of accessing the database. It shows that all earlier checks have passed. */
class Reached extends Error {}
const reached = (): never => {
  throw new Reached();
};
const UNREACHED: WritableDatabase = { run: async () => reached(), transaction: async () => reached(), em: reached };

/**
 * Checks documents by running the single request up to its first database access. Only for suppliers whose documents are checked.
 * @throws VendorUnavailable if the document store does not answer: retry the page
 */
async function refuseWithoutDocuments(
  deps: RoutedLineDeps,
  job: JobAtWork,
  lines: readonly PreparedLine[],
  route: TokenRoute,
  yieldToEventLoop: () => Promise<void>,
): Promise<void> {
  const supplier = await deps.suppliers.find(job.importSupplier);
  if (supplier === undefined || !checksDocuments(supplier)) return;
  for (const line of lines) {
    await yieldToEventLoop();
    if (line.refused) continue;
    try {
      const answer = await route.handle(requestOfLine(job, line, deps.log));
      if (isRefused(answer)) line.refused = answer;
    } catch (error) {
      if (!(error instanceof Reached)) throw error;
    }
    if (line.refused?.code === 'service_unavailable') {
      throw new VendorUnavailable('The document store is unavailable.');
    }
  }
}
