import { BadLine, readRecords } from '../manifest/read-records.validation.ts';
import { runningTotals, valueHashesOf } from '../manifest/running-totals.validation.ts';
import type { ManifestKinds } from '../manifest/manifest.schema.ts';
import type { Item } from '../reconciliation/compare/form.rules.ts';
import { completeSums, emptySum, type Sum } from '../reconciliation/compare/sha256.rules.ts';
import type { ImportJobKind } from '../vocabulary/import-jobs.ts';
import { textOf } from '../vocabulary/loose-payload.ts';

/** The accounts of a chunk. */
export interface ChunkAccounts {
  numbers: string[];
  /** The sums of their hashes, one after the other. */
  sums: Sum;
  values: [account: string, hashes: [path: string, sha256: string][]][];
}

/** The result of a chunk of lines. */
export interface ChunkCount {
  /** With blank ones. */
  lines: number;
  records: number;
  /** The first line that is no record, by its number in the chunk. */
  fault?: { line: number; message: string };
  accounts?: ChunkAccounts;
}

/** Counts chunks of lines, one after the other. */
export interface ChunkCounter {
  count(bytes: Buffer, kind: ImportJobKind): ChunkCount;
  kinds(): ManifestKinds;
}

/** What is counted. */
export interface CountOptions {
  /** Of lines that do not name it. */
  importSupplier?: string | undefined;
  /** Also by account; the hashes of values of these accounts. */
  byAccount?: { valuesOf: readonly string[] };
}

/** Starts to count. */
export function chunkCounter({ importSupplier, byAccount }: CountOptions): ChunkCounter {
  const totals = runningTotals();
  const wanted = new Set(byAccount?.valuesOf);
  return {
    count: (bytes, kind) => {
      let records = 0;
      const sums = new Map<string, Sum>();
      const values: ChunkAccounts['values'] = [];
      try {
        const lines = readRecords(bytes, { kind, importSupplier }, (record) => {
          totals.add(kind, record, byAccount && sumOf(sums, numberOf(record)));
          if (wanted.has(numberOf(record))) values.push([numberOf(record), valueHashesOf(kind, record)]);
          records += 1;
        });
        return { lines, records, ...(byAccount && { accounts: accountsOf(sums, values) }) };
      } catch (error) {
        if (!(error instanceof BadLine)) throw error;
        return { lines: 0, records, fault: { line: error.line, message: error.message } };
      }
    },
    kinds: () => totals.kinds(),
  };
}

function numberOf(record: Item): string {
  return textOf(record['external_account_number']);
}

function sumOf(sums: Map<string, Sum>, account: string): Sum {
  let sum = sums.get(account);
  if (sum === undefined) sums.set(account, (sum = emptySum()));
  return sum;
}

function accountsOf(sums: ReadonlyMap<string, Sum>, values: ChunkAccounts['values']): ChunkAccounts {
  completeSums();
  const { length } = emptySum();
  const all = new Uint32Array(sums.size * length);
  for (const [index, sum] of [...sums.values()].entries()) all.set(sum, index * length);
  return { numbers: [...sums.keys()], sums: all, values };
}
