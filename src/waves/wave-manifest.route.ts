import { Type } from 'typebox';
import { type Actor, recordAudit } from '../access/index.ts';
import { findManifest, hasUncountedJobs, storeAcceptance, storeManifest } from '../import-jobs/index.ts';
import { MANIFEST_BYTES_MAX } from '../import-jobs/manifest/manifest-state.rules.ts';
import { sha256Of } from '../manifest/manifest-hash.rules.ts';
import { manifestSchema, type Manifest } from '../manifest/manifest.schema.ts';
import type { Database } from '../platform/database/database.ts';
import type { AuthenticatedRequest, Reply, Route } from '../platform/http/route.ts';
import type { WorkRuns } from '../platform/temporal/start-run.ts';
import { compileOperatorBody, compilePayload } from '../platform/validation/compile-payload.ts';
import { signalWork } from '../platform/work-items/work-item.store.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import { readingOptions } from './change-members.route.ts';
import { exactCounts, readFacts } from './wave-facts.store.ts';
import { statusForbids, takesAccounts } from './wave.rules.ts';
import { changedWave, waveId, wavePath, waveReasonSchema } from './wave.schema.ts';
import { findWaveOfRequest, lockWave, waveWorkItem } from './wave.store.ts';

const check = compilePayload<Manifest>(manifestSchema);
const checkReason = compileOperatorBody<{ reason: string }>(waveReasonSchema);

/** `PUT waves/<id>/manifest/`: what all jobs of a wave together are expected to contain. */
export const putWaveManifest = ({ database }: { database: Database }): Route => ({
  method: 'PUT',
  path: '/v1/data-import/waves/:wave/manifest',
  access: 'supplier',
  bodyLimitBytes: MANIFEST_BYTES_MAX,
  openApi: {
    operationId: 'putWaveManifest',
    tag: 'Waves',
    summary: 'Send the manifest of a wave',
    description:
      'Totals over all records of the wave. Send it before the first job is started; until the creation another one replaces it. The gates `complete` and `attached` compare it with the accepted records.',
    page: 'docs/suppliers/proof.md#arrival',
    path: wavePath,
    request: manifestSchema,
    rules: { import_supplier: ['invalid_choice'] },
    requestExamples: {
      totals: { type: 'gangway-manifest/1', kinds: { accounts: { records: 12_400, customers: 13_020 } } },
    },
    replies: {
      200: {
        description: 'The manifest is stored.',
        schema: Type.Object(
          {
            wave_id: waveId(),
            sha256: Type.String({ examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'] }),
          },
          { title: 'StoredManifest' },
        ),
      },
    },
    refusals: ['wave_not_found', 'wave_status_forbids', 'manifest_too_late'],
  },
  handle: (request) => storeManifestOfWave(database, request),
});

async function storeManifestOfWave(database: Database, request: AuthenticatedRequest): Promise<Reply | Refused> {
  const { caller, body } = request;
  const found = await findWaveOfRequest(database, request, caller);
  const options = await readingOptions(database, found);
  const { data, violations, truncated } = await check.ofRequest(request, undefined, options);
  if (violations.length > 0) return refuse('validation_failed', { violations, truncated });
  if (isRefused(found)) return found;
  if (data.import_supplier && data.import_supplier !== found.importSupplier) {
    const detail = 'The manifest describes records of another import supplier than the wave.';
    return refuse('validation_failed', { violations: [violation('invalid_choice', ['import_supplier'], detail)] });
  }
  return database.transaction(async (em): Promise<Reply | Refused> => {
    const wave = (await lockWave(em, found.id))!;
    const known = await findManifest(em, { waveId: wave.id });
    // So that a migration can be resumed at any time.
    if (known?.sha256 === sha256Of(body)) return { status: 200, body: { wave_id: wave.id, sha256: known.sha256 } };
    if (!takesAccounts(wave.status)) return statusForbids(wave.status, 'get a manifest');
    if (await hasUncountedJobs(em, wave.id)) return refuse('manifest_too_late');
    const sha256 = await storeManifest(em, { waveId: wave.id }, data, body);
    await recordAudit(em, caller, { action: 'wave.manifest_sent', subject: `waves/${wave.id}`, after: { sha256 } });
    return { status: 200, body: { wave_id: wave.id, sha256 } };
  });
}

interface AcceptDeps {
  database: Database;
  runs: WorkRuns;
}

/** `POST waves/<id>/accept-differences/` for operators: the wave may be created although its records differ from its manifest. */
export const acceptWaveDifferences = (deps: AcceptDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/waves/:wave/accept-differences',
  access: 'operator',
  action: 'manifest.accept',
  bodyLimitBytes: 16_384,
  openApi: {
    operationId: 'acceptDifferencesOfWave',
    tag: 'Waves',
    summary: 'Accept the differences of a wave from its manifest',
    description:
      'Exactly the totals that differ now, so that they no longer block a gate. Certificates name them with the reason.',
    page: 'docs/operators/waves.md#manifest',
    path: wavePath,
    request: waveReasonSchema,
    requestExamples: { reason: { reason: 'The supplier removed two test customers after its count.' } },
    replies: { 200: { description: 'The differences are accepted.', schema: changedWave } },
    refusals: ['wave_not_found', 'manifest_not_compared'],
  },
  handle: (request) => acceptDifferencesOfWave(deps, request),
});

/** Accepts the differences of a wave as an operator, by the API or by a form of the support site. */
export async function acceptDifferencesOfWave(
  { database, runs }: AcceptDeps,
  order: { params: Readonly<Record<string, string>>; body: unknown; caller: Actor },
): Promise<Reply | Refused> {
  const sent = checkReason(order.body);
  if (isRefused(sent)) return sent;
  const found = await findWaveOfRequest(database, order, undefined);
  if (isRefused(found)) return found;
  const accepted = await database.transaction(async (em) => {
    const wave = (await lockWave(em, found.id))!;
    const { comparedManifest: compared } = await readFacts(em, wave, exactCounts);
    if (compared === undefined || compared.differences.length === 0) return refuse('manifest_not_compared');
    const { manifest, differences } = compared;
    await storeAcceptance(em, manifest, { differences, actor: order.caller, reason: sent.reason });
    await recordAudit(em, order.caller, {
      action: 'wave.differences_accepted',
      subject: `waves/${wave.id}`,
      after: { manifest_sha256: manifest.sha256, differences },
      reason: sent.reason,
    });
    if (wave.endedAt === null) await signalWork(em, [waveWorkItem(wave)]);
    return wave;
  });
  if (isRefused(accepted)) return accepted;
  const { id, status, pausedBecause } = accepted;
  if (accepted.endedAt === null) void runs.start([waveWorkItem(accepted)]);
  return { status: 200, body: { wave_id: id, status, paused_because: pausedBecause } };
}
