import { BadLine, readRecords } from '../manifest/read-records.validation.ts';
import { runningTotals } from '../manifest/running-totals.validation.ts';
import type { ManifestKinds } from '../manifest/manifest.schema.ts';
import type { ImportJobKind } from '../vocabulary/import-jobs.ts';

/** The result of a chunk of lines. */
export interface ChunkCount {
  /** With blank ones. */
  lines: number;
  records: number;
  /** The first line that is no record, by its number in the chunk. */
  fault?: { line: number; message: string };
}

/** Counts chunks of lines, one after the other. */
export interface ChunkCounter {
  count(bytes: Buffer, kind: ImportJobKind): ChunkCount;
  kinds(): ManifestKinds;
}

/** Starts to count. @param importSupplier of lines that do not name it */
export function chunkCounter(importSupplier: string | undefined): ChunkCounter {
  const totals = runningTotals();
  return {
    count: (bytes, kind) => {
      let records = 0;
      try {
        const lines = readRecords(bytes, { kind, importSupplier }, (record) => {
          totals.add(kind, record);
          records += 1;
        });
        return { lines, records };
      } catch (error) {
        if (!(error instanceof BadLine)) throw error;
        return { lines: 0, records, fault: { line: error.line, message: error.message } };
      }
    },
    kinds: () => totals.kinds(),
  };
}
