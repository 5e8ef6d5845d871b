import { Migration } from '@mikro-orm/migrations';

const STATUSES = "('PENDING', 'IN_PROGRESS', 'REJECTED', 'COMPLETED')";

/** The industry switch: the state of each supply point, what was asked of the network operator, and what it said. */
export class M010IndustrySwitch extends Migration {
  override async up(): Promise<void> {
    for (const statement of [...POINTS, ...MARKET_MESSAGE, SWITCH_REQUEST, SWITCH_CHANGE, ...OWED]) {
      this.addSql(statement);
    }
  }
}

/** `switch_round` counts how often the switch of a point was begun; each round sends one request. */
const POINTS = [
  `alter table account_supply_point
    add column switch_status text not null default 'PENDING' constraint account_supply_point_switch_status_check check (switch_status in ${STATUSES}),
    add column switch_round integer not null default 1 check (switch_round > 0)`,
];

/**
 * All that moves a switch: market messages, answers to our requests, and what operators set by hand. Account and point
 * are kept as they were said, without foreign keys: a message for what is not there (yet) is stored like any other.
 */
const MARKET_MESSAGE = [
  `create table market_message (
    message_id text collate "C" primary key,
    source text not null check (source in ('message', 'answer', 'hand')),
    import_supplier text collate "C" not null,
    external_account_number text collate "C" not null,
    supply_point_identifier text collate "C",
    outcome text check (outcome in ('ACCEPTED', 'REJECTED', 'COMPLETED')),
    status text check (status in ${STATUSES}),
    occurred_at timestamptz not null,
    reason text,
    received_at timestamptz not null default clock_timestamp(),
    effect text not null default 'waiting' check (effect in ('waiting', 'moved', 'changed-nothing', 'fits-nothing', 'unknown-account', 'unknown-point', 'set-aside')),
    effect_detail text,
    effect_at timestamptz,
    check ((source = 'hand') = (status is not null) and (status is null) = (outcome is not null)))`,
  'create index market_message_of_account on market_message (import_supplier, external_account_number)',
  "create index market_message_stray on market_message (received_at) where effect in ('fits-nothing', 'unknown-account', 'unknown-point')",
];

/** Written before the operator is asked, so that asking again after a crash carries the same id and switches nothing twice. */
const SWITCH_REQUEST = `
  create table switch_request (
    request_id uuid primary key,
    account_id uuid not null,
    point_position integer not null,
    round integer not null check (round > 0),
    requested_at timestamptz not null default clock_timestamp(),
    answered_at timestamptz,
    answer text check (answer in ('ACCEPTED', 'RECEIVED', 'REJECTED')),
    foreign key (account_id, point_position) references account_supply_point (account_id, position),
    unique (account_id, point_position, round),
    check ((answer is null) = (answered_at is null)))`;

/** What happened, in the order in which it happened here; rows are only ever added. */
const SWITCH_CHANGE = `
  create table switch_change (
    account_id uuid not null,
    position integer not null check (position >= 0),
    point_position integer not null,
    status_before text not null check (status_before in ${STATUSES}),
    status_after text not null check (status_after in ${STATUSES}),
    message_id text collate "C" not null references market_message (message_id),
    changed_at timestamptz not null default clock_timestamp(),
    primary key (account_id, position),
    foreign key (account_id, point_position) references account_supply_point (account_id, position))`;

/**
 * Why owed work is looked at: news its run has to read, or how the last run came to an end without settling it. Accounts
 * that wait for their day have none, and the index on start_at finds the due ones however many wait.
 */
const OWED = [
  "alter table unfinished_work add column state text check (state in ('news', 'unreachable', 'silent'))",
  "create index unfinished_work_troubled on unfinished_work (created_at) where state in ('unreachable', 'silent')",
];
