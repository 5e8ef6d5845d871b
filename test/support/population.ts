import { startAdictSimulator } from '../../src/vendors/network-operator/adict.simulator.ts';
import { startDataConnectSimulator } from '../../src/vendors/network-operator/data-connect.simulator.ts';
import type {
  NetworkOperatorSimulator,
  NetworkOperatorSimulatorOptions,
} from '../../src/vendors/network-operator/network-operator-server.simulator.ts';
import { startSgeSimulator } from '../../src/vendors/network-operator/sge.simulator.ts';
import { startService, type Service, type ServiceOptions } from './harness.ts';
import { until } from './until.ts';

export const POPULATE = '/v1/data-import/supply-point/populate/';

/** The service with simulators of both network operators. */
export interface PopulationService extends Service {
  enedis: NetworkOperatorSimulator;
  grdf: NetworkOperatorSimulator;
  token: string;
  /** Sends operation 14; returns the batch id. */
  populate(prmIds: readonly string[], pceIds?: readonly string[], more?: object): Promise<string>;
  status(batchId: string, query?: string): Promise<any>;
  /** Waits until a batch has ended; returns its status. */
  ended(batchId: string): Promise<any>;
  setSpeed(operator: 'enedis' | 'grdf', perSecond: number, perHour?: number): Promise<void>;
}

/** Settings for the simulators. */
export function operatorSettings(
  enedis: NetworkOperatorSimulator,
  grdf: NetworkOperatorSimulator,
  protocol: 'sge' | 'data-connect' = 'sge',
): Record<string, string> {
  return {
    ...(protocol === 'sge'
      ? { ENEDIS_SGE_URL: enedis.url, ENEDIS_SGE_LOGIN: 'test@supplier.example' }
      : {
          ENEDIS_DATA_CONNECT_URL: enedis.url,
          ENEDIS_DATA_CONNECT_CLIENT_ID: 'id',
          ENEDIS_DATA_CONNECT_CLIENT_SECRET: 'secret',
        }),
    GRDF_URL: grdf.url,
    GRDF_CLIENT_ID: 'id',
    GRDF_CLIENT_SECRET: 'secret',
  };
}

export interface PopulationOptions extends ServiceOptions {
  protocol?: 'sge' | 'data-connect';
  simulator?: NetworkOperatorSimulatorOptions;
  /** Speed of both network operators; high by default. */
  perSecond?: number;
}

/** Starts simulators and the service, with a high speed for both network operators. */
export async function startPopulation({
  protocol = 'sge',
  simulator = {},
  perSecond = 1_000,
  ...options
}: PopulationOptions = {}): Promise<PopulationService> {
  const recorded = { recordCalls: true, ...simulator };
  const enedis = await (protocol === 'sge' ? startSgeSimulator(recorded) : startDataConnectSimulator(recorded));
  const grdf = await startAdictSimulator(recorded);
  const service = await startService({
    worker: true,
    ...options,
    settings: { ...operatorSettings(enedis, grdf, protocol), ...options.settings },
  });
  await service.database.pool.query(
    'update throttle set requests_per_second = $1::numeric, requests_per_hour = $1::numeric * 3600',
    [perSecond],
  );
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const status = async (batchId: string, query = '') =>
    (await service.call('GET', `${POPULATE}${batchId}/${query}`, { token })).body;
  return {
    ...service,
    enedis,
    grdf,
    token,
    status,
    populate: async (prmIds, pceIds, more = {}) => {
      const answer = await service.call('POST', POPULATE, {
        token,
        body: { prm_ids: prmIds, ...(pceIds ? { pce_ids: pceIds } : {}), ...more },
      });
      if (answer.status !== 201) throw new Error(`expected 201: ${JSON.stringify(answer.body)}`);
      return answer.body.batch_id;
    },
    ended: async (batchId) => {
      let found: any;
      await until(async () => {
        found = await status(batchId);
        return found.status !== 'IN_PROGRESS';
      });
      return found;
    },
    setSpeed: async (operator, perSecondNow, perHour = perSecondNow * 3_600) => {
      const body = { requests_per_second: perSecondNow, requests_per_hour: perHour };
      const answer = await service.call('PUT', `/v1/operations/network-operators/${operator}/throttle/`, {
        token: service.operatorToken,
        body,
      });
      if (answer.status !== 200) throw new Error(`expected 200: ${JSON.stringify(answer.body)}`);
    },
    stop: async () => {
      await service.stop();
      await enedis.stop();
      await grdf.stop();
    },
  };
}

/** Identifiers of ordinary points, in ascending order. */
export function points(count: number, from = 25_000_000_000_000): string[] {
  return Array.from({ length: count }, (_, index) => String(from + index));
}

/** Sums a batch's counts over both lists. */
export function sums({ counts }: any): { accepted: number; imported: number; pending: number; errored: number } {
  const sum = (part: { prm_ids: number; pce_ids: number }) => part.prm_ids + part.pce_ids;
  return {
    accepted: sum(counts.accepted),
    imported: sum(counts.imported),
    pending: sum(counts.pending),
    errored: sum(counts.errored),
  };
}
