import { Type } from 'typebox';
import { setting } from './setting-kinds.ts';

/** How long events are kept, and where they are delivered to. */
export const eventSettings = {
  EVENTS_KEPT_DAYS: setting.count('Days for which events can be read and are delivered.', 30),
  WEBHOOK_PRIVATE_ADDRESSES: Type.Boolean({
    description:
      'Takes addresses of plain HTTP, and private ones, for the delivery of events. For receivers inside your own network: whoever may register an address can then make the worker call anything there.',
    default: false,
    examples: ['true'],
  }),
};
