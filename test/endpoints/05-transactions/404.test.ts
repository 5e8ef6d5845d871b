import { payment } from '../../support/attachments.ts';
import { unknownAccountSuite } from '../../support/endpoint-suites.ts';

unknownAccountSuite('transactions', [payment('P-1')]);
