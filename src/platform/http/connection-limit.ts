import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../log.ts';
import type { Settings } from '../settings.ts';
import { clientNetwork } from './client-network.ts';

export interface ConnectionLimits {
  /** Maximum number of concurrent connections. */
  max: number;
  /** Maximum number of concurrent connections per client address, or per /64 network of IPv6; unset: no limit. */
  perAddressMax?: number | undefined;
}

/** Connection counters of a server since its start. */
export interface ConnectionCounts {
  open: number;
  max: number;
  refusedOverAll: number;
  refusedOfAddress: number;
  /** Idle connections closed in favor of new ones. */
  evicted: number;
}

export interface LimitedConnections {
  counts(): ConnectionCounts;
  /** Logs the refusals that were not logged yet. */
  stop(): void;
}

interface Network {
  open: number;
  /** Connections without a request in progress, longest idle first. */
  idle: Set<Socket>;
}

interface TrackedConnection {
  name: string;
  network: Network;
  /** Requests in progress; several if the client pipelines. */
  requests: number;
}

/** For the ports of metrics and health, which have few and short requests. */
export const sidePort = {
  limits: { max: 64 },
  deadlines: { headersTimeout: 5_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 },
} as const;

/** Minimum interval between log lines about refused connections. */
const LOG_EVERY_MS = 10_000;

/**
 * Limits the connections of a server. A refused connection is closed before a byte is read. At the overall limit a new connection replaces
 * an idle one of the address that has most idle connections, unless that is its own address. Call it before the server accepts connections.
 * @param port name of the port in logs
 */
export function limitConnections(server: Server, limits: ConnectionLimits, log: Log, port: string): LimitedConnections {
  const connections = trackConnections();
  const rejectionLog = openRejectionLog(log, port);
  const counts = { refusedOverAll: 0, refusedOfAddress: 0, evicted: 0 };

  const evictFor = (name: string): boolean => {
    const socket = connections.idleOfMost(name);
    if (socket === undefined) return false;
    connections.release(socket);
    socket.destroy();
    counts.evicted += 1;
    return true;
  };
  const isAdmitted = (name: string): boolean => {
    if (connections.openOf(name) >= (limits.perAddressMax ?? Number.POSITIVE_INFINITY)) counts.refusedOfAddress += 1;
    else if (connections.open() < limits.max || evictFor(name)) return true;
    else counts.refusedOverAll += 1;
    return false;
  };

  // Node's own listener reads from the connection, so it must not get refused ones.
  const serve = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    // A client that has already disconnected has no address.
    const name = socket.remoteAddress === undefined ? undefined : clientNetwork(socket.remoteAddress);
    if (name !== undefined && isAdmitted(name)) {
      connections.hold(socket, name);
      for (const listener of serve) listener.call(server, socket);
    } else {
      // A reset frees the system's resources immediately.
      socket.on('error', () => {}).resetAndDestroy();
    }
    rejectionLog.report(counts);
  });
  server.prependListener('request', (request, response) => connections.countRequest(request.socket, response));
  return {
    counts: () => ({ open: connections.open(), max: limits.max, ...counts }),
    stop: () => rejectionLog.stop(counts),
  };
}

/** Open connections by network, and which of them are idle. */
function trackConnections() {
  const tracked = new Map<Socket, TrackedConnection>();
  const networks = new Map<string, Network>();
  const release = (socket: Socket): void => {
    const known = tracked.get(socket);
    if (known === undefined) return;
    tracked.delete(socket);
    const { network, name } = known;
    network.open -= 1;
    network.idle.delete(socket);
    if (network.open === 0) networks.delete(name);
  };
  return {
    open: () => tracked.size,
    openOf: (name: string) => networks.get(name)?.open ?? 0,
    hold: (socket: Socket, name: string): void => {
      let network = networks.get(name);
      if (network === undefined) networks.set(name, (network = { open: 0, idle: new Set() }));
      network.open += 1;
      network.idle.add(socket);
      tracked.set(socket, { name, network, requests: 0 });
      socket.once('close', () => release(socket));
    },
    release,
    countRequest: (socket: Socket, response: ServerResponse): void => {
      const known = tracked.get(socket);
      if (known === undefined) return;
      known.requests += 1;
      known.network.idle.delete(socket);
      response.on('close', () => {
        known.requests -= 1;
        if (known.requests === 0 && tracked.has(socket)) known.network.idle.add(socket);
      });
    },
    idleOfMost: (newcomer: string) => idleOfMost(networks, networks.get(newcomer)?.idle.size ?? 0),
  };
}

/** Returns the longest idle connection of the network with most of them, if it has more than `least`. */
function idleOfMost(networks: ReadonlyMap<string, Network>, least: number): Socket | undefined {
  let most = least;
  let found: Network | undefined;
  for (const network of networks.values()) {
    if (network.idle.size <= most) continue;
    most = network.idle.size;
    found = network;
  }
  return found?.idle.values().next().value;
}

type RejectionCounts = Omit<ConnectionCounts, 'open' | 'max'>;

/** Logs the first refusal immediately, then a summary every ten seconds until there are none. */
function openRejectionLog(
  log: Log,
  port: string,
): { report(counts: RejectionCounts): void; stop(counts: RejectionCounts): void } {
  let reported: RejectionCounts = { refusedOverAll: 0, refusedOfAddress: 0, evicted: 0 };
  let timer: NodeJS.Timeout | undefined;
  const write = (counts: RejectionCounts): boolean => {
    const since = {
      refusedOverAll: counts.refusedOverAll - reported.refusedOverAll,
      refusedOfAddress: counts.refusedOfAddress - reported.refusedOfAddress,
      evicted: counts.evicted - reported.evicted,
    };
    if (since.refusedOverAll + since.refusedOfAddress + since.evicted === 0) return false;
    log.warn({ port, ...since }, 'connections rejected or evicted: limit reached');
    reported = { ...counts };
    return true;
  };
  const report = (counts: RejectionCounts): void => {
    if (timer !== undefined || !write(counts)) return;
    timer = setTimeout(() => {
      timer = undefined;
      report(counts);
    }, LOG_EVERY_MS);
    timer.unref();
  };
  return {
    report,
    stop: (counts) => {
      clearTimeout(timer);
      write(counts);
    },
  };
}

/** Used if the limit of open files is unknown; the limit of old systems. */
const UNKNOWN_OPEN_FILES = 1_024;
/** File descriptors reserved for the database, Temporal, vendors, files and the log. */
const KEPT_FREE = 256;
/** An address may use at most one fourth of all connections. */
const ADDRESS_PART = 4;

/**
 * Returns the number of connections that the API accepts. Never more than the limit of open files allows, because a process without
 * descriptors cannot reach its database, and some libraries abort it. Behind proxies there is no limit per address, because all connections
 * come from the proxies.
 * @param openFiles the limit of the process
 */
export function connectionAllowance(
  settings: Pick<Settings, 'HTTP_CONNECTIONS_MAX' | 'HTTP_PROXIES'>,
  openFiles = openFilesLimit(),
): ConnectionLimits {
  const fits = Math.max(1, openFiles - Math.min(KEPT_FREE, Math.ceil(openFiles / 2)));
  const max = Math.min(settings.HTTP_CONNECTIONS_MAX, fits);
  return { max, perAddressMax: settings.HTTP_PROXIES > 0 ? undefined : Math.max(1, Math.floor(max / ADDRESS_PART)) };
}

let knownOpenFiles: number | undefined;

/** The soft limit of open files. Node raises it to the hard limit at startup; it does not change afterward. */
function openFilesLimit(): number {
  return (knownOpenFiles ??= readOpenFilesLimit());
}

function readOpenFilesLimit(): number {
  // Missing in the types. Without it the report would resolve host names.
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  const { excludeNetwork } = report;
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
  report.excludeNetwork = excludeNetwork;
  const soft = userLimits?.open_files?.soft;
  if (soft === 'unlimited') return Number.MAX_SAFE_INTEGER;
  return typeof soft === 'number' ? soft : UNKNOWN_OPEN_FILES;
}
