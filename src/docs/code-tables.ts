import { eventTypes } from '../vocabulary/events.ts';
import { notQueriedSentences, reasonSentences } from '../vocabulary/reconciliation.ts';
import { code as asCode, table } from './markdown.ts';

/** Table of known reasons why stored data differs from accepted data. */
export function differenceReasonTable(): string {
  return sentences('reason', reasonSentences);
}

/** Table of reasons why a payment vendor is not queried about an instruction. */
export function notQueriedTable(): string {
  return sentences('reason', notQueriedSentences);
}

/** Table of event types. */
export function eventTypeTable(): string {
  return sentences('type', eventTypes);
}

function sentences(name: string, entries: Readonly<Record<string, string>>): string {
  return table(
    [name, 'meaning'],
    Object.entries(entries).map(([code, sentence]) => [asCode(code), sentence]),
  );
}
