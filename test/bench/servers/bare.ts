import Router from '@koa/router';
import { hash } from 'node:crypto';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { isValidPhoneNumber } from 'libphonenumber-js/max';
import pg from 'pg';
import { pino } from 'pino';
import { accountPayloadSchema } from '../../../src/accounts/account-payload.schema.ts';
import { compileCopy } from '../../../src/platform/validation/copy-by-schema.ts';
import { createAjv } from '../../../src/platform/validation/keywords.ts';
import type { SchemaNode } from '../../../src/platform/validation/schema-node.ts';

/**
 * The cost of the same work with the bare libraries: Koa, koa-bodyparser, router and Ajv with our schema. VARIANT:
 * `ajv` only that; `checks` adds the phone checks, dropped members, one log line and a token lookup; `stage` adds one
 * prepared upsert to `checks`.
 */
const variant = process.env['VARIANT'] ?? 'ajv';
const validate = createAjv().compile(accountPayloadSchema as object);
const copy = compileCopy(accountPayloadSchema as unknown as SchemaNode);
const log = pino();
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
const tokens = new Map<string, number>();

const UPSERT = `insert into bench_stage (supplier, external_number, payload) values ($1, $2, $3)
  on conflict (supplier, external_number) do update set payload = excluded.payload, revision = bench_stage.revision + 1, updated_at = now()
  returning revision`;

if (variant === 'stage') {
  await pool.query(`create table if not exists bench_stage (id bigint generated always as identity primary key, supplier text not null, external_number text not null,
    payload jsonb not null, revision integer not null default 1, updated_at timestamptz not null default now(), unique (supplier, external_number))`);
}

interface Payload {
  import_supplier: string;
  external_account_number: string;
  customers: { mobile?: string; landline?: string }[];
}

const router = new Router();
router.post(
  ['/v1/data-import/validate-account/', '/v1/data-import/account-import-process/create-or-update/'],
  async (ctx) => {
    const started = performance.now();
    if (variant !== 'ajv' && !(await isKnown(ctx.get('authorization')))) ctx.throw(401);
    const sent = ctx.request.body as Payload;
    const payload = (
      variant === 'ajv' ? sent : copy(sent, { hasBadText: false, hasDropped: false, hasDamagedText: false })
    ) as Payload;
    const isValid =
      validate(payload) &&
      (variant === 'ajv' || payload.customers.every(({ mobile, landline }) => isPhone(mobile) && isPhone(landline)));
    if (!isValid) {
      ctx.status = 400;
      ctx.body = { errors: validate.errors };
    } else if (variant === 'stage') {
      const { rows } = await pool.query({
        name: 'stage',
        text: UPSERT,
        values: [payload.import_supplier, payload.external_account_number, JSON.stringify(payload)],
      });
      ctx.status = rows[0].revision === 1 ? 201 : 200;
      ctx.body = { import_supplier: payload.import_supplier, external_account_number: payload.external_account_number };
    } else {
      ctx.body = payload;
    }
    if (variant !== 'ajv') {
      log.info({ route: ctx.path, status: ctx.status, durationMs: performance.now() - started }, 'request');
    }
  },
);

const app = new Koa();
app.use(bodyParser({ jsonLimit: '1mb' }));
app.use(router.routes() as unknown as Koa.Middleware);
app.listen(Number(process.env['HTTP_PORT']), '127.0.0.1', () => {
  process.send?.('ready');
});

function isPhone(number: string | undefined): boolean {
  return !number || isValidPhoneNumber(number, 'FR');
}

async function isKnown(authorization: string): Promise<boolean> {
  const key = hash('sha256', authorization.slice(6), 'base64url');
  if ((tokens.get(key) ?? 0) > performance.now()) return true;
  const { rows } = await pool.query({
    name: 'token',
    text: 'select 1 from access_token where sha256 = $1 and expires_at > now()',
    values: [hash('sha256', authorization.slice(6), 'buffer')],
  });
  if (rows.length === 1) tokens.set(key, performance.now() + 1_000);
  return rows.length === 1;
}
