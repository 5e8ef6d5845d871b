import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { STANDARD_INPUT_NAME } from './split-parts.ts';

/** The purpose of a job; another purpose requires another job. */
export interface ImportPurpose {
  url: string;
  import_supplier: string;
  kind: string;
  goal: string;
  wave_id: string | undefined;
}

/** The job of a file; stored beside the file, so that a command that was killed can be resumed. */
export interface ImportState extends ImportPurpose {
  job_id: string;
  /** The file at that time. */
  size: number;
  modified_at: string;
}

const stateFile = (file: string) => `${file}.gangway-job`;

/** Finds the job to which a file was uploaded for this purpose. */
export function readState(file: string, purpose: ImportPurpose): ImportState | undefined {
  if (file === STANDARD_INPUT_NAME || !existsSync(stateFile(file))) return undefined;
  try {
    const state = JSON.parse(readFileSync(stateFile(file), 'utf8')) as ImportState;
    const isSame = (Object.keys(purpose) as (keyof ImportPurpose)[]).every((name) => state[name] === purpose[name]);
    return isSame && typeof state.job_id === 'string' ? state : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Stores to which job a file is uploaded.
 * @returns false if it cannot be stored: standard input, or a folder that is not writable
 */
export function writeState(file: string, purpose: ImportPurpose, jobId: string): boolean {
  if (file === STANDARD_INPUT_NAME) return false;
  const state: ImportState = { ...purpose, job_id: jobId, ...formOf(file) };
  const unfinished = `${stateFile(file)}.${process.pid}`;
  try {
    writeFileSync(unfinished, `${JSON.stringify(state, null, 2)}\n`);
    renameSync(unfinished, stateFile(file));
    return true;
  } catch {
    return false;
  }
}

/** Returns whether a file has changed. */
export function hasChanged(file: string, state: ReturnType<typeof formOf>): boolean {
  const { size, modified_at: modifiedAt } = formOf(file);
  return size !== state.size || modifiedAt !== state.modified_at;
}

/** Size and time of a file, by which changes are detected. */
export function formOf(file: string): { size: number; modified_at: string } {
  const { size, mtime } = statSync(file);
  return { size, modified_at: mtime.toISOString() };
}
