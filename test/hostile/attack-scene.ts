import { spawn } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopChild } from '../bench/measure.ts';
import { startStack, type Stack } from '../scenarios/stack.ts';
import { reservePort } from '../support/test-port.ts';
import type { Attack } from './attack-load.ts';
import { startBystander, type Bystander } from './bystander.ts';
import { measure, startAttacker, type AttackFigures, type Pace } from './measured-attack.ts';

/** A running service with everything that it needs, and a bystander who uses it. */
export interface AttackedService {
  attack(attack: Attack): Promise<AttackFigures>;
  stop(): Promise<void>;
}

/**
 * Starts API, worker, Postgres, Temporal and a simulated network operator as separate processes.
 * @param pace shorter where the figures do not matter
 */
export async function startAttackedService(pace: Pace): Promise<AttackedService> {
  const operatorUrl = `http://127.0.0.1:${await reservePort()}`;
  const operator = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../src/processes/simulators.ts'), `ENEDIS_DATA_CONNECT_URL=${operatorUrl}`],
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  );
  await new Promise((resolve) => {
    operator.once('message', resolve);
  });
  const metricsPort = await reservePort();
  const stack = await startStack(
    {
      ENEDIS_DATA_CONNECT_URL: operatorUrl,
      ENEDIS_DATA_CONNECT_CLIENT_ID: 'id',
      ENEDIS_DATA_CONNECT_CLIENT_SECRET: 'secret',
    },
    { METRICS_PORT: String(metricsPort) },
  );
  await stack.query('update throttle set requests_per_second = $1::numeric, requests_per_hour = $1::numeric * 3600', [
    pace.lookupsPerSecond,
  ]);
  const target = { url: stack.url, token: await addAttacker(stack), seconds: pace.attackSeconds };
  const bystander = await startBystander(stack.url, stack.token, pace.callEveryMs);
  await warmUp(bystander, pace);
  const attacker = startAttacker();
  const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  return {
    attack: (attack) => measure({ stack, attacker, bystander, target, metricsUrl, pace }, attack),
    stop: async () => {
      await attacker.stop();
      await bystander.stop();
      await stack.stop();
      await stopChild(operator);
    },
  };
}

async function warmUp(bystander: Bystander, { warmUpSeconds }: Pace): Promise<void> {
  const end = bystander.alsoCall('create');
  await sleep(warmUpSeconds * 1_000);
  await end();
}

/** A supplier of another organisation, with a valid key. */
async function addAttacker(stack: Stack): Promise<string> {
  const [organisation, key] = [randomUUID(), randomUUID()];
  const token = `gwa_${randomBytes(32).toString('base64url')}`;
  await stack.query(`insert into import_supplier (code, name) values ('ATTACKER', 'Attacker')`);
  await stack.query(`insert into organisation (id, name) values ($1, 'Attackers')`, [organisation]);
  await stack.query(
    `insert into api_key (id, organisation_id, name, role, secret_sha256, secret_start) values ($1, $2, 'attacker', 'supplier', $3, 'gwk_atta')`,
    [key, organisation, randomBytes(32)],
  );
  await stack.query(`insert into api_key_import_supplier (api_key_id, import_supplier) values ($1, 'ATTACKER')`, [key]);
  await stack.query(
    `insert into access_token (sha256, api_key_id, kind, expires_at) values ($1, $2, 'access', now() + interval '1 day')`,
    [createHash('sha256').update(token).digest(), key],
  );
  return token;
}
