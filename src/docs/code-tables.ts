import { eventTypes } from '../vocabulary/events.ts';
import { notAskedSentences, reasonSentences } from '../vocabulary/reconciliation.ts';
import { code as asCode, table } from './markdown.ts';

/** The known reasons for which stored data may differ from accepted data. */
export function differenceReasonTable(): string {
  return sentences('reason', reasonSentences);
}

/** The reasons for which a payment vendor is not asked about an instruction. */
export function notAskedTable(): string {
  return sentences('reason', notAskedSentences);
}

/** The types of events. */
export function eventTypeTable(): string {
  return sentences('type', eventTypes);
}

function sentences(name: string, entries: Readonly<Record<string, string>>): string {
  return table(
    [name, 'meaning'],
    Object.entries(entries).map(([code, sentence]) => [asCode(code), sentence]),
  );
}
