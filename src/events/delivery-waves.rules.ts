/** How an activity ended. `done`: nothing is left to deliver; `ended`: the endpoint accepts no more events. */
export type DeliveryProgress = 'more' | 'done' | 'ended';

/**
 * Cuts a page into waves of events that may be delivered at once: no two of one subject, and at most `atOnce`.
 * @returns all events of the page, in their order
 */
export function wavesOf<Event extends { subject: string }>(events: readonly Event[], atOnce: number): Event[][] {
  const waves: Event[][] = [];
  for (const event of events) {
    const last = waves.at(-1);
    if (last !== undefined && last.length < atOnce && !last.some(({ subject }) => subject === event.subject)) {
      last.push(event);
    } else waves.push([event]);
  }
  return waves;
}
