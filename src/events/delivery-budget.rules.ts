/** Time and retries of deliveries; runs take it as an argument, so that tests can pass seconds. */
export interface DeliveryBudget {
  /**
   * One activity delivers for some seconds. When the receiver fails at its first event it is retried with growing pauses, for
   * a day in all.
   */
  deliver: {
    startToCloseTimeout: string;
    scheduleToCloseTimeout: string;
    heartbeatTimeout: string;
    initialInterval: string;
    backoffCoefficient: number;
    maximumInterval: string;
  };
}

/** 5, 15, 45 seconds, then minutes, then each hour: a receiver that was away for an hour is asked again within the next. */
export const deliveryBudget: DeliveryBudget = {
  deliver: {
    startToCloseTimeout: '60s',
    scheduleToCloseTimeout: '24h',
    heartbeatTimeout: '15s',
    initialInterval: '5s',
    backoffCoefficient: 3,
    maximumInterval: '1h',
  },
};

/** How one activity goes about it. */
export const deliveryPace = {
  /** It delivers for so long; others then get its place. */
  workMs: 10_000,
  /** Events that are read at once. */
  pageSize: 100,
  /** Events of different subjects that are under way at once; those of one subject go one after the other. */
  atOnce: 8,
  /** Longest that a receiver may take, with its name looked up, connection and answer. */
  timeoutMs: 15_000,
  /** Endpoints that are delivered to at once, in one worker. */
  slots: 16,
  /** Short steps, on our own database. */
  step: { startToCloseTimeout: '15s', initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' },
  /** Activities of a run before it goes on as a new one. */
  roundsPerRun: 200,
  /** An endpoint whose budget is spent is begun anew after this time. */
  unreachableSeconds: 86_400,
} as const;

/** How an activity came to its end: `done`: nothing is left to deliver; `ended`: the endpoint takes no more. */
export type DeliveryProgress = 'more' | 'done' | 'ended';

/**
 * Cuts a page into what may be under way at once: no two events of a subject, and not too many.
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
