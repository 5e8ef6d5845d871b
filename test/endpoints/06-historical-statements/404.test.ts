import { statement } from '../../support/attachments.ts';
import { unknownAccountSuite } from '../../support/endpoint-suites.ts';

unknownAccountSuite('statements', [statement('S-1')]);
