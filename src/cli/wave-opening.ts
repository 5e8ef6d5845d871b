import { InvalidArgumentError } from 'commander';
import { isDeepStrictEqual } from 'node:util';
import { CommandError, exitStatuses } from './command-error.ts';
import type { Connection } from './connection.ts';
import { TEAM } from './import-options.ts';
import { listedWaveIn, wavesPath, type ListedWave } from './wave-view.ts';

const WAVES = wavesPath({ isOperator: false });
const HOURS_MAX = 720;

/** The body of the request that opens a wave; JSON omits members that are undefined. */
export interface WaveRequest {
  import_supplier: string;
  name: string;
  operations_team_name: string | undefined;
  plan: Record<string, string | number | undefined>;
  options: Record<string, unknown>;
}

/**
 * Finds the wave with the requested name, or opens it.
 * @throws CommandError if the wave has another team, plan or option than requested
 */
export async function findOrOpenWave(connection: Connection, request: WaveRequest): Promise<ListedWave> {
  const found = await findWave(connection, request);
  if (found !== undefined) return refuseOtherRequest(found, request);
  try {
    await connection.call('POST', WAVES, { ...request, operations_team_name: request.operations_team_name ?? TEAM });
  } catch (error) {
    // Another command may have opened it meanwhile.
    const opened = error instanceof CommandError ? await findWave(connection, request) : undefined;
    if (opened === undefined) throw error;
  }
  const opened = await findWave(connection, request);
  if (opened === undefined) throw new CommandError('The service did not open the wave. Run the command again.');
  return refuseOtherRequest(opened, request);
}

async function findWave(connection: Connection, request: WaveRequest): Promise<ListedWave | undefined> {
  const query = new URLSearchParams({ import_supplier: request.import_supplier, name: request.name });
  const [wave] = await connection.call<unknown[]>('GET', `${WAVES}?${query}`);
  return wave === undefined ? undefined : listedWaveIn(wave);
}

function refuseOtherRequest(wave: ListedWave, request: WaveRequest): ListedWave {
  const given: Record<string, unknown> = { team: request.operations_team_name, ...request.plan, ...request.options };
  const stored: Record<string, unknown> = { team: wave.operations_team_name, ...wave.plan, ...wave.options };
  const others = Object.entries(given)
    .filter(([name, value]) => value !== undefined && !isDeepStrictEqual(comparable(stored[name]), comparable(value)))
    .map(([name]) => `--${name.replaceAll('_', '-')}`);
  if (others.length === 0) return wave;
  throw new CommandError(
    `The wave "${wave.name}" was opened with other values of ${others.join(', ')}. Omit them to continue it, change it (waves change ${wave.wave_id}), or name another wave.`,
    exitStatuses.usage,
  );
}

/** A time as a number, because its stored form has another time zone. */
function comparable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('T') && !Number.isNaN(Date.parse(value))
    ? Date.parse(value)
    : value;
}

/** Hours of the option `--hold-switches-hours`. */
export function holdIn(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= HOURS_MAX) return Number(text);
  throw new InvalidArgumentError(`A whole number from 0 to ${HOURS_MAX} is expected.`);
}
