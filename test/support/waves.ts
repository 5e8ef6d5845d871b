import { expect } from '@jest/globals';
import { domesticAccount } from './account-payload.ts';
import type { Answer, Service } from './harness.ts';
import { IMPORT_JOBS, jobClient, type JobClient } from './import-jobs.ts';
import { until } from './until.ts';

export const WAVES = '/v1/data-import/waves/';
const OPERATORS_WAVES = '/v1/operations/waves/';

/** A supplier that migrates in waves, and the operators who help. */
export interface WaveClient {
  jobs: JobClient;
  open(more?: object): Promise<string>;
  see(waveId: string): Promise<Answer['body']>;
  /** States of the gates by name. */
  gates(waveId: string): Promise<Record<string, string>>;
  post(waveId: string, verb: string, body?: object): Promise<Answer>;
  /** The same by an operator. @param token default: the service's operator key */
  operate(waveId: string, verb: string, body?: object, token?: string): Promise<Answer>;
  /** Adds accounts by number. */
  add(waveId: string, externals: readonly string[]): Promise<Answer>;
  /** Stages accounts with a job of the wave. @returns the id of the job */
  stage(waveId: string, externals: readonly string[]): Promise<string>;
  /** Opens a job of a kind in the wave, uploads lines and waits until it has ended. */
  importLines(waveId: string, kind: string, goal: string, lines: readonly object[]): Promise<string>;
  untilGate(waveId: string, name: string, state: string): Promise<void>;
}

let names = 0;

/** An account of a wave test. Its number and point are derived from `external`. */
export function waveAccount(external: string): Record<string, unknown> {
  const sequence = [...external].reduce((sum, character) => (sum * 31 + character.codePointAt(0)!) % 90_000, 7) + 1;
  const account = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: external }, sequence);
  delete account.payment_preferences;
  return account;
}

/** @param codes import suppliers of the key; waves belong to the first */
export async function waveClient(service: Service, codes: string[] = ['SUPPLIER_FR']): Promise<WaveClient> {
  const jobs = await jobClient(service, codes);
  const { token } = jobs;
  const client: WaveClient = {
    jobs,
    open: async (more = {}) => {
      names += 1;
      const body = { import_supplier: codes[0], name: `Wave ${names}`, operations_team_name: 'Migration', ...more };
      const answer = await service.call('POST', WAVES, { token, body });
      expect(answer.status).toBe(201);
      return answer.body.wave_id;
    },
    see: async (waveId) => (await service.call('GET', `${WAVES}${waveId}/`, { token })).body,
    gates: async (waveId) => {
      const { gates } = await client.see(waveId);
      return Object.fromEntries(gates.map(({ name, state }: { name: string; state: string }) => [name, state]));
    },
    post: (waveId, verb, body) => service.call('POST', `${WAVES}${waveId}/${verb}/`, { token, ...(body && { body }) }),
    operate: (waveId, verb, body, by = service.operatorToken) =>
      service.call('POST', `${OPERATORS_WAVES}${waveId}/${verb}/`, { token: by, ...(body && { body }) }),
    add: (waveId, externals) =>
      service.call('PUT', `${WAVES}${waveId}/accounts/`, {
        token,
        body: Buffer.from(
          externals.map((external) => `${JSON.stringify({ external_account_number: external })}\n`).join(''),
        ),
        headers: { 'content-type': 'application/x-ndjson' },
      }),
    stage: (waveId, externals) => client.importLines(waveId, 'accounts', 'STAGE', externals.map(waveAccount)),
    importLines: async (waveId, kind, goal, lines) => {
      const jobId = await jobs.open({ kind, goal, wave_id: waveId });
      await jobs.put(jobId, 1, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      expect((await jobs.post(jobId, 'start')).status).toBe(200);
      await until(
        async () => (await service.call('GET', `${IMPORT_JOBS}${jobId}/`, { token })).body.status === 'COMPLETED',
      );
      return jobId;
    },
    untilGate: async (waveId, name, state) => {
      await until(async () => (await client.gates(waveId))[name] === state);
    },
  };
  return client;
}

/** A token of a new operator key. */
export async function operatorKey(service: Service, name: string, scope = 'approve'): Promise<string> {
  const { body } = await service.call('POST', '/v1/operations/api-keys/', {
    token: service.operatorToken,
    body: { organisation: 'Ops', name, role: 'operator', scope },
  });
  const answer = await service.call('POST', '/graphql/', {
    body: { query: `mutation { obtainToken(input: { APIKey: "${body.api_key}" }) { token } }` },
  });
  return answer.body.data.obtainToken.token;
}
