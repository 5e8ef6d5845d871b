import type { Actor, Flash, Person } from '../../access/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Log } from '../../platform/log.ts';
import type { Settings } from '../../platform/settings.ts';
import type { TemporalGateway } from '../../platform/temporal/temporal-gateway.ts';
import type { CurrentCertificateKeys } from '../../reconciliation/index.ts';
import type { StuckWork } from '../../stuck/index.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import type { Html } from './html.ts';
import type { OperatorAction } from '../../vocabulary/operator-actions.ts';

/** The dependencies of pages. */
export interface SiteDeps {
  settings: Settings;
  clock: Clock;
  database: Database;
  /** A separate pool for long reads, so that other pages do not wait for them. */
  lists: Database;
  gateway: TemporalGateway;
  log: Log;
  stuck: StuckWork;
  certificateKeys: CurrentCertificateKeys;
  /** Address of a run in Temporal's web UI; undefined without TEMPORAL_UI_URL. */
  runAddress(workflowId: string): string | undefined;
  /** Address of a page of the API, such as that of a code; undefined without API_URL. */
  apiAddress(path: string): string | undefined;
}

/** A request for a page. */
export interface PageRequest {
  /** Decoded path parameters. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** The fields of a form; empty with GET. */
  form: URLSearchParams;
  person: Person;
  /** Id of the session, which is not its secret. */
  sessionId: string;
  /** The person as the audit names them. */
  actor: Actor;
  /** Whether this person may do something. Pages hide other buttons; `servePage` checks the permission. */
  may(action: OperatorAction): boolean;
  /** The hidden field that every form needs. */
  formToken: Html;
  /** Encrypts a text for an address, readable by this session only. */
  seal(text: string): string;
  /** Decrypts a text that this session has sealed; undefined for others. */
  unseal(sealed: string): string | undefined;
  /** Path and query of the request, for links back. */
  here: string;
  /** Whether htmx loads a part of a page. */
  isForPart: boolean;
  requestId: string;
  log: Log;
  hungUp(): AbortSignal;
}

/** The title and content of a page. */
interface ShownPage {
  title: string;
  body: Html;
}

/** A part of a page that htmx replaces. */
interface Fragment {
  fragment: Html;
}

/** The page that follows a form, with a message. */
interface Redirect {
  redirect: string;
  flash?: Flash;
}

/** A file to download. Large files are streams on pages with `isLong`. */
export interface Download {
  download: string;
  type: 'text/csv' | 'application/json' | 'application/x-ndjson' | 'application/jose';
  content: string | AsyncIterable<string>;
}

/** A refusal becomes an error page with the status of its code. */
export type PageAnswer = ShownPage | Fragment | Redirect | Download | Refused;

/** A page, a live part of one, or the handler of a form. */
export interface Page {
  method: 'GET' | 'POST';
  /** With parameters as `:name`. */
  path: string;
  /** The permission it needs, from vocabulary/operator-actions.ts. */
  action: OperatorAction;
  /** Its name in the menu; undefined for pages that are not in the menu. */
  menu?: string;
  /** Loaded automatically, so it does not keep a session alive. */
  isPolled?: boolean;
  /** May take long: the number of concurrent ones is limited (platform/http/long-answers.ts). */
  isLong?: boolean;
  show(request: PageRequest): Promise<PageAnswer>;
}

/** The part of a page that refreshes. */
export function polledPart(path: string, read: (request: PageRequest) => Promise<Html | Refused>): Page {
  return {
    method: 'GET',
    path,
    action: 'look',
    isPolled: true,
    show: async (request) => {
      const part = await read(request);
      return isRefused(part) ? part : { fragment: part };
    },
  };
}
