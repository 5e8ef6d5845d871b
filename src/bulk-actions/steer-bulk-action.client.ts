import { recordAudit, type Actor } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { Reply } from '../platform/http/route.ts';
import type { WorkRuns } from '../platform/temporal/start-run.ts';
import { compileOperatorBody } from '../platform/validation/compile-payload.ts';
import type { StuckFilter } from '../stuck/index.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { isUuid } from '../vocabulary/wire-forms.ts';
import type { BulkActionStatus } from '../vocabulary/bulk-actions.ts';
import { violation, type Violation } from '../vocabulary/violations.ts';
import { BulkAction } from './bulk-action.entity.ts';
import { parameterRules, viewOf } from './bulk-action.rules.ts';
import {
  type CreateBulkAction,
  createBulkActionSchema,
  type SteerBulkAction,
  steerBulkActionSchema,
} from './bulk-action.schema.ts';
import {
  bulkWorkItem,
  countMatches,
  endBulkAction,
  lockBulkAction,
  previewBulkAction,
  startBulkAction,
} from './bulk-action.store.ts';

export interface BulkDeps {
  database: Database;
  /** Database of the list pool, because a count reads every item. */
  lists: Database;
  runs: WorkRuns;
}

const check = compileOperatorBody<CreateBulkAction>(createBulkActionSchema, (body) => [
  ...parameterRules(body),
  ...waveRules(body),
]);

function waveRules({ filter }: CreateBulkAction): Violation[] {
  const id = filter?.wave_id;
  return id === undefined || isUuid(id) ? [] : [violation('invalid', ['filter', 'wave_id'], 'Send the id of a wave.')];
}

/** Starts a bulk action, or previews it. @returns the response of the API */
export async function createBulkAction(deps: BulkDeps, caller: Actor, body: unknown): Promise<Reply | Refused> {
  const sent = check(body);
  if (isRefused(sent)) return sent;
  const { action, reason, decision, to_import_supplier, dry_run: isDryRun = false } = sent;
  const filter = storedFilter(sent);
  if (isDryRun) return { status: 200, body: await previewBulkAction(deps.lists, action, filter) };
  const parameters = { decision, to_import_supplier };
  const { count: matched } = await countMatches(deps.lists, action, filter);
  const started = await deps.database.transaction((em) =>
    startBulkAction(em, { action, filter, parameters, reason, matched }, caller),
  );
  // Not awaited: the action is committed.
  void deps.runs.start([bulkWorkItem(started.id)]);
  return { status: 202, body: viewOf(started) };
}

/** The filter with an absolute time, so that items that get stuck later do not match. */
function storedFilter({ filter = {} }: CreateBulkAction, now = Date.now()): StuckFilter {
  const { cause, party, import_supplier: importSupplier, wave_id: waveId, older_than_seconds: age = 0 } = filter;
  return { cause, party, importSupplier, waveId, before: new Date(now - age * 1_000).toISOString() };
}

/** A change of a running or paused action. */
export type BulkVerb = 'pause' | 'resume' | 'cancel';

const steerings = {
  pause: { audited: 'bulk_action.paused', status: 'PAUSED' },
  resume: { audited: 'bulk_action.resumed', status: 'RUNNING' },
  cancel: { audited: 'bulk_action.cancelled', status: 'CANCELLED' },
} as const satisfies Record<BulkVerb, { audited: string; status: BulkActionStatus }>;

const checkReason = compileOperatorBody<SteerBulkAction>(steerBulkActionSchema);

/** Pauses, resumes or cancels a bulk action after the current page. An action that has ended does not change. */
export async function steerBulkAction(
  { database, runs }: BulkDeps,
  verb: BulkVerb,
  { params, body, caller }: { params: Readonly<Record<string, string>>; body: unknown; caller: Actor },
): Promise<Reply | Refused> {
  const sent = checkReason(body);
  if (isRefused(sent)) return sent;
  const id = params['bulk'] ?? '';
  const { audited, status } = steerings[verb];
  const changed = await database.transaction(async (em) => {
    const action = isUuid(id) ? await lockBulkAction(em, id, 'wait') : undefined;
    if (action === undefined || action.endedAt !== null || action.status === status) return action;
    const before = { status: action.status };
    if (status === 'CANCELLED') await endBulkAction(em, id, status);
    else await em.nativeUpdate(BulkAction, { id }, { status });
    await recordAudit(em, caller, {
      action: audited,
      subject: `bulk-actions/${id}`,
      before,
      after: { status, handled: action.handled },
      reason: sent.reason,
    });
    return em.refresh(action);
  });
  if (changed === undefined || changed === null) return unknownAction();
  if (verb === 'resume') void runs.start([bulkWorkItem(id)]);
  return { status: 200, body: viewOf(changed) };
}

/** The refusal for an unknown bulk action. */
export function unknownAction(): Refused {
  return refuse('not_found', { detail: 'There is no bulk action with this id.' });
}
