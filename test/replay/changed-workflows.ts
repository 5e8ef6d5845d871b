import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';

// Workflows after an incompatible change: the same names, other activities. For replay.test.ts.
interface Renamed {
  createRenamed(input: unknown): Promise<unknown>;
}

const { createRenamed } = proxyActivities<Renamed>({ startToCloseTimeout: '15s' });
const quick = proxyLocalActivities<Renamed>({ startToCloseTimeout: '5s' });

export async function createAccount(entry: unknown): Promise<unknown> {
  return createRenamed(entry);
}

export async function createAccounts(input: { entries: unknown[] }): Promise<unknown> {
  return quick.createRenamed(input.entries);
}

export async function verifyPaymentInstruction(input: unknown): Promise<unknown> {
  return createRenamed(input);
}

export async function requestSwitches(input: unknown): Promise<unknown> {
  return createRenamed(input);
}

export async function switchSupplier(input: unknown): Promise<unknown> {
  return createRenamed(input);
}

export async function lookUpSupplyPoints(input: unknown): Promise<unknown> {
  return createRenamed(input);
}

export async function populateSupplyPoints(input: unknown): Promise<unknown> {
  return createRenamed(input);
}

export async function importJob(input: unknown): Promise<unknown> {
  return createRenamed(input);
}

export async function retention(input: unknown): Promise<unknown> {
  return createRenamed(input);
}

export async function reconcile(input: unknown): Promise<unknown> {
  return createRenamed(input);
}

export async function wave(input: unknown): Promise<unknown> {
  return createRenamed(input);
}

export async function bulkAction(input: unknown): Promise<unknown> {
  return createRenamed(input);
}

export async function withdraw(input: unknown): Promise<unknown> {
  return createRenamed(input);
}

export async function deliverEvents(input: unknown): Promise<unknown> {
  return createRenamed(input);
}
