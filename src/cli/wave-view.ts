import type { Static } from 'typebox';
import { tableOf } from '../foundation/table.ts';
import type { listedWave, waveSchema } from '../waves/wave.schema.ts';
import { CommandError } from './command-error.ts';
import type { Connection } from './connection.ts';
import { spanOf } from './import-job-view.ts';
import type { LiveLine } from './live-list.ts';
import { counted } from './output.ts';
import { barOf } from './progress.ts';

/** A wave as the service shows it. */
export type WaveView = Static<typeof waveSchema>;
/** A wave in a list. */
export type ListedWave = Static<typeof listedWave>;
export type WaveJob = WaveView['jobs'][number];
type Gate = WaveView['gates'][number];

/** What commands print of one wave. */
export const PRINTED_WAVE = { operation: 'GET /v1/data-import/waves/<wave>/' };

const MARKS = tableOf({ passed: '[x]', open: '[ ]', blocked: '[!]', not_required: '[-]' });
const GATE_WIDTH = 11;
const AT_WORK: ReadonlySet<string> = new Set(['VALIDATING', 'RUNNING', 'PAUSED']);

/** The base path for calls about waves; operators see all waves. */
export function wavesPath({ isOperator }: Pick<Connection, 'isOperator'>): string {
  return isOperator ? '/v1/operations/waves/' : '/v1/data-import/waves/';
}

/** The path of one wave, or of a call about it. */
export function pathOfWave(connection: Pick<Connection, 'isOperator'>, waveId: string, verb?: string): string {
  return `${wavesPath(connection)}${encodeURIComponent(waveId)}/${verb === undefined ? '' : `${verb}/`}`;
}

/** Reads one wave. */
export async function readWave(connection: Connection, waveId: string): Promise<WaveView> {
  return waveIn(await connection.call('GET', pathOfWave(connection, waveId)));
}

/**
 * Validates a wave in a response.
 * @throws CommandError if it is not a wave, for example because another server responded
 */
export function waveIn(answer: unknown): WaveView {
  const wave = listedWaveIn(answer) as Partial<WaveView>;
  const { gates, jobs, causes, approval } = wave;
  const areGates =
    areObjects(gates) && gates.every((gate) => [gate['name'], gate['state'], gate['evidence']].every(isText));
  const areJobs = areObjects(jobs) && jobs.every((job) => [job['job_id'], job['kind'], job['status']].every(isText));
  const isApproval = approval === null || (typeof approval === 'object' && Array.isArray(approval.changed_accounts));
  if (areGates && areJobs && areObjects(causes) && isApproval) return wave as WaveView;
  throw notAWave();
}

/** Validates a wave in a list, which omits gates, jobs and approval. */
export function listedWaveIn(answer: unknown): ListedWave {
  const wave = (answer ?? {}) as Partial<ListedWave>;
  const { counts } = wave;
  const numbers = [counts?.accounts, counts?.pending, counts?.created, counts?.excluded];
  const areCounts = numbers.every((count) => Number.isSafeInteger(count) && count! >= 0);
  const areTexts = [wave.wave_id, wave.name, wave.status].every(isText);
  if (areCounts && areTexts && isObject(wave.plan) && isObject(wave.options) && isObject(counts?.switches)) {
    return wave as ListedWave;
  }
  throw notAWave();
}

function notAWave(): CommandError {
  return new CommandError('The response of the service is not a wave. Check the address and the version of gangway.');
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function areObjects(list: unknown): list is Record<string, unknown>[] {
  return Array.isArray(list) && list.every(isObject);
}

/** The status, with the reason of a pause. */
export function statusOfWave({ status, paused_because: because }: Pick<WaveView, 'status' | 'paused_because'>): string {
  return because === null ? status : `${status} (${because.replaceAll('_', ' ')})`;
}

/** How far the creation of a wave is, in one line. */
export function progressOfWave({ counts, accounts_per_second: rate, estimated_end_at: end }: WaveView): string {
  const { accounts, created, pending, excluded } = counts;
  const parts = [`${created} created`, `${pending} to go of ${counted(accounts, 'account')}`];
  if (excluded > 0) parts.push(`${excluded} excluded`);
  const all = created + pending;
  const left = end === null ? Number.NaN : Date.parse(end) - Date.now();
  const pace = Number.isNaN(left) ? '' : `  ${Math.round(rate)}/s, ${spanOf(Math.max(0, left))} left, until ${end}`;
  return `${barOf(all === 0 ? 0 : created / all)}  ${parts.join(', ')}${pace}`;
}

/** A gate in one line, with what its state follows from. */
export function lineOfGate({ name, state, evidence }: Gate): string {
  return `${MARKS.get(state) ?? '[?]'} ${name.replaceAll('_', ' ').padEnd(GATE_WIDTH)} ${evidence}`;
}

/** A wave with its gates and the jobs in progress as a list that is kept up to date. */
export function linesOfWave(wave: WaveView): LiveLine[] {
  const { status, paused_because: because, counts } = wave;
  return [
    { id: 'wave', text: headOf(wave), key: `${status} ${because}` },
    { id: 'progress', text: progressOfWave(wave), key: `${counts.accounts} ${counts.created} ${counts.excluded}` },
    ...wave.gates.map((gate) => ({ id: gate.name, text: lineOfGate(gate), key: gate.state })),
    ...wave.jobs.filter(({ status: state }) => AT_WORK.has(state)).map(lineOfJob),
  ];
}

function lineOfJob({ job_id: id, name, kind, goal, status, accepted, succeeded, failed }: WaveJob): LiveLine {
  const share = accepted === 0 ? 0 : (succeeded + failed) / accepted;
  const label = goal === 'REHEARSE' || goal === 'CREATE' ? `${goal.toLowerCase()} accounts` : (name ?? kind);
  const text = `    ${barOf(share)}  ${label}: ${succeeded} succeeded, ${failed} failed of ${accepted}`;
  return { id, text, key: status };
}

/** Name, status and id of a wave. */
export function headOf(wave: WaveView): string {
  const { name, wave_id: id, import_supplier: supplier, operations_team_name: team } = wave;
  return `${name}  ${statusOfWave(wave)}  ${id}, ${supplier}, team ${team}`;
}
