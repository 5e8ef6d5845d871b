import { expect } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { domesticAccount } from './account-payload.ts';
import { createAccounts } from './created-accounts.ts';
import type { Service } from './harness.ts';
import { putJob, startJob, untilJob } from './run-import-job.ts';

/** What belongs to an import supplier, by the names of path parameters. */
export interface OwnThings extends Record<string, string> {
  supplier: string;
  /** A key of its program. */
  key: string;
}

/** An import supplier with one of everything that its people see; each text contains its code. */
export async function supplierWithEverything(service: Service, code: string, n: number): Promise<OwnThings> {
  const { database } = service;
  const query = (text: string, values: unknown[]) => database.pool.query(text, values);
  await query(`insert into import_supplier (code, name, status) values ($1, $2, 'Ongoing') on conflict do nothing`, [
    code,
    `Name of ${code}`,
  ]);
  const call = async (method: string, path: string, body: object) => {
    const answer = await service.call(method, `/v1/operations/${path}/`, { token: service.operatorToken, body });
    expect([answer.status, answer.body]).toEqual([201, answer.body]);
    return answer.body;
  };
  const organisation = `Organisation of ${code}`;
  const wanted = { organisation, name: `Key of ${code}`, role: 'supplier', import_suppliers: [code] };
  const key = await call('POST', 'api-keys', wanted);
  const account = (external: string, at: number, more: object = {}) =>
    domesticAccount({ import_supplier: code, external_account_number: external, ...more }, at);
  const external = `${code}-ACCOUNT`;
  await createAccounts(database, code, [account(external, n)]);
  const { reconciliation_id: reconciliation } = await call('POST', 'reconciliations', { import_supplier: code });
  await query('update reconciliation set organisation = $2 where id = $1', [reconciliation, organisation]);
  const lines = [account(`${code}-VALID`, n + 1), account(`${code}-REJECTED`, n + 2, { sales_channel: 7 })];
  const job = await putJob(database, { goal: 'VALIDATE', importSupplier: code, lines });
  await query('update import_job set organisation = $2, name = $3 where id = $1', [
    job,
    organisation,
    `Job of ${code}`,
  ]);
  await startJob(service.gateway, job, code);
  await untilJob(database, job);
  const [wave, withdrawal, endpoint] = [uuidv7(), uuidv7(), uuidv7()];
  await query(
    `insert into wave (id, import_supplier, organisation, api_key_id, name, operations_team) values ($1, $2, $3, $4, $5, 'Migration')`,
    [wave, code, organisation, key.id, `Wave of ${code}`],
  );
  await query(
    `insert into withdrawal (id, import_supplier, wave_id, organisation, requested_by, is_by_operator, reason, status, ended_at)
     values ($1, $2, $3, $4, 'Secret operator', true, $5, 'CANCELLED', now())`,
    [withdrawal, code, wave, organisation, `Reason of ${code}`],
  );
  await query(
    `insert into event_endpoint (id, import_supplier, organisation, url, secret, position) values ($1, $2, $3, $4, 'kept', 0)`,
    [endpoint, code, organisation, `https://${code.toLowerCase()}.example/events`],
  );
  return {
    ...{ supplier: code, code, external, job, wave, withdrawal, endpoint, outcome: 'failed', organisation },
    reconciliation,
    id: key.id,
    key: key.api_key,
  };
}
