import { largeBodySuite } from '../../support/endpoint-suites.ts';

largeBodySuite('/v1/data-import/historical-statements/create/');
