import { setting } from './setting-kinds.ts';

/** How long events are kept. */
export const eventSettings = { EVENTS_KEPT_DAYS: setting.count('Days for which events can be read.', 30) };
