import { isDeepStrictEqual } from 'node:util';
import { type Actor, recordAudit } from '../access/index.ts';
import { type AccountKey, accountKeyPath, accountKeySchema } from '../accounts/account-key.schema.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { AuthenticatedRequest, Reply, Route } from '../platform/http/route.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { compileOperatorBody } from '../platform/validation/compile-payload.ts';
import { type Refused, isRefused, refuse } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import { instantOf } from '../vocabulary/wire-forms.ts';
import { changePin } from './notes.store.ts';
import { type PinSent, pinNoteSchema, pinSchema, unpinNoteSchema } from './notes.schema.ts';

const path = {
  ...accountKeyPath,
  note: { description: 'The member `note` of the note in the account view.', example: '0' },
};
const putOpenApi: RouteOpenApi = {
  path,
  operationId: 'putNotePin',
  summary: 'Pin a note',
  description: 'Pins the note until `unpin_at`, which must be in the future, or without an end. The body is optional.',
  request: pinNoteSchema,
  rules: { unpin_at: ['note_unpin_at_earlier_than_creation_date'] },
  requestExamples: { 'for a while': { unpin_at: '2037-01-31T23:00:00Z', reason: 'The meter is replaced in January' } },
  replies: {
    200: {
      description: 'The pinned note.',
      schema: pinSchema,
      example: { is_pinned: true, unpin_at: '2037-01-31T23:00:00.000Z' },
    },
  },
  refusals: ['not_found'],
};
const deleteOpenApi: RouteOpenApi = {
  path,
  operationId: 'deleteNotePin',
  summary: 'Unpin a note',
  description: 'The body with the reason is optional.',
  request: unpinNoteSchema,
  requestExamples: { 'with a reason': { reason: 'The meter was replaced' } },
  replies: { 200: { description: 'The note is not pinned.', schema: pinSchema, example: { is_pinned: false } } },
  refusals: ['not_found'],
};

/** The routes that pin a note, optionally until `unpin_at`, and unpin it. */
export const notePinRoutes = (deps: { database: Database; clock: Clock }): Route[] => {
  const shared = {
    path: '/v1/operations/accounts/:supplier/:external/notes/:note/pin',
    access: 'operator',
    action: 'note.pin',
    bodyLimitBytes: 16_384,
    bodyIsOptional: true,
  } as const;
  const change = (action: keyof typeof checks) => (request: AuthenticatedRequest) =>
    changeNotePin(deps, request, action);
  return [
    { ...shared, method: 'PUT', openApi: putOpenApi, handle: change('note.pinned') },
    { ...shared, method: 'DELETE', openApi: deleteOpenApi, handle: change('note.unpinned') },
  ];
};

const checkKey = compileOperatorBody<AccountKey>(accountKeySchema);
const checks = {
  'note.pinned': compileOperatorBody<PinSent>(pinNoteSchema),
  'note.unpinned': compileOperatorBody<PinSent>(unpinNoteSchema),
};

/** An operator's request, by the API or by a form of the support site. */
interface PinOrder {
  /** `note` is the position of the note in the account, from 0. */
  params: Readonly<Record<string, string>>;
  body: unknown;
  caller: Actor;
}

/** Pins a note, optionally until `unpin_at`, or unpins it, and records the change in the audit. @returns the response of the API */
export async function changeNotePin(
  { database, clock }: { database: Database; clock: Clock },
  { params, body, caller }: PinOrder,
  action: 'note.pinned' | 'note.unpinned',
): Promise<Reply | Refused> {
  const sent = checks[action](body === undefined ? {} : body);
  if (isRefused(sent)) return sent;
  const unpinAt = instantOf(sent.unpin_at ?? '') || null;
  if (unpinAt !== null && unpinAt <= instantOf(clock.now().toISOString())) return pinnedForNoTime();
  const key = checkKey({ import_supplier: params['supplier'], external_account_number: params['external'] });
  const position = params['note'] ?? '';
  if (isRefused(key) || !/^\d{1,9}$/.test(position)) return unknownNote();
  const after = await database.transaction(async (em) => {
    const changed = await changePin(em, key, Number(position), { isPinned: action === 'note.pinned', unpinAt });
    if (changed === undefined) return undefined;
    const subject = `accounts/${key.import_supplier}/${key.external_account_number}/notes`;
    if (!isDeepStrictEqual(changed.before, changed.after)) {
      await recordAudit(em, caller, { action, subject, ...changed, reason: sent.reason });
    }
    return changed.after;
  });
  return after === undefined ? unknownNote() : { status: 200, body: after };
}

function pinnedForNoTime(): Refused {
  const detail = 'unpin_at must be in the future.';
  return refuse('validation_failed', {
    violations: [violation('note_unpin_at_earlier_than_creation_date', ['unpin_at'], detail)],
  });
}

function unknownNote(): Refused {
  return refuse('not_found', { detail: 'The account or the note does not exist.' });
}
