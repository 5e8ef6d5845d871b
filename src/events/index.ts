/** Public interface of events. Events are written in the transaction of the change that they report. */
export { writeEvents, writeEventsSql, type NewEvent, keepEvents } from './event.store.ts';
export { openWebhooks } from './webhook.client.ts';
export {
  changeAuditedSecret,
  endAuditedEndpoint,
  createAuditedEndpoint,
  readEndpoint,
  readEndpoints,
} from './event-endpoints.route.ts';
export { WAITING_COUNTED_MAX } from './event-endpoint.store.ts';
export { readEventsOfWave } from './event.store.ts';
export { readNewestEvents, type EventPage } from './events.route.ts';
