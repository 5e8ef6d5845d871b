/** Filters the web UI to our open runs. The search attributes hold their kinds and import suppliers. */
export const OPEN_RUNS_QUERY = 'ExecutionStatus = "Running" AND ImportKind IS NOT NULL AND ImportKind != "probe"';

/**
 * Address of the open runs in Temporal's web UI. Columns and saved views cannot be given to it: it keeps them in the
 * browser, so a query in the address is all that a server can set.
 */
export function openRunsAddress(webUi: string, namespace: string): string {
  return `${webUi}/namespaces/${encodeURIComponent(namespace)}/workflows?query=${encodeURIComponent(OPEN_RUNS_QUERY)}`;
}

/** Address of one of our runs there, the newest with this id. */
export function runAddress(webUi: string, namespace: string, workflowId: string): string {
  return `${webUi}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
}
