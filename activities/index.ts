import { accountActivities } from './accounts/index.ts';

/** Builds every activity of the worker from what they depend on. */
export function buildActivities(deps: Parameters<typeof accountActivities>[0]) {
  return { ...accountActivities(deps) };
}
