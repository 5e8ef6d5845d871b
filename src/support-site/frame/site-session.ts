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

const VIEW_SECONDS = 365 * 86_400;

/** The sessions of the site, by cookie. */
export type SiteSessions = ReturnType<typeof createSiteSessions>;

/** @param isBehindTls limits the cookie to TLS and this host */
export function createSiteSessions(database: Database, isBehindTls: boolean) {
  const name = isBehindTls ? '__Host-gangway' : 'gangway';
  const secretIn = (ctx: Context) => ctx.cookies.get(name) ?? '';
  const writeCookie = (ctx: Context, cookie: string, value: string, seconds: number) => {
    const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isBehindTls ? '; Secure' : ''}`;
    ctx.append('set-cookie', `${cookie}=${value}; ${attributes}`);
  };
  const write = (ctx: Context, secret: string, seconds: number) => writeCookie(ctx, name, secret, seconds);
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
    /** Keeps the choice of a person for a list in the browser. */
    saveView: (ctx: Context, { list, value }: { list: string; value: string }) =>
      writeCookie(ctx, `view-${list}`, value, VIEW_SECONDS),
    setFlash: (ctx: Context, flash: Flash | null) => setFlash(database, secretIn(ctx), flash),
  };
}
