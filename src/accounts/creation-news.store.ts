import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Queryable, Statement } from '../platform/database/database.ts';
import { loggedFault, type Log } from '../platform/log.ts';
import type { CreationEntry, CreationOutcome } from './create-account.rules.ts';

/** Hears of what became of creations in the moment of their commit, ahead of the end of their run. */
export interface CreationNews {
  /**
   * Waits for the news of a batch. There may never be any: whoever waits asks Temporal as well.
   * @param creationId of the batch's first entry
   */
  await(creationId: string): { outcomes: Promise<CreationOutcome[]>; forget(): void };
  close(): Promise<void>;
}

const CHANNEL = 'creation_outcomes';
/** Postgres takes 8,000 bytes less one; what is longer is left to the run. */
const NEWS_BYTES_MAX = 7_900;
const LISTEN_AGAIN_MS = 1_000;

const ANNOUNCE: Statement = { name: 'creation-news-announce', text: `select pg_notify('${CHANNEL}', $1)` };

/**
 * Announces the outcomes of a batch; they are heard if the transaction commits, and only then. An account that was handed
 * over has a run of its own, which is there only once the batch's run has ended: such a batch is not announced.
 */
export async function announceOutcomes(tx: Queryable, entries: readonly CreationEntry[], outcomes: readonly CreationOutcome[]): Promise<void> {
  if (outcomes.some(({ kind }) => kind === 'handed-over')) return;
  const news = JSON.stringify({ of: entries[0]?.creationId, outcomes });
  if (Buffer.byteLength(news) <= NEWS_BYTES_MAX) await tx.run(ANNOUNCE, [news]);
}

/** Listens for as long as the process lives, on a connection of its own; what is said while it is away is not heard. */
export function hearCreationNews({ url, log }: { url: string; log: Log }): CreationNews {
  const waiting = new Map<string, (outcomes: CreationOutcome[]) => void>();
  const closing = new AbortController();
  const hear = (payload: string | undefined) => {
    const { of, outcomes } = JSON.parse(payload ?? '{}') as { of: string; outcomes: CreationOutcome[] };
    waiting.get(of)?.(outcomes);
  };
  const listening = (async () => {
    while (!closing.signal.aborted) {
      await listenUntilCut(url, hear, closing.signal).catch((error: unknown) => log.warn({ fault: loggedFault(error) }, 'news of creations are not heard; their runs are awaited'));
      await sleep(LISTEN_AGAIN_MS, undefined, { signal: closing.signal }).catch(() => {});
    }
  })();
  return {
    await: (creationId) => ({
      outcomes: new Promise((resolve) => { waiting.set(creationId, resolve); }),
      forget: () => { waiting.delete(creationId); },
    }),
    close: async () => {
      closing.abort();
      await listening;
    },
  };
}

/** Resolves when it is to close; rejects when the connection is lost. */
async function listenUntilCut(url: string, hear: (payload: string | undefined) => void, closing: AbortSignal): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'gangway-news', keepAlive: true });
  const cut = new Promise<never>((_resolve, reject) => {
    client.once('error', reject);
    client.once('end', () => reject(new Error('the connection ended')));
  });
  cut.catch(() => {});
  const closed = new Promise<void>((resolve) => { closing.addEventListener('abort', () => resolve(), { once: true }); });
  try {
    await client.connect();
    client.on('notification', ({ payload }) => hear(payload));
    await client.query(`listen ${CHANNEL}`);
    await Promise.race([cut, closed]);
  } finally {
    await client.end().catch(() => {});
  }
}
