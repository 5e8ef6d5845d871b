import { run, type PreparedQuery, type Queryable } from '../database/prepared-query.ts';

/** Maximum that one organization may store. */
export interface KeptMax {
  answers: number;
  bytes: number;
}

/** Limits stored responses, because a client that invents keys would otherwise fill the disk. */
export interface IdempotencyQuota {
  /** Whether another response may be stored. */
  hasRoom(organisation: string): Promise<boolean>;
  /** Counts a stored response. */
  count(organisation: string, bytes: number): void;
}

/** Interval at which counts are written and read again. Counts of a killed process are lost. */
const WRITTEN_EVERY_MS = 2_000;

const ADD: PreparedQuery = {
  name: 'idempotency-use-add',
  text: `
    insert into idempotency_use as u (organisation, day, answers, bytes) values ($1, current_date, $2, $3)
    on conflict (organisation, day) do update set answers = u.answers + excluded.answers, bytes = u.bytes + excluded.bytes`,
};
const SUM: PreparedQuery = {
  name: 'idempotency-use-sum',
  text: 'select coalesce(sum(answers), 0)::float8 as answers, coalesce(sum(bytes), 0)::float8 as bytes from idempotency_use where organisation = $1',
};

interface Used {
  /** Total of all processes at the last read. */
  kept: Promise<KeptMax>;
  /** Added in this process since then, not written yet. */
  added: KeptMax;
}

/** Counts in memory and writes the counts every few seconds, so that no request waits for a row that other processes write. */
export function createIdempotencyQuota(database: Queryable, max: KeptMax): IdempotencyQuota {
  const used = new Map<string, Used>();
  let timer: NodeJS.Timeout | undefined;
  const read = (organisation: string) =>
    run<{ answers: number; bytes: number }>(database, SUM, [organisation]).then(([sum]) => sum!);
  const usedBy = (organisation: string): Used => {
    const known = used.get(organisation);
    if (known) return known;
    const fresh: Used = { kept: read(organisation), added: { answers: 0, bytes: 0 } };
    // The next request reads again.
    fresh.kept.catch(() => used.delete(organisation));
    used.set(organisation, fresh);
    timer ??= setTimeout(() => void write(), WRITTEN_EVERY_MS).unref();
    return fresh;
  };
  const write = async (): Promise<void> => {
    timer = undefined;
    for (const [organisation, { added }] of used) {
      used.delete(organisation);
      if (added.answers === 0) continue;
      // The error is ignored: if the write fails, storing the next responses fails too.
      await run(database, ADD, [organisation, added.answers, added.bytes]).catch(() => {});
    }
  };
  return {
    hasRoom: async (organisation) => {
      const { kept, added } = usedBy(organisation);
      const { answers, bytes } = await kept;
      return answers + added.answers < max.answers && bytes + added.bytes < max.bytes;
    },
    count: (organisation, bytes) => {
      const { added } = usedBy(organisation);
      added.answers += 1;
      added.bytes += bytes;
    },
  };
}
