import type { Context } from 'koa';
import {
  beginPersonSession,
  endPersonSession,
  findPersonSession,
  SESSION_LIFE,
  setFlash,
  type Flash,
  type Person,
} from '../../access/index.ts';
import type { Database } from '../../platform/database/database.ts';
import { clientNetwork } from '../../platform/http/client-network.ts';

/** The sessions of the site, by cookie. */
export type SiteSessions = ReturnType<typeof createSiteSessions>;

/** @param isBehindTls limits the cookie to TLS and this host */
export function createSiteSessions(database: Database, isBehindTls: boolean) {
  const name = isBehindTls ? '__Host-gangway' : 'gangway';
  const secretIn = (ctx: Context) => ctx.cookies.get(name) ?? '';
  const write = (ctx: Context, secret: string, seconds: number) => {
    const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isBehindTls ? '; Secure' : ''}`;
    ctx.append('set-cookie', `${name}=${secret}; ${attributes}`);
  };
  return {
    /** The valid session of a request. */
    find: (ctx: Context, isActivity: boolean) => findPersonSession(database, secretIn(ctx), isActivity),
    /** Starts a session and ends the previous one of the browser. */
    begin: async (ctx: Context, person: Person, by: 'key' | 'openid-connect') => {
      const before = await findPersonSession(database, secretIn(ctx), false);
      if (before !== undefined) await endPersonSession(database, secretIn(ctx), before);
      const secret = await beginPersonSession(database, person, { by, network: clientNetwork(ctx.ip) });
      write(ctx, secret, SESSION_LIFE.absoluteSeconds);
    },
    end: async (ctx: Context, person: Person) => {
      await endPersonSession(database, secretIn(ctx), person);
      write(ctx, '', 0);
    },
    setFlash: (ctx: Context, flash: Flash | null) => setFlash(database, secretIn(ctx), flash),
  };
}
