import type { AppType } from './app-type.ts'

/** A long-running program behind hosts: a site, an API, a worker. */
export const web: AppType = {
  name: 'APP',
  title: 'App',
  requiresPort: true,
  logType: 'WEB_APP',
  hasHosts: true,
  alwaysAcceptsImage: false,
  hasVolume: true,
  needsFunctions: false,
  config: null,
}
