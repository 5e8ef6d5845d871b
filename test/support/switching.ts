import { expect } from '@jest/globals';
import { createLog } from '../../src/platform/log.ts';
import { dispatchRound } from '../../src/platform/work-items/dispatch-work-items.ts';
import { matchLateMessages, wakeDueSwitches } from '../../src/switching/index.ts';
import { domesticAccount } from './account-payload.ts';
import type { Answer, Service } from './harness.ts';
import { until } from './until.ts';

const log = createLog({ level: 'silent', process: 'test' });

/** The date some days from today, as `YYYY-MM-DD`. */
export const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Steps of switch tests, as supplier, operator and market. */
export interface SwitchTest {
  /**
   * Stages and creates an account with these points (identifier, or identifier and supply start). @returns its number
   */
  create(external: string, points: readonly (string | readonly [identifier: string, start: string])[]): Promise<string>;
  status(external: string): Promise<string>;
  /** Waits for a status of operation 8. */
  become(external: string, status: string): Promise<void>;
  send(...messages: object[]): Promise<Answer>;
  operate(method: string, path: string, body?: unknown): Promise<Answer>;
  /** The operators' view of the account. */
  view(external: string): Promise<any>;
  /** Runs the dispatcher's steps: matches messages, wakes the run of pages if switches are due, and starts due work. */
  dispatch(): Promise<number>;
  /** Waits until the account has this many stuck items (the list is read every two seconds). */
  stuck(external: string, count: number): Promise<any[]>;
  /** Ids of the open runs of switches that failed in pages. */
  openRuns(): Promise<string[]>;
}

/** A message of the tests' supplier; its id is random by default. */
export function message(external: string, outcome: string, more: object = {}): object {
  return {
    message_id: crypto.randomUUID(),
    import_supplier: 'SUPPLIER_FR',
    external_account_number: external,
    outcome,
    occurred_at: new Date().toISOString(),
    ...more,
  };
}

export async function switchTestOf(
  service: Pick<Service, 'call' | 'operatorToken' | 'supplierToken' | 'database' | 'gateway'>,
): Promise<SwitchTest> {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const alsoRun = [matchLateMessages(service.database), wakeDueSwitches(service.database, { canRequest: true })];
  const post = (path: string, body: unknown) =>
    service.call('POST', `/v1/data-import/account-import-process/${path}/`, { token, body });
  const operate: SwitchTest['operate'] = (method, path, body) =>
    service.call(method, `/v1/operations/${path}`, { token: service.operatorToken, body });
  const status: SwitchTest['status'] = async (external) =>
    (await service.call('GET', `/v1/data-import/account-transfer-status/SUPPLIER_FR/${external}/`, { token })).body
      .status;
  return {
    operate,
    status,
    create: async (external, points) => {
      const account = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: external });
      const [address] = account.supply_addresses!;
      const supply_points = points.map((point) => {
        const [identifier, supply_start_date] = typeof point === 'string' ? [point, inDays(5)] : point;
        return { identifier, supply_start_date, supply_type: 'ELECTRICITY' as const };
      });
      delete account.payment_preferences;
      const staged = await post('create-or-update', { ...account, supply_addresses: [{ ...address!, supply_points }] });
      expect(staged).toMatchObject({ status: 201 });
      const created = await post('process', {
        import_supplier_code: 'SUPPLIER_FR',
        external_account_number: external,
        operations_team_name: 'Migration',
      });
      expect(created).toMatchObject({ status: 201 });
      return created.body.service_account_number;
    },
    become: async (external, wanted) => {
      await until(async () => (await status(external)) === wanted);
    },
    send: (...messages) => operate('POST', 'market-messages/', messages),
    view: async (external) => (await operate('GET', `accounts/SUPPLIER_FR/${external}/`)).body.account,
    dispatch: () => dispatchRound({ database: service.database, gateway: service.gateway, log, alsoRun }),
    stuck: async (external, count) => {
      let found: any[] = [];
      await until(
        async () =>
          (found = (await operate('GET', `stuck/?account=SUPPLIER_FR/${external}`)).body.stuck).length === count,
        200,
      );
      return found;
    },
    openRuns: async () => {
      const client = service.gateway.client();
      const ids: string[] = [];
      for await (const run of client.workflow.list({
        query: "WorkflowType = 'switchSupplier' AND ExecutionStatus = 'Running'",
      })) {
        ids.push(run.workflowId);
      }
      return ids.sort();
    },
  };
}
