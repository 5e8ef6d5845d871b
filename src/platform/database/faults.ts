/**
 * SQLSTATE classes of faults that lie in the environment: connection, login and unknown database (while a server is set
 * up or restored), transaction rollback, resources, operator, system.
 */
const ENVIRONMENT_CLASSES = new Set(['08', '28', '3D', '40', '53', '57', '58']);
/** Raised by `next_account_serial` and its like: no number may be given before some are reserved again. */
export const NO_NUMBER_RESERVED = 'GW001';
/** Raised when a session lacks a setting of the service's role. */
export const WRONG_SESSION_SETTING = 'GW002';
/** Lock not available; read-only (a server that was replaced by its standby); idle in a transaction, or in all, for too long; no right (a user of the wrong name). */
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
 * The database answers and rejects this process: login, password, database name, rights, session settings; or a pooler in front of
 * it does not carry prepared statements (26000, 42P05). It stays so until an operator corrects a setting.
 */
const MISCONFIGURED_STATES = new Set(['28000', '28P01', '3D000', '42501', '26000', '42P05', WRONG_SESSION_SETTING]);
/** PgBouncer reports nearly everything as a protocol violation; these messages are about settings, others pass. */
const REJECTED_BY_POOLER = /unsupported startup parameter|no such (?:database|user)|authentication failed|not allowed/i;
/** What Node and the `pg` driver raise when the server cannot be reached or went away. */
const CONNECTION_CODES = new Set([
  // This process or machine has no file or buffer left for a connection.
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

/** The relevant members of an error. Not `instanceof Error`: Node's own errors are made in another realm when a test runs. */
interface Fault {
  code?: unknown;
  message?: unknown;
  cause?: unknown;
  /** Of an AggregateError. */
  errors?: unknown;
}

/**
 * Distinguishes a fault of the environment (database away, connection lost, deadlock, timeout: a retry succeeds later) from a fault of the
 * data or the code (a retry fails again).
 */
export function isTransientError(error: unknown): boolean {
  for (
    let fault = error as Fault | undefined | null;
    typeof fault === 'object' && fault !== null;
    fault = fault.cause as Fault
  ) {
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

/** Whether a pooler rejects the connection for its settings. */
export function isRejectedByPooler(error: unknown): boolean {
  const { code, message } = error as Fault;
  return code === '08P01' && REJECTED_BY_POOLER.test(String(message));
}

/** Whether the database rejects the settings of this process: work is delayed until an operator corrects them. */
export function isMisconfiguration(error: unknown): boolean {
  for (
    let fault = error as Fault | undefined | null;
    typeof fault === 'object' && fault !== null;
    fault = fault.cause as Fault
  ) {
    if (typeof fault.code === 'string' && MISCONFIGURED_STATES.has(fault.code)) return true;
    if (isRejectedByPooler(fault)) return true;
    if (Array.isArray(fault.errors) && fault.errors.some(isMisconfiguration)) return true;
  }
  return false;
}

const CANCELLED_BY_SOMEBODY = /user request/i;

/**
 * Whether our time limit for a statement or a transaction ended the work. The work may be too large for that time, so a retry may not
 * help: do less at once. This excludes statements canceled by an administrator, lock timeouts and servers that do not respond.
 */
export function isOwnTimeout(error: unknown): boolean {
  for (
    let fault = error as Fault | undefined | null;
    typeof fault === 'object' && fault !== null;
    fault = fault.cause as Fault
  ) {
    if (fault.code === '25P04') return true;
    if (fault.code === '57014') return !CANCELLED_BY_SOMEBODY.test(String(fault.message));
  }
  return false;
}

/** The five-character SQLSTATE of a database error, if it has one. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !CONNECTION_CODES.has(code) ? code : undefined;
}

/**
 * The parts of an error that Temporal stores: a type, a code and the names of table and constraint. Never a message of the database, which
 * quotes values, and never a stack, which is in the log.
 */
export interface DatabaseFault {
  sqlstate?: string;
  table?: string;
  column?: string;
  constraint?: string;
}

/** Names the place of a database error without quoting its data. */
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
