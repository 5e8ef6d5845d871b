import { setting } from './setting-kinds.ts';

/** How accounts are created. */
export const creationSettings = {
  CREATION_RUNS_IN_FLIGHT: setting.count(
    'Most creation runs that hold a place at once. An import supplier has one at a time, unless what waits fills another or the run takes long.',
    2,
  ),
  CREATION_BATCH_SIZE: setting.count('Most accounts in one creation run.', 64),
  CREATION_RUNS_OPEN_MAX: setting.count(
    'Most creation runs open at once, those that gave their place back included.',
    64,
  ),
  CREATION_REQUESTS_WAITING_MAX: setting.count('Most creation requests that wait; beyond it 503 at once.', 1_000),
  CREATION_PLACE_HELD_MS: setting.count(
    'A creation run gives its place back after this time, even when it has not ended.',
    2_000,
  ),
  CREATION_START_DEADLINE_MS: setting.count('Longest wait for Temporal to take a creation run.', 3_000),
  CREATION_ALONE_STATEMENT_MS: setting.count(
    'Longest that one statement may take while an account is created that took too long beside others; beyond it the account is quarantined.',
    12_000,
  ),
  CREATION_PATIENCE_MS: setting.count('Longest wait of a creation request for its outcome.', 30_000),
};
