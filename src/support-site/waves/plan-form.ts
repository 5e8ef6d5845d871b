import type { Words } from '../../vocabulary/french-site.ts';
import { t } from '../frame/language.ts';
import { parisText } from '../../platform/clock.ts';
import type { WaveForPerson } from '../../waves/index.ts';
import { localTimeIn } from '../frame/form-checks.ts';
import type { Field } from '../frame/forms.ts';

type Planned = Pick<WaveForPerson['view'], 'plan' | 'options'>;
type Value = string | number | null | undefined;

interface PlanField {
  name: string;
  label: Words;
  type?: 'date' | 'datetime-local';
  inputmode?: 'numeric' | 'decimal';
  hint?: string;
  /** The text of the field for a plan. */
  shown(planned: Planned): Value;
  /** The members of the request for the value that was sent; null removes it. */
  sent(value: string | number | null): { plan?: object; options?: object };
}

const time = (name: 'create_from' | 'create_until', label: Words): PlanField => ({
  name,
  label,
  type: 'datetime-local',
  shown: ({ plan }) => localOf(plan[name]),
  sent: (value) => ({ plan: { [name]: value === null ? null : localTimeIn(String(value)) } }),
});

const date = (name: 'supply_start_from' | 'supply_start_to', label: Words): PlanField => ({
  name,
  label,
  type: 'date',
  shown: ({ plan }) => plan[name],
  sent: (value) => ({ plan: { [name]: value } }),
});

const option = (name: 'canary' | 'max_per_second' | 'hold_switches_hours', label: Words): PlanField => ({
  name,
  label,
  inputmode: 'numeric',
  shown: ({ options }) => options[name],
  sent: (value) => ({ options: { [name]: value } }),
});

const stop = (name: 'count' | 'percent', label: Words): PlanField => ({
  name: `stop_${name}`,
  label,
  inputmode: name === 'count' ? 'numeric' : 'decimal',
  shown: ({ options }) => options.stop_after_failures?.[name],
  sent: (value) => ({ options: { stop_after_failures: { [name]: value } } }),
});

const FIELDS: readonly PlanField[] = [
  time('create_from', 'Creation from (local time in France; empty: at once)'),
  time('create_until', 'Creation until (local time in France)'),
  date('supply_start_from', 'First day of supply'),
  date('supply_start_to', 'Last day of supply'),
  {
    name: 'expected_accounts',
    label: 'Expected accounts',
    inputmode: 'numeric',
    shown: ({ plan }) => plan.expected_accounts,
    sent: (value) => ({ plan: { expected_accounts: value } }),
  },
  option('canary', 'Canary: accounts after which the creation waits'),
  stop('count', 'Pause after this number of failures'),
  stop('percent', 'Pause after this percentage of failures'),
  option('max_per_second', 'Accounts per second, at most'),
  option('hold_switches_hours', 'Hours that switches wait after the creation (empty: 24)'),
];

/** The plan of a wave that is not open yet. */
export const NO_PLAN: Planned = {
  plan: {
    create_from: null,
    create_until: null,
    supply_start_from: null,
    supply_start_to: null,
    expected_accounts: null,
  },
  options: {},
};

/** The fields of the form that changes the plan, with the present values. */
export function planFields({ view }: { view: Planned }): Field[] {
  return FIELDS.map(({ shown, sent: _, label, ...field }) => ({ ...field, label: t(label), value: shown(view) ?? '' }));
}

/** The body of a request from the fields of the form: only what differs from the present plan. */
export function planBodyOf(view: Planned, fields: Readonly<Record<string, string>>): { plan: object; options: object } {
  const [plan, options, stopAfter] = [{}, {}, {}];
  for (const { name, inputmode, shown, sent } of FIELDS) {
    const value = fields[name] ?? '';
    if (value === String(shown(view) ?? '')) continue;
    const changed = sent(value === '' ? null : inputmode === undefined ? value : numberIn(value));
    const { stop_after_failures: failures, ...others } = (changed.options ?? {}) as { stop_after_failures?: object };
    Object.assign(plan, changed.plan);
    Object.assign(options, others);
    Object.assign(stopAfter, failures);
  }
  const hasStop = Object.keys(stopAfter).length > 0;
  return { plan, options: hasStop ? { ...options, stop_after_failures: stopAfter } : options };
}

/** A number, or the text itself, which validation rejects. */
function numberIn(text: string): number | string {
  return Number.isNaN(Number(text)) ? text : Number(text);
}

/** A time as the fields of browsers show it. */
function localOf(instant: string | null): string {
  return instant === null ? '' : parisText(new Date(instant)).slice(0, 16).replace(' ', 'T');
}
