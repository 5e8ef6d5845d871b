import { Type } from 'typebox';
import { setting } from './setting-kinds.ts';

/** How long events are kept, and where they are delivered to. */
export const eventSettings = {
  EVENTS_KEPT_DAYS: setting.count('Days for which events can be read and are delivered.', 30),
  WEBHOOK_PRIVATE_ADDRESSES: Type.Boolean({
    description:
      'Delivers events to plain HTTP and private addresses too, but never to link-local ones. For receivers in your own network: whoever may register an endpoint can then make the worker call any address there.',
    default: false,
    examples: ['true'],
  }),
};
