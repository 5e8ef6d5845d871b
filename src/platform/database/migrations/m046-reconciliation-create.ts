import { Migration } from '@mikro-orm/migrations';

/** Reconciliations: how far each is, what it has counted, and what differs (docs/decisions/0049-reconciliation.md). */
export class M046ReconciliationCreate extends Migration {
  override async up(): Promise<void> {
    for (const statement of [...RECONCILIATION, DIFFERENCE, ...WORK_ITEM_KINDS]) this.addSql(statement);
  }
}

/** `organisation` is null for one that an operator has started; `position` is the key or the line that was compared last. */
const RECONCILIATION = [
  `create table reconciliation (
    id uuid primary key,
    import_supplier text collate "C" not null references import_supplier (code),
    import_job_id uuid references import_job (id),
    organisation text,
    status text not null default 'RUNNING' check (status in ('RUNNING', 'COMPLETED', 'CANCELLED')),
    subject text not null default 'account' check (subject in ('account', 'business')),
    position text collate "C" not null default '',
    tally jsonb not null,
    listed integer not null default 0,
    version text,
    created_at timestamptz not null default now(),
    ended_at timestamptz,
    check ((status = 'RUNNING') = (ended_at is null))
  ) with (fillfactor = 50)`,
  "create unique index reconciliation_running on reconciliation (import_supplier, coalesce(import_job_id, '00000000-0000-0000-0000-000000000000'), coalesce(organisation, '')) where status = 'RUNNING'",
];

/** One place that differs. It holds no value: those are personal data, and stand where they belong. */
const DIFFERENCE = `
  create table reconciliation_difference (
    reconciliation_id uuid not null references reconciliation (id),
    number integer not null,
    subject text not null check (subject in ('account', 'business')),
    key text not null,
    path text not null,
    kind text not null check (kind in ('changed', 'missing', 'extra')),
    table_name text not null,
    column_name text,
    reason text check (reason in ('note_added', 'statement_added', 'payment_instruction_verified', 'payment_instruction_replaced', 'note_pin_changed', 'transaction_moved')),
    primary key (reconciliation_id, number)
  )`;

const WORK_ITEM_KINDS = [
  'alter table work_item drop constraint work_item_kind_check',
  `alter table work_item add constraint work_item_kind_check
    check (kind in ('create-account', 'verify-payment-instruction', 'populate-supply-points', 'look-up-supply-points', 'switch-supplier', 'import-job', 'reconcile'))`,
];
