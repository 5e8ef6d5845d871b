import { runProcess } from './run-process.ts';
import { startSupportSite } from './start-support-site.ts';

// Pages for operators on a separate port, which need not be reachable from suppliers' networks.
const does = 'Runs the support site, until SIGTERM: pages for our own staff, on a port of their own.';
await runProcess({ name: 'support-site', does }, async (context) => {
  const site = await startSupportSite(context);
  context.log.info({ url: site.url }, 'support site listens');
  return [site];
});
