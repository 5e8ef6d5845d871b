import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cost } from './cost-meter.ts';
import { median } from './measure.ts';
import type { Disturbance, Surroundings } from './machine.ts';

/** The results of one contender; a list has one figure for each round. */
export interface Measured {
  /** The work, such as `validate`. */
  what: string;
  contender: string;
  perSecond: number[];
  p50?: number[];
  p99?: number[];
  /** Processor time of a request by process, in microseconds. */
  microseconds?: Record<string, number[]>;
  /** Requests without a response, or with one other than success. */
  refused?: number;
  /** Whether the last windows of its warm-up agreed. */
  isSteady?: boolean;
  disturbances?: Disturbance[];
}

export interface Results extends Partial<Surroundings> {
  measured: Measured[];
  /** Only for `costs`. */
  costs?: Cost[];
  grown?: object;
}

const FOLDER = join(import.meta.dirname, '../../.bench');
const NAME_WIDTH = 52;

/** Stores the results of a run as a file, for `npm run bench -- compare`; returns its path. */
export function storeResults(results: Results): string {
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, `${(results.at ?? '').slice(0, 19).replaceAll(':', '-')}.json`);
  writeFileSync(file, `${JSON.stringify(results, undefined, 1)}\n`);
  return file;
}

/** Compares the medians that two runs have in common. */
export function compareFiles(one: string, other: string): string {
  const [before, after] = [one, other].map((file) => JSON.parse(readFileSync(file, 'utf8')) as Results);
  return compareResults(before!, after!).join('\n');
}

/** A line for each contender of both runs, with the ratios of the second to the first. */
export function compareResults(before: Results, after: Results): string[] {
  const formatted = ({ at, commit, machine, versions }: Results) => `${at}  ${commit}  ${machine}\n    ${versions}`;
  const lines = [`a ${formatted(before)}`, `b ${formatted(after)}`];
  for (const one of before.measured) {
    const other = after.measured.find(({ what, contender }) => what === one.what && contender === one.contender);
    if (other === undefined) continue;
    lines.push(`  ${`${one.what}: ${one.contender}`.padEnd(NAME_WIDTH)} ${figures(one, other)}`);
  }
  return lines;
}

function figures(one: Measured, other: Measured): string {
  const parts = [pair(one.perSecond, other.perSecond, '/s')];
  if (one.p50 && other.p50) parts.push(`p50 ${pair(one.p50, other.p50, ' ms', 1)}`);
  for (const [process, list] of Object.entries(one.microseconds ?? {})) {
    const later = other.microseconds?.[process];
    // The lowest: other processes only ever add to it.
    if (later) parts.push(`${process} ${pair([Math.min(...list)], [Math.min(...later)], ' us')}`);
  }
  return parts.join('   ');
}

function pair(before: readonly number[], after: readonly number[], unit: string, digits = 0): string {
  const [a, b] = [median(before), median(after)];
  return `${a.toFixed(digits)} -> ${b.toFixed(digits)}${unit}${a > 0 ? ` (${(b / a).toFixed(2)})` : ''}`;
}
