import { Client, type ClientConfig } from 'pg';
import type { Log } from '../log.ts';
import type { CurrentSecret } from '../secrets/secrets.ts';
import { hostIn, readDatabaseUrl } from './connection-options.ts';
import { isMisconfiguration } from './faults.ts';

/** Interval between attempts with a new address that the database rejects. */
const PROBE_EVERY_MS = 5_000;
const PROBE_TIMEOUT_MS = 3_000;

/**
 * The address of a pool while user, password or host change. A new address is tried on a separate connection and used once the database
 * accepts it; until then the previous one is used. If the database rejects the previous one, the new one is used immediately. So the secret
 * file and the database can be changed in any order.
 */
export class DatabaseLogin {
  readonly #secret: CurrentSecret;
  readonly #log: Log;
  /** The address that the pool uses. */
  #proven: string;
  #isProvenRefused = false;
  #probedAt = -Infinity;
  #toldOf: string | undefined;
  /** The address of each client, and of each failure to connect. */
  readonly #addresses = new WeakMap<object, string>();

  constructor(secret: CurrentSecret, first: string, log: Log) {
    this.#secret = secret;
    this.#proven = first;
    this.#log = log;
  }

  /** Returns a client class for pools that connects with the current address. */
  clientClass(): typeof Client {
    return clientThat({
      next: () => (this.#isProvenRefused ? (this.#coming() ?? this.#proven) : this.#proven),
      made: (client, address) => this.#addresses.set(client, address),
      connected: (address, error) => this.#connected(address, error),
    });
  }

  /** Whether a connection uses a replaced address and must be closed. */
  isOutdated(client: object): boolean {
    if (this.#secret.value() !== this.#proven) this.#probe();
    return this.#addresses.get(client) !== this.#proven;
  }

  /** Reads the secret file again. Returns whether there is another address to try after a failure. */
  async hasAnotherFor(error: unknown): Promise<boolean> {
    const { cause } = error as { cause?: unknown };
    const address = this.#addresses.get(error as object) ?? this.#addresses.get(Object(cause) as object);
    if (address !== this.#proven) return address !== undefined;
    if (!isMisconfiguration(error)) return false;
    if (this.#coming() === undefined) await this.#secret.readAgain();
    return this.#coming() !== undefined;
  }

  /** Records that an open connection failed. */
  failed(client: object, error: Error): void {
    this.#addresses.set(error, this.#addresses.get(client) ?? this.#proven);
  }

  /** Host and port of a failed connection; undefined if the pool was exhausted instead. */
  hostOf(error: unknown): string | undefined {
    const { cause } = error as { cause?: unknown };
    const address = this.#addresses.get(Object(error) as object) ?? this.#addresses.get(Object(cause) as object);
    return address === undefined ? undefined : hostIn(address);
  }

  #coming(): string | undefined {
    const current = this.#secret.value();
    return current === this.#proven ? undefined : current;
  }

  #connected(address: string, error: unknown): void {
    if (error !== undefined) {
      this.#addresses.set(error as object, address);
      this.#isProvenRefused = address === this.#proven && isMisconfiguration(error);
      return;
    }
    if (address === this.#proven) this.#isProvenRefused = false;
    else if (address === this.#secret.value()) {
      this.#proven = address;
      this.#isProvenRefused = false;
      this.#log.info('the database is reached by the new DATABASE_URL');
    }
  }

  /** Tries the new address on a separate connection. Working connections are kept. */
  #probe(): void {
    const coming = this.#coming();
    if (coming === undefined || performance.now() - this.#probedAt < PROBE_EVERY_MS) return;
    this.#probedAt = performance.now();
    const { url, ssl } = readDatabaseUrl(coming);
    const client = new Client({
      connectionString: url,
      application_name: 'gangway-new-login',
      connectionTimeoutMillis: PROBE_TIMEOUT_MS,
      ...(ssl ? { ssl } : {}),
    });
    client.on('error', () => {});
    client
      .connect()
      .then(
        () => this.#connected(coming, undefined),
        (error: unknown) => this.#refused(coming, error),
      )
      .finally(() => void client.end().catch(() => {}));
  }

  #refused(coming: string, error: unknown): void {
    if (this.#toldOf === coming) return;
    this.#toldOf = coming;
    const fault = (error as { code?: unknown }).code;
    this.#log.warn({ fault }, 'the database does not take the new DATABASE_URL yet; the former one is used');
  }
}

interface ClientHooks {
  next(): string;
  made(client: object, address: string): void;
  connected(address: string, error: unknown): void;
}

function clientThat(hooks: ClientHooks): typeof Client {
  return class extends Client {
    readonly #address: string;

    constructor(options: ClientConfig) {
      const address = hooks.next();
      const { url, ssl } = readDatabaseUrl(address);
      super({ ...options, connectionString: url, ...(ssl ? { ssl } : {}) });
      this.#address = address;
      hooks.made(this, address);
    }

    override connect(): Promise<Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<Client> | void {
      if (callback === undefined) return super.connect();
      super.connect((error: Error) => {
        hooks.connected(this.#address, error ?? undefined);
        callback(error);
      });
    }
  };
}
