import { defineSolution } from '../solution.ts'

/** Variables: docs.ntfy.sh/config. */
export const ntfy = defineSolution({
  slug: 'ntfy',
  name: 'ntfy',
  description: 'Notifications to phones and desktops, by HTTP.',
  category: 'MESSAGING',
  revision: 1,
  components: [
    {
      key: 'app',
      name: 'ntfy',
      isMain: true,
      dockerPreset: 'CUSTOM',
      image: 'binwiederhier/ntfy:v2.11.0',
      port: 80,
      healthCheckPath: '/v1/health',
      startupConfig: { command: 'ntfy', args: ['serve'] },
      volume: { path: '/var/cache/ntfy', disk: 1024 },
      variables: {
        NTFY_BASE_URL: '{{app.externalUrl}}',
        NTFY_BEHIND_PROXY: 'true',
        NTFY_CACHE_FILE: '/var/cache/ntfy/cache.db',
      },
    },
  ],
  smokeTest: { component: 'app', path: '/v1/health', status: 200, contains: 'true' },
  postInstallNote: 'Topics at {{app.externalUrl}} are public: knowing a name is enough to read and write it.',
})
