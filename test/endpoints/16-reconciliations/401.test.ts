import { tokenSuite } from '../../support/endpoint-suites.ts';
import { RECONCILIATIONS } from '../../support/reconciliations.ts';

tokenSuite('POST', RECONCILIATIONS);
