/** Query for our open runs in the web UI. Search attributes contain their kinds and import suppliers. */
export const OPEN_RUNS_QUERY = 'ExecutionStatus = "Running" AND ImportKind IS NOT NULL AND ImportKind != "probe"';

/** Address of our open runs in Temporal's web UI. Only the query can be set in an address; columns and saved views are stored in the browser. */
export function openRunsAddress(webUi: string, namespace: string): string {
  return `${webUi}/namespaces/${encodeURIComponent(namespace)}/workflows?query=${encodeURIComponent(OPEN_RUNS_QUERY)}`;
}

/** Address of the newest run with this id. */
export function runAddress(webUi: string, namespace: string, workflowId: string): string {
  return `${webUi}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
}
