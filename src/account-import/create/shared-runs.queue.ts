import { randomUUID } from 'node:crypto';
import { isRefused } from '../../vocabulary/refusals.ts';
import type { CreationAnswer, CreationRequest, CreationRuns } from './create-account.queue.ts';
import type { CreationEntry, CreationOutcome } from './create-account.rules.ts';

/** A message between the API processes of one installation. Each receives all messages, its own included. */
type Message =
  /** The process creates accounts of the supplier. `receives`: it receives messages. */
  | { kind: 'active'; from: string; importSupplier: string; receives: boolean }
  /** The process stops and accepts no more batches. */
  | { kind: 'stopping'; from: string }
  /** Asks `to` to create the entries in its next run. */
  | { kind: 'batch'; from: string; to: string; id: string; entries: CreationEntry[] }
  /** The outcomes of a batch, in the order of its entries. */
  | { kind: 'outcomes'; to: string; id: string; outcomes: CreationOutcome[] };

export interface SharedRunsOptions {
  /** Starts a run of this process. */
  runs: CreationRuns;
  /** Sends a message to all API processes; rejects if it cannot be sent. */
  send(payload: string): Promise<unknown>;
  /** Creates an entry in the runs of this process. */
  create(request: CreationRequest, hungUp: AbortSignal): Promise<CreationAnswer>;
}

export interface SharedRuns extends CreationRuns {
  /** Handles a message. */
  receive(payload: string | undefined): void;
  /** Stops other processes from passing batches, and resolves when passed batches are answered. */
  close(): Promise<void>;
}

/** How often a process reports the suppliers that it creates accounts for, and how long a report is valid. */
const REPORT_EVERY_MS = 500;
const REPORT_VALID_MS = 2_000;
/** Larger batches are efficient on their own; these also fit in a message, which Postgres limits to 8,000 bytes. */
const PASSED_MAX = 24;
const MESSAGE_BYTES_MAX = 7_900;
/** Without outcomes after this time, the process creates the batch itself. Safe, because a second run finds the accounts of the first. */
const ANSWER_WITHIN_MS = 1_000;
/** Answers that leave the outcome open; the process that passed the batch then creates it itself. */
const OPEN_ANSWERS = new Set(['creation_pending', 'service_unavailable', 'throttled']);

type Post = (message: Message) => Promise<unknown>;

/**
 * Lets the API processes share the runs of a supplier: a run costs as much as ten accounts, so several processes with a run each are slower
 * than one. A small batch is passed to the process with the lowest id among those that create accounts of the supplier
 * (docs/decisions/0075-api-processes-share-runs.md).
 */
export function shareRuns({ runs, send, create }: SharedRunsOptions): SharedRuns {
  const self = randomUUID();
  const post: Post = (message) => send(JSON.stringify(message));
  const active = createActiveProcesses(self, post);
  const passing = createPassing(self, post, runs);
  const passed = new Set<Promise<void>>();
  return {
    start: async (entries, workflowId) => {
      const importSupplier = entries[0]?.importSupplier ?? '';
      active.report(importSupplier);
      const [to] = active.of(importSupplier);
      if (to === undefined || to === self || !isPassable(entries)) return runs.start(entries, workflowId);
      return { outcomes: passing.pass(to, entries, workflowId) };
    },
    isShared: (importSupplier) => active.of(importSupplier).length > 1,
    receive: (payload) => {
      const message = messageIn(payload);
      if (message?.kind === 'active' || message?.kind === 'stopping') active.receive(message);
      if (message?.kind === 'outcomes') passing.receive(message);
      if (message?.kind !== 'batch' || message.to !== self) return;
      const creating = createPassed(message, post, create).finally(() => passed.delete(creating));
      passed.add(creating);
    },
    close: async () => {
      await active.close();
      await Promise.all(passed);
    },
  };
}

/** The processes that recently created accounts, by supplier. */
function createActiveProcesses(self: string, post: Post) {
  const suppliers = new Map<string, Map<string, number>>();
  const reportedAt = new Map<string, number>();
  let ownReceivedAt = -Infinity;
  let isClosing = false;
  /** Whether this process received a message of its own recently. If not, it could get no batch and no outcomes. */
  const receives = () => performance.now() - ownReceivedAt < REPORT_VALID_MS;
  return {
    report: (importSupplier: string): void => {
      const now = performance.now();
      if (isClosing || now - (reportedAt.get(importSupplier) ?? -Infinity) < REPORT_EVERY_MS) return;
      reportedAt.set(importSupplier, now);
      post({ kind: 'active', from: self, importSupplier, receives: receives() }).catch(() => {});
    },
    receive: (message: Extract<Message, { kind: 'active' | 'stopping' }>): void => {
      if (message.kind === 'stopping') {
        for (const processes of suppliers.values()) processes.delete(message.from);
        return;
      }
      if (message.from === self) ownReceivedAt = performance.now();
      if (!message.receives) return;
      const processes = suppliers.get(message.importSupplier) ?? new Map<string, number>();
      suppliers.set(message.importSupplier, processes.set(message.from, performance.now()));
    },
    /** @returns the processes in the order of their ids; none if this one receives no messages */
    of: (importSupplier: string): string[] => {
      const processes = suppliers.get(importSupplier) ?? new Map<string, number>();
      for (const [process, at] of processes) {
        if (performance.now() - at > REPORT_VALID_MS) processes.delete(process);
      }
      return receives() ? [...processes.keys()].toSorted() : [];
    },
    close: async (): Promise<void> => {
      isClosing = true;
      await post({ kind: 'stopping', from: self }).catch(() => {});
    },
  };
}

/** Passes batches to other processes, and creates them in a run of this process if they are not answered. */
function createPassing(self: string, post: Post, runs: CreationRuns) {
  const awaited = new Map<string, (outcomes: CreationOutcome[]) => void>();
  return {
    receive: ({ id, outcomes }: Extract<Message, { kind: 'outcomes' }>): void => awaited.get(id)?.(outcomes),
    /** @throws Error if the outcome is unknown, also if a run of this process was not started: the other process may have the batch */
    pass: async (to: string, entries: readonly CreationEntry[], workflowId: string): Promise<CreationOutcome[]> => {
      const id = randomUUID();
      const answered = new Promise<CreationOutcome[]>((resolve) => void awaited.set(id, resolve));
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), ANSWER_WITHIN_MS);
      });
      try {
        const outcomes = await post({ kind: 'batch', from: self, to, id, entries: [...entries] }).then(
          () => Promise.race([answered, late]),
          () => undefined,
        );
        if (outcomes !== undefined) return outcomes;
        const own = await runs.start(entries, workflowId);
        return await Promise.race([answered, own.outcomes]);
      } catch (cause) {
        throw new Error('The outcome of a batch that was passed to another process is unknown.', { cause });
      } finally {
        clearTimeout(timer);
        awaited.delete(id);
      }
    },
  };
}

/** Creates a batch of another process. Does not answer if an outcome is open. */
async function createPassed(
  { from, id, entries }: Extract<Message, { kind: 'batch' }>,
  post: Post,
  create: SharedRunsOptions['create'],
): Promise<void> {
  // A signal for each batch, because every waiting request listens to it.
  const { signal } = new AbortController();
  const answers = await Promise.all(entries.map((entry) => create(entry, signal)));
  if (answers.some((answer) => isRefused(answer) && OPEN_ANSWERS.has(answer.code))) return;
  const outcomes = { kind: 'outcomes', to: from, id, outcomes: answers } as const;
  if (Buffer.byteLength(JSON.stringify(outcomes)) <= MESSAGE_BYTES_MAX) await post(outcomes).catch(() => {});
}

/** Returns undefined for a payload that is not JSON; one of another version is ignored by its kind. */
function messageIn(payload: string | undefined): Message | undefined {
  try {
    return JSON.parse(payload ?? '') as Message;
  } catch {
    return undefined;
  }
}

/** Entries with a slot of the concurrency limit are not passed, because the slot names the run of this process. */
function isPassable(entries: readonly CreationEntry[]): boolean {
  return (
    entries.length <= PASSED_MAX &&
    !entries.some(({ holdsSlot }) => holdsSlot) &&
    Buffer.byteLength(JSON.stringify(entries)) < MESSAGE_BYTES_MAX - 500
  );
}
