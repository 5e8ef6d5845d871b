import { startSpan, within, type OpenSpan } from '../platform/traces/traces.ts';

interface Spanned {
  span?: OpenSpan | undefined;
}

/**
 * Runs work that serves several requests, as a span in the trace of the first sampled request. The span and the other requests link to each
 * other, so that it can be found from each trace.
 * @param name of the span
 */
export function withinBatchSpan<T>(name: string, batch: readonly Spanned[], work: () => Promise<T>): Promise<T> {
  const span = startBatchSpan(name, batch);
  return span === undefined ? work() : within(span, work);
}

function startBatchSpan(name: string, batch: readonly Spanned[]): OpenSpan | undefined {
  const [first, ...others] = batch.flatMap(({ span }) => (span?.traceContext.isSampled ? [span] : []));
  if (first === undefined) return undefined;
  const span = startSpan({
    name,
    kind: 'internal',
    parent: first.traceContext,
    attributes: { 'gangway.accounts': batch.length },
    links: others.map(({ traceContext: place }) => place),
  });
  if (span !== undefined) for (const other of others) other.link(span.traceContext);
  return span;
}
