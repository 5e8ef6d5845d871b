import { fixedValues } from '../../src/platform/settings/fixed-values.ts';

// A process of the service with other fixed values: its name in TEST_PROGRAM, the values as JSON in TEST_FIXED_VALUES.

Object.assign(fixedValues, JSON.parse(process.env['TEST_FIXED_VALUES'] as string));
await import(`../../src/processes/${process.env['TEST_PROGRAM']}.ts`);
