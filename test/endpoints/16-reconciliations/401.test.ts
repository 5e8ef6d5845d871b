import { rejectionSuite } from '../../support/endpoint-suites.ts';
import { RECONCILIATIONS } from '../../support/reconciliations.ts';

rejectionSuite('POST', RECONCILIATIONS);
