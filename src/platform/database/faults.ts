/** SQLSTATE classes of faults that lie in the environment: connection, transaction rollback, resources, operator, system. */
const ENVIRONMENT_CLASSES = new Set(['08', '40', '53', '57', '58']);
const LOCK_NOT_AVAILABLE = '55P03';
/** What Node and the `pg` driver raise when the server cannot be reached or went away. */
const CONNECTION_CODES = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ECONNABORTED',
]);
const CONNECTION_SENTENCES = /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|Connection ended|Query read timeout/i;

/**
 * Tells a fault of the environment (database away, connection lost, deadlock, time-out: the same work succeeds later)
 * from a fault of the data or the code (the same work fails again). Design 3.
 */
export function isEnvironmentFault(error: unknown): boolean {
  for (let fault = error; fault instanceof Error; fault = (fault as { cause?: unknown }).cause) {
    const code = sqlStateOf(fault) ?? (fault as { code?: unknown }).code;
    if (typeof code === 'string') {
      if (CONNECTION_CODES.has(code) || code === LOCK_NOT_AVAILABLE) return true;
      if (/^[0-9A-Z]{5}$/.test(code)) return ENVIRONMENT_CLASSES.has(code.slice(0, 2));
    }
    if (CONNECTION_SENTENCES.test(fault.message)) return true;
    if (fault instanceof AggregateError && fault.errors.some(isEnvironmentFault)) return true;
  }
  return false;
}

/** The five-character SQLSTATE of a database error, if it has one. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && code !== 'EPIPE' ? code : undefined;
}
