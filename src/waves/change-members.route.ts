import type { EntityManager } from '@mikro-orm/postgresql';
import { Type } from 'typebox';
import { type Actor, recordAudit } from '../access/index.ts';
import { excludeRecords, findFaultyMembers, moveToWave } from '../account-import/index.ts';
import type { Database } from '../platform/database/database.ts';
import { kyselyOf } from '../platform/database/prepared-query.ts';
import type { Reply, Route } from '../platform/http/route.ts';
import { forOperators, type RouteOpenApi } from '../platform/http/route-openapi.ts';
import { compilePayload, type PayloadOptions } from '../platform/validation/compile-payload.ts';
import { findSupplierByCode, readingOptionsOf } from '../suppliers/index.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation, type Violation } from '../vocabulary/violations.ts';
import type { WaveRecord } from './wave.entity.ts';
import { statusForbids, takesAccounts } from './wave.rules.ts';
import {
  EXAMPLE_WAVE,
  type ExcludeRequest,
  excludeSchema,
  moveSchema,
  type MoveRequest,
  wavePath,
} from './wave.schema.ts';
import {
  countWave,
  failedAttachments,
  failedRehearsals,
  findWaveOfRequest,
  invalidLines,
  lockWave,
  type WaveViewer,
} from './wave.store.ts';

const checkExclusion = compilePayload<ExcludeRequest>(excludeSchema, ({ accounts, faulty }): Violation[] =>
  accounts === undefined && faulty !== true
    ? [violation('required', ['accounts'], 'Send accounts by number, or faulty: true.')]
    : [],
);
const checkMove = compilePayload<MoveRequest>(moveSchema);

const excludeOpenApi: RouteOpenApi = {
  operationId: 'excludeFromWave',
  tag: 'Waves',
  summary: 'Leave accounts out of a wave',
  description:
    'The accounts by number, or with `faulty: true` all records that block a gate now: invalid, rejected, skipped or quarantined, failed in the last rehearsal, or failed lines of attachments. The accounts are neither rehearsed nor created with the wave; the reason stays with it.',
  page: 'docs/suppliers/waves.md#members',
  path: wavePath,
  request: excludeSchema,
  rules: { accounts: ['required'] },
  requestExamples: { faulty: { faulty: true, reason: 'Agreed with the supplier: these follow in wave 4.' } },
  replies: {
    200: {
      description: 'They are left out.',
      schema: Type.Object({ excluded: Type.Integer({ examples: [3] }) }, { title: 'ExcludedFromWave' }),
    },
  },
  refusals: ['wave_not_found', 'wave_status_forbids'],
};

const moveOpenApi: RouteOpenApi = {
  operationId: 'moveToWave',
  tag: 'Waves',
  summary: 'Move accounts to this wave',
  description:
    'From other waves of the same import supplier that are still prepared. They lose their rehearsal and approval.',
  page: 'docs/suppliers/waves.md#members',
  path: wavePath,
  request: moveSchema,
  requestExamples: { one: { accounts: ['HOME-00004711'], reason: 'Supply starts a month later.' } },
  replies: {
    200: {
      description: 'They are moved.',
      schema: Type.Object(
        {
          moved: Type.Integer({ examples: [1] }),
          from: Type.Array(Type.String(), { description: 'Ids of their former waves.', examples: [[EXAMPLE_WAVE]] }),
        },
        { title: 'MovedToWave' },
      ),
    },
  },
  refusals: ['wave_not_found', 'wave_status_forbids'],
};

/** A request to change the members of a wave, by the API or by a form of the support site. */
interface MembersOrder {
  params: Readonly<Record<string, string>>;
  body: unknown;
  caller: Actor;
}

/** `POST waves/<id>/exclude/` and `move/`, for suppliers and for operators. */
export function changeMembersRoutes({ database }: { database: Database }): { suppliers: Route[]; operators: Route[] } {
  const verbs = {
    exclude: { openApi: excludeOpenApi, change: excludeFromWave },
    move: { openApi: moveOpenApi, change: moveAccounts },
  };
  const limit = { method: 'POST', bodyLimitBytes: 2_097_152 } as const;
  return {
    suppliers: Object.entries(verbs).map(([verb, { openApi, change }]) => ({
      ...limit,
      path: `/v1/data-import/waves/:wave/${verb}`,
      access: 'supplier',
      openApi,
      handle: (request) => change(database, request, request.caller),
    })),
    operators: Object.entries(verbs).map(([verb, { openApi, change }]) => ({
      ...limit,
      path: `/v1/operations/waves/:wave/${verb}`,
      access: 'operator',
      action: 'wave.steer',
      openApi: forOperators(openApi),
      handle: (request) => change(database, request, undefined),
    })),
  };
}

/** Leaves accounts out of a wave. @param viewer undefined for operators */
export async function excludeFromWave(
  database: Database,
  order: MembersOrder,
  viewer: WaveViewer | undefined,
): Promise<Reply | Refused> {
  const found = await findWaveOfRequest(database, order, viewer);
  const { data, violations, truncated } = checkExclusion(order.body, undefined, await readingOptions(database, found));
  if (violations.length > 0) return refuse('validation_failed', { violations, truncated });
  if (isRefused(found)) return found;
  return changeMembers(database, found, async (em, wave) => {
    const faulty = data.faulty === true ? await findFaulty(em, wave) : [];
    const records = [...new Set([...(data.accounts ?? []), ...faulty])];
    await excludeRecords(em, wave.id, records, { reason: data.reason, by: order.caller.keyName });
    await recordAudit(em, order.caller, {
      action: 'wave.accounts_excluded',
      subject: `waves/${wave.id}`,
      after: { excluded: records.length, accounts: records.slice(0, 100) },
      reason: data.reason,
    });
    return { excluded: records.length };
  });
}

/** The records that block a gate: faulty members, and failed lines of uploads, rehearsal and attachments. */
async function findFaulty(em: EntityManager, wave: WaveRecord): Promise<string[]> {
  const records = await findFaultyMembers(em, wave.id);
  for (const lines of [invalidLines(wave.id), failedRehearsals(wave.id), failedAttachments(wave.id)]) {
    const { rows } = await lines.execute(kyselyOf<object>(em));
    records.push(...rows.map(({ record }) => record));
  }
  return records;
}

/** Moves accounts of other waves to a wave. @param viewer undefined for operators */
export async function moveAccounts(
  database: Database,
  order: MembersOrder,
  viewer: WaveViewer | undefined,
): Promise<Reply | Refused> {
  const found = await findWaveOfRequest(database, order, viewer);
  const { data, violations, truncated } = checkMove(order.body, undefined, await readingOptions(database, found));
  if (violations.length > 0) return refuse('validation_failed', { violations, truncated });
  if (isRefused(found)) return found;
  return changeMembers(database, found, async (em, wave) => {
    const moved = await moveToWave(em, wave, data.accounts);
    const from = [...new Set(moved.map(({ waveId }) => waveId))];
    for (const subject of [wave.id, ...from]) {
      await recordAudit(em, order.caller, {
        action: 'wave.accounts_moved',
        subject: `waves/${subject}`,
        after: {
          to: wave.id,
          from,
          moved: moved.length,
          accounts: moved.slice(0, 100).map(({ external }) => external),
        },
        reason: data.reason,
      });
    }
    for (const other of from) await countWave(em, other);
    return { moved: moved.length, from };
  });
}

/** The body of a request about an unknown wave is read leniently, because its import supplier is unknown too. */
export async function readingOptions(database: Database, wave: WaveRecord | Refused): Promise<PayloadOptions> {
  if (isRefused(wave)) return { nullMeansAbsent: true };
  return readingOptionsOf(await findSupplierByCode(database.em(), wave.importSupplier));
}

async function changeMembers(
  database: Database,
  { id }: WaveRecord,
  change: (em: EntityManager, wave: WaveRecord) => Promise<object>,
): Promise<Reply | Refused> {
  return database.transaction(async (em): Promise<Reply | Refused> => {
    const wave = (await lockWave(em, id))!;
    if (!takesAccounts(wave.status)) return statusForbids(wave.status, 'be changed');
    const body = await change(em, wave);
    await countWave(em, wave.id);
    return { status: 200, body };
  });
}
