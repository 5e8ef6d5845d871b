import type { Context } from 'koa';
import {
  beginPersonSession,
  endPersonSession,
  findPersonSession,
  SESSION_LIFE,
  setFlash,
  type Flash,
  type Person,
  type PersonSessionView,
} from '../../access/index.ts';
import type { Database } from '../../platform/database/database.ts';
import { clientNetwork } from '../../platform/http/client-network.ts';

/** The sessions of the site, by cookie. */
export interface SiteSessions {
  /** The valid session of a request. */
  find(ctx: Context, isActivity: boolean): Promise<PersonSessionView | undefined>;
  /** Starts a session and ends the previous one of the browser. */
  begin(ctx: Context, person: Person, by: 'key' | 'openid-connect'): Promise<void>;
  end(ctx: Context, person: Person): Promise<void>;
  setFlash(ctx: Context, flash: Flash | null): Promise<void>;
}

/** @param isBehindTls limits the cookie to TLS and this host */
export function createSiteSessions({
  database,
  isBehindTls,
}: {
  database: Database;
  isBehindTls: boolean;
}): SiteSessions {
  const name = isBehindTls ? '__Host-gangway' : 'gangway';
  const secretIn = (ctx: Context) => ctx.cookies.get(name) ?? '';
  const write = (ctx: Context, secret: string, seconds: number) => {
    const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isBehindTls ? '; Secure' : ''}`;
    ctx.append('set-cookie', `${name}=${secret}; ${attributes}`);
  };
  return {
    find: (ctx, isActivity) => findPersonSession(database, secretIn(ctx), isActivity),
    begin: async (ctx, person, by) => {
      const before = await findPersonSession(database, secretIn(ctx), false);
      if (before !== undefined) await endPersonSession(database, secretIn(ctx), before);
      write(
        ctx,
        await beginPersonSession(database, person, { by, network: clientNetwork(ctx.ip) }),
        SESSION_LIFE.absoluteSeconds,
      );
    },
    end: async (ctx, person) => {
      await endPersonSession(database, secretIn(ctx), person);
      write(ctx, '', 0);
    },
    setFlash: (ctx, flash) => setFlash(database, secretIn(ctx), flash),
  };
}
