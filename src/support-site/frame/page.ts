import type { Actor, Flash, Person } from '../../access/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Log } from '../../platform/log.ts';
import type { Settings } from '../../platform/settings.ts';
import type { TemporalGateway } from '../../platform/temporal/temporal-gateway.ts';
import type { CurrentCertificateKeys } from '../../reconciliation/index.ts';
import type { StuckWork } from '../../stuck/index.ts';
import type { Refused } from '../../vocabulary/refusals.ts';
import type { Html } from './html.ts';
import type { OperatorAction } from '../../vocabulary/operator-actions.ts';

/** What pages work with. A page takes those that it needs. */
export interface SiteDeps {
  settings: Settings;
  clock: Clock;
  database: Database;
  /** Of a pool of its own: for what is read for long, so that no page waits for it. */
  lists: Database;
  gateway: TemporalGateway;
  log: Log;
  stuck: StuckWork;
  certificateKeys: CurrentCertificateKeys;
  /** Address of a run in Temporal's web UI; undefined where nobody said where that is. */
  runAddress(workflowId: string): string | undefined;
  /** Address of a page that the API serves, such as that of a code; undefined where nobody said where the API is. */
  apiAddress(path: string): string | undefined;
}

/** What a page is given. */
export interface PageRequest {
  /** Decoded path parameters. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** The fields of a form; empty with GET. */
  form: URLSearchParams;
  person: Person;
  /** Of the session that asks; it opens nothing. */
  sessionId: string;
  /** The person, as every action names who did it. */
  actor: Actor;
  /** Tells whether this person may do something. A page shows no button for what the person may not do; the check itself is the site's. */
  may(action: OperatorAction): boolean;
  /** The hidden field without which no form is taken. */
  formToken: Html;
  /** A text as it may stand in an address: nobody reads it there, and only this session can. */
  seal(text: string): string;
  /** What was sealed in this session; undefined for all else. */
  unseal(sealed: string): string | undefined;
  /** Path and query that the request came by, for forms and links that lead back. */
  here: string;
  /** A page asks for a part of itself; else somebody opened the address. */
  isForPart: boolean;
  requestId: string;
  log: Log;
  hungUp(): AbortSignal;
}

/** A whole page; the frame around it is the site's. */
interface ShownPage {
  title: string;
  body: Html;
}

/** A part of a page that htmx puts in the place of the old one. */
interface Fragment {
  fragment: Html;
}

/** Where a form leads when it was done, and what is told there. */
interface Redirect {
  redirect: string;
  flash?: Flash;
}

/** A file to keep. What grows with the data is a stream, read as fast as the person takes it, of a page that `isLong`. */
export interface Download {
  download: string;
  type: 'text/csv' | 'application/json' | 'application/x-ndjson' | 'application/jose';
  content: string | AsyncIterable<string>;
}

/** A refusal is shown as a page of its own, with the status of its code. */
export type PageAnswer = ShownPage | Fragment | Redirect | Download | Refused;

/** One page, one live part of it, or what one form does. */
export interface Page {
  method: 'GET' | 'POST';
  /** Parameters as `:name`. */
  path: string;
  /** What it does, in the table of vocabulary/operator-actions.ts; who may not do it is told so. */
  action: OperatorAction;
  /** Its name in the menu, if it stands there; in the order of pages.ts. */
  menu?: string;
  /** A page asks for it by itself, so it does not keep a session alive. */
  isPolled?: boolean;
  /** It may last: few of these are served at once, so that the others go on (platform/http/long-answers.ts). */
  isLong?: boolean;
  show(request: PageRequest): Promise<PageAnswer>;
}
