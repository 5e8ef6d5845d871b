import { fixedValues } from '../../src/platform/settings/fixed-values.ts';

// The API process with other fixed values: JSON in TEST_FIXED_VALUES.

Object.assign(fixedValues, JSON.parse(process.env['TEST_FIXED_VALUES'] as string));
await import('../../src/processes/api.ts');
