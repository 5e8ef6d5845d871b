/** The door of events: whoever changes a state tells of it in the same transaction. */
export { writeEvents, writeEventsSql, type NewEvent } from './write-events.store.ts';
export { openWebhooks } from './webhook.client.ts';
export { keepEvents } from './keep-events.store.ts';
export { changeAuditedSecret, endAuditedEndpoint } from './change-event-endpoint.route.ts';
export { createAuditedEndpoint, type EndpointWithSecret } from './create-event-endpoint.route.ts';
export { WAITING_COUNTED_MAX } from './event-endpoint.store.ts';
export { readEndpoint, readEndpoints, type EndpointWithWaiting } from './list-event-endpoints.route.ts';
export { readNewestEvents, type EventPage } from './list-newest-events.route.ts';
