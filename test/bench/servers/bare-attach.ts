import Router from '@koa/router';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import pg from 'pg';

/**
 * The cost of the same rows with the bare libraries: Koa, koa-bodyparser, router and one prepared insert from
 * `unnest` in autocommit, into the same tables. No token, validation, lock or check for existing rows.
 */
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });

const NOTES = `insert into note (account_id, position, body, created_at, is_pinned, fingerprint)
  select a.id, n.n - 1, n.body, n.created_at, n.is_pinned, sha256(convert_to(n.body, 'UTF8'))
  from account a, rows from (unnest($3::text[]), unnest($4::timestamptz[]), unnest($5::boolean[])) with ordinality as n (body, created_at, is_pinned, n)
  where a.import_supplier = $1 and a.external_account_number = $2`;

const TRANSACTIONS = `insert into transaction (account_id, position, transaction_id, transaction_date, amount, type, reason, payment_type, reference, note, sent)
  select a.id, t.n - 1, t.transaction_id, t.transaction_date, t.amount, t.type, t.reason, t.payment_type, t.reference, t.note, t.sent
  from account a, rows from (unnest($3::text[]), unnest($4::date[]), unnest($5::numeric[]), unnest($6::text[]), unnest($7::text[]), unnest($8::text[]), unnest($9::text[]),
    unnest($10::text[]), unnest($11::jsonb[])) with ordinality as t (transaction_id, transaction_date, amount, type, reason, payment_type, reference, note, sent, n)
  where a.import_supplier = $1 and a.external_account_number = $2`;

type Item = Record<string, unknown>;

const router = new Router();
router.post('/v1/data-import/notes/create/', async (ctx) => {
  const sent = ctx.request.body as { import_supplier: string; external_account_number: string; notes: Item[] };
  const column = (name: string) => sent.notes.map((note) => note[name]);
  await pool.query({
    name: 'notes',
    text: NOTES,
    values: [
      sent.import_supplier,
      sent.external_account_number,
      column('body'),
      column('created_at'),
      column('is_pinned'),
    ],
  });
  ctx.status = 201;
  ctx.body = sent.notes.map(({ body, created_at: createdAt }) => ({
    created_at: createdAt,
    body,
    status: 'NOTE_CREATION_SUCCESS',
  }));
});
router.post('/v1/data-import/transactions/create/', async (ctx) => {
  const sent = ctx.request.body as { import_supplier: string; external_account_number: string; transactions: Item[] };
  const columns = [
    'transaction_id',
    'transaction_date',
    'amount',
    'type',
    'reason',
    'payment_type',
    'reference',
    'note',
  ].map((name) => sent.transactions.map((item) => item[name]));
  await pool.query({
    name: 'transactions',
    text: TRANSACTIONS,
    values: [
      sent.import_supplier,
      sent.external_account_number,
      ...columns,
      sent.transactions.map((item) => JSON.stringify(item)),
    ],
  });
  ctx.status = 201;
  ctx.body = {
    results: sent.transactions.map((item) => ({ status: 'TRANSACTION_ADDED_TO_ACCOUNT', transaction_data: item })),
  };
});

const app = new Koa();
app.use(bodyParser({ jsonLimit: '1mb' }));
app.use(router.routes() as unknown as Koa.Middleware);
app.listen(Number(process.env['HTTP_PORT']), '127.0.0.1', () => {
  process.send?.('ready');
});
