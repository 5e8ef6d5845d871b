/** The door of events: whoever changes a state tells of it in the same transaction. */
export { writeEvents, writeEventsSql, type NewEvent } from './write-events.store.ts';
export { openWebhooks } from './webhook.client.ts';
export { keepEvents } from './keep-events.store.ts';
