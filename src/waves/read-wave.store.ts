import { viewOfManifest } from '../import-jobs/manifest/manifest-state.rules.ts';
import { findJobRate } from '../import-jobs/index.ts';
import type { Database } from '../platform/database/database.ts';
import { propertiesOf, type Queryable } from '../platform/database/prepared-query.ts';
import type { Actor } from '../platform/http/route.ts';
import type { PauseReason } from '../vocabulary/import-jobs.ts';
import { isRefused, type Refused } from '../vocabulary/refusals.ts';
import { findChangedMembers, isRequester } from './approval.store.ts';
import { gatesOf, pauseOfCreation, type WaveCertificate, type WaveJob } from './gate.rules.ts';
import {
  countsForPage,
  findApproval,
  findWaveCauses,
  findWaveCausesByJob,
  freshCounts,
  readFacts,
  readFactsOf,
  type WaveCause,
} from './wave-facts.store.ts';
import type { ApprovalRecord, WaveRecord, WaveTables } from './wave.entity.ts';
import { possibleSteps, type WaveStep } from './wave-steps.rules.ts';
import { findWaveOfRequest, findWavesByEnd, type WaveViewer } from './wave.store.ts';
import { approvalView, type ApprovalView, type WaveView, waveView } from './wave-view.rules.ts';

type InPath = Parameters<typeof findWaveOfRequest>[1];

/** Reads the wave in a path with its gates, causes, jobs and newest approval. @param viewer undefined for operators */
export async function readWave(on: Queryable, request: InPath, viewer: WaveViewer | undefined) {
  const wave = await findWaveOfRequest(on, request, viewer);
  return isRefused(wave) ? wave : (await readWhole(on, wave, freshCounts, CHANGED_IN_RESPONSES)).view;
}

/** Changed accounts that a response of the API lists. */
const CHANGED_IN_RESPONSES = 100;
/** Changed accounts that their page lists. */
const CHANGED_ON_PAGE = 1_000;

/** A wave with its gates. */
type WholeWave = Exclude<Awaited<ReturnType<typeof readWave>>, Refused>;

/** Reads all that pages and responses show of a wave. @param changedListed most changed accounts to list; finding them reads all members */
async function readWhole(
  on: Queryable,
  wave: WaveRecord,
  count: Parameters<typeof readFacts>[2],
  changedListed: number,
) {
  const facts = await readFacts(on, wave, count);
  const { newestApproval: approval, counts } = facts;
  const changed =
    approval === undefined || changedListed === 0
      ? { count: counts.changed, accounts: [] }
      : await findChangedMembers(on, wave, approval, counts, changedListed);
  const countedAt = wave.counts === counts ? wave.countedAt : new Date();
  const view = {
    ...waveView({ ...wave, countedAt }, facts, await rateOf(on, wave)),
    gates: gatesOf(facts).map((gate) => ({ ...gate, link: gate.link && `/v1/data-import/${gate.link}` })),
    causes: await findWaveCauses(on, wave.id),
    jobs: facts.jobs.map(({ id, kind, goal, name, selection, status, pausedBecause, accepted, succeeded, failed }) => ({
      job_id: id,
      kind,
      goal,
      name,
      selection,
      status,
      accepted,
      succeeded,
      failed,
      paused_because: pausedBecause,
    })),
    approval: approval === undefined ? null : approvalView(approval, wave, changed),
    manifest: viewOfManifest(facts.comparedManifest),
  };
  return { view, facts, approval };
}

/** The recent rate at which the accounts of a wave are created. */
async function rateOf(on: Queryable, { status, creationJobId }: WaveRecord): Promise<number> {
  return status === 'CREATING' && creationJobId !== null ? findJobRate(on, creationJobId) : 0;
}

/** Why the creation of a wave waits although the wave itself is not paused. */
interface PausedCreation {
  creation_paused_because: PauseReason | null;
}

/** A wave as lists of the support site show it. */
type WaveInList = WaveView & PausedCreation;

/** A wave as its page on the support site shows it. */
export interface WaveForPerson {
  view: WholeWave & PausedCreation;
  /** What the state of the wave allows. */
  steps: ReadonlySet<WaveStep>;
  /** Grows with each change of the plan. */
  planRevision: number;
  /** The request for approval that waits for a decision: of the creation, or of the withdrawal. */
  request: Pick<ApprovalRecord, 'purpose' | 'requestedAt' | 'members'> | undefined;
  /** Whether this person asked for it, so that another one has to decide. */
  isRequester: boolean;
  /** The newest request for approval of the withdrawal. */
  withdrawal: ApprovalView | null;
  jobs: readonly WaveJob[];
  certificates: readonly WaveCertificate[];
  causes: readonly WaveCause[];
  exclusions: Awaited<ReturnType<typeof findExclusions>>;
}

/** Reads the wave in a path for a person, with what they can do next. */
export async function readWaveForPerson(
  database: Database,
  request: InPath,
  person: Actor,
): Promise<WaveForPerson | Refused> {
  const wave = await findWaveOfRequest(database, request, undefined);
  if (isRefused(wave)) return wave;
  const { view, facts, approval } = await readWhole(database, wave, () => countsForPage(database, wave), 0);
  const withdrawal = await findApproval(database, wave.id, 'withdrawal');
  const undecided = [approval, withdrawal].find((one) => one?.decision === null);
  return {
    view: { ...view, creation_paused_because: pauseOfCreation(facts) },
    steps: possibleSteps(facts, {
      isChanged: (view.approval?.changed ?? 0) > 0 || view.approval?.plan_changed === true,
      withdrawal: withdrawal === undefined ? 'none' : (withdrawal.decision ?? 'requested'),
    }),
    planRevision: wave.planRevision,
    request: undecided,
    isRequester: undecided !== undefined && isRequester(undecided, person),
    withdrawal: withdrawal === undefined ? null : approvalView(withdrawal, wave, { count: 0, accounts: [] }),
    jobs: facts.jobs,
    certificates: facts.certificates,
    causes: await findWaveCausesByJob(database, wave),
    exclusions: view.counts.excluded === 0 ? [] : await findExclusions(database, wave.id),
  };
}

/** The accounts of a wave that changed since its newest request for approval. */
interface ChangedMembers {
  wave: Pick<WaveRecord, 'id' | 'name' | 'importSupplier'>;
  count: number;
  /** The first of them, by external number. */
  accounts: string[];
}

/** Reads the changed accounts of the wave in a path, for a page of their own: finding them reads all members. */
export async function readChangedMembers(on: Queryable, request: InPath): Promise<ChangedMembers | Refused> {
  const wave = await findWaveOfRequest(on, request, undefined);
  if (isRefused(wave)) return wave;
  const approval = await findApproval(on, wave.id);
  const changed =
    approval === undefined
      ? { count: 0, accounts: [] }
      : await findChangedMembers(on, wave, approval, await freshCounts(on, wave), CHANGED_ON_PAGE);
  return { wave, ...changed };
}

/** Lists waves that have not ended, those in creation first, or waves that have ended, newest first; with their stored counts. */
export async function readWavesByEnd(
  on: Queryable,
  wanted: Parameters<typeof findWavesByEnd>[1],
  viewer?: WaveViewer,
): Promise<WaveInList[]> {
  const waves = await findWavesByEnd(on, wanted, viewer);
  const factsByWave = await readFactsOf(on, waves);
  const views: WaveInList[] = [];
  for (const wave of waves) {
    const facts = factsByWave.get(wave.id)!;
    views.push({ ...waveView(wave, facts, await rateOf(on, wave)), creation_paused_because: pauseOfCreation(facts) });
  }
  return views;
}

/** Waves as lists of the API show them. */
export async function viewsOf(on: Queryable, waves: readonly WaveRecord[]): Promise<WaveView[]> {
  const facts = await readFactsOf(on, waves);
  const views: WaveView[] = [];
  for (const wave of waves) views.push(waveView(wave, facts.get(wave.id)!, await rateOf(on, wave)));
  return views;
}

const EXCLUSIONS_LISTED = 100;

/** Lists records that a wave leaves out, newest first. */
function findExclusions(on: Queryable, waveId: string) {
  return propertiesOf<WaveTables>(on)
    .selectFrom('wave_exclusion')
    .select(['record', 'reason', 'excludedBy', 'excludedAt'])
    .where('waveId', '=', waveId)
    .orderBy('excludedAt', 'desc')
    .orderBy('record')
    .limit(EXCLUSIONS_LISTED)
    .execute();
}
