/**
 * SQLSTATE classes of environment faults: connection, login and unknown database (while a server is set up or restored), transaction
 * rollback, resources, operator, system.
 */
const ENVIRONMENT_CLASSES = new Set(['08', '28', '3D', '40', '53', '57', '58']);
/** Raised by `next_account_serial` and similar functions: no number may be issued before more are reserved. */
export const NO_NUMBER_RESERVED = 'GW001';
/** Raised if a session lacks a setting of the service's role. */
export const WRONG_SESSION_SETTING = 'GW002';
/**
 * Lock not available; read-only (the server was replaced by its standby); idle-in-transaction and transaction timeouts; insufficient
 * privilege (wrong user).
 */
const ENVIRONMENT_STATES = new Set([
  '55P03',
  '25006',
  '25P03',
  '25P04',
  '42501',
  '26000',
  '42P05',
  NO_NUMBER_RESERVED,
  WRONG_SESSION_SETTING,
]);
/**
 * The database rejects this process because of login, password, database name, privileges or session settings, or a pooler in front of it
 * does not support prepared statements (26000, 42P05). This persists until an operator corrects a setting.
 */
const MISCONFIGURED_STATES = new Set(['28000', '28P01', '3D000', '42501', '26000', '42P05', WRONG_SESSION_SETTING]);
/** PgBouncer reports nearly everything as a protocol violation. These messages are caused by settings; others are temporary. */
const REJECTED_BY_POOLER = /unsupported startup parameter|no such (?:database|user)|authentication failed|not allowed/i;
/** Codes of Node and the `pg` driver if the server is unreachable or disconnected. */
const CONNECTION_CODES = new Set([
  // This process or machine has no file descriptor or buffer left.
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNABORTED',
]);
const CONNECTION_SENTENCES =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|not queryable|Connection ended|Query read timeout/i;

/** Relevant members of an error. Not `instanceof Error`, because Node's errors belong to another realm in tests. */
interface Fault {
  code?: unknown;
  message?: unknown;
  cause?: unknown;
  /** Of an AggregateError. */
  errors?: unknown;
}

/** An error and its causes, from the outermost. */
export function* causesOf(error: unknown): Generator<Fault> {
  for (let fault = error; typeof fault === 'object' && fault !== null; fault = (fault as Fault).cause) yield fault;
}

/**
 * Distinguishes environment faults (database unavailable, connection lost, deadlock, timeout), which a later retry may survive, from faults
 * of data or code, which fail again.
 */
export function isTransientError(error: unknown): boolean {
  for (const fault of causesOf(error)) {
    const { code } = fault;
    if (typeof code === 'string') {
      if (CONNECTION_CODES.has(code) || ENVIRONMENT_STATES.has(code)) return true;
      if (/^[0-9A-Z]{5}$/.test(code)) return ENVIRONMENT_CLASSES.has(code.slice(0, 2));
    }
    if (CONNECTION_SENTENCES.test(String(fault.message))) return true;
    if (Array.isArray(fault.errors) && fault.errors.some(isTransientError)) return true;
  }
  return false;
}

/** Whether a pooler rejects the connection because of its settings. */
export function isRejectedByPooler(error: unknown): boolean {
  const { code, message } = error as Fault;
  return code === '08P01' && REJECTED_BY_POOLER.test(String(message));
}

/** Whether the database rejects the settings of this process, so that work is delayed until an operator corrects them. */
export function isMisconfiguration(error: unknown): boolean {
  for (const fault of causesOf(error)) {
    if (typeof fault.code === 'string' && MISCONFIGURED_STATES.has(fault.code)) return true;
    if (isRejectedByPooler(fault)) return true;
    if (Array.isArray(fault.errors) && fault.errors.some(isMisconfiguration)) return true;
  }
  return false;
}

const CANCELLED_BY_USER = /user request/i;

/**
 * Whether this service's time limit for a statement or transaction ended the work. A retry may time out again, so split the work. Excludes
 * statements canceled by an administrator, lock timeouts and unresponsive servers.
 */
export function isOwnTimeout(error: unknown): boolean {
  for (const fault of causesOf(error)) {
    if (fault.code === '25P04') return true;
    if (fault.code === '57014') return !CANCELLED_BY_USER.test(String(fault.message));
  }
  return false;
}

/** The five-character SQLSTATE of a database error, if it has one. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !CONNECTION_CODES.has(code) ? code : undefined;
}

/**
 * Parts of an error that Temporal may store: code and names of table, column and constraint. Never a database message, which quotes values,
 * and never a stack, which is in the log.
 */
export interface DatabaseFault {
  sqlstate?: string;
  table?: string;
  column?: string;
  constraint?: string;
}

/** Describes a database error without its data. */
export function databaseFault(error: unknown): DatabaseFault {
  const { table, column, constraint } = error as { table?: string; column?: string; constraint?: string };
  const sqlstate = sqlStateOf(error);
  return {
    ...(sqlstate ? { sqlstate } : {}),
    ...(table ? { table } : {}),
    ...(column ? { column } : {}),
    ...(constraint ? { constraint } : {}),
  };
}
