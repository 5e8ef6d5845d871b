import { Type } from 'typebox';
import { decimalNumber, text } from '../../platform/validation/field-types.schema.ts';

const PER_SECOND_MAX = 100_000;
const PER_HOUR_MAX = 360_000_000;

const speed = {
  requests_per_second: Type.Optional(decimalNumber(0, PER_SECOND_MAX)),
  requests_per_hour: Type.Optional(decimalNumber(0, PER_HOUR_MAX)),
};

/** A speed that is asked about. */
export const speedSchema = Type.Object(speed);

/** Body of `PUT network-operators/<operator>/throttle/`; a part that is left out stays, 0 pauses. */
export const putThrottleSchema = Type.Object({ ...speed, reason: Type.Optional(text(1_000)) });

export interface PutThrottle {
  requests_per_second?: number;
  requests_per_hour?: number;
  reason?: string;
}

/** A throttle as operators see it. */
export interface ThrottleView {
  network_operator: string;
  requests_per_second: number;
  requests_per_hour: number;
  /** What lookups really run at: a little less than the lower of both. */
  used_per_second: number;
  /** The network operator itself asked us to wait until then. */
  blocked_until: string | null;
  reason: string | null;
  updated_at: string;
}
