import { defineSolution } from '../solution.ts'

/** Variables: github.com/dani-garcia/vaultwarden, .env.template. */
export const vaultwarden = defineSolution({
  slug: 'vaultwarden',
  name: 'Vaultwarden',
  description: 'Password manager for the clients of Bitwarden.',
  category: 'SECURITY',
  revision: 1,
  inputs: [
    {
      name: 'adminToken',
      label: 'Token of the admin page',
      type: 'STRING',
      required: true,
      secret: true,
      pattern: '.{16,256}',
      patternRule: 'must be 16 to 256 characters long',
    },
    { name: 'signupsAllowed', label: 'Whether anybody may create an account', type: 'BOOLEAN', default: false },
  ],
  components: [
    {
      key: 'app',
      name: 'Vaultwarden',
      isMain: true,
      dockerPreset: 'CUSTOM',
      image: 'vaultwarden/server:1.32.7',
      port: 80,
      healthCheckPath: '/alive',
      volume: { path: '/data', disk: 2048 },
      variables: {
        DOMAIN: '{{app.externalUrl}}',
        ADMIN_TOKEN: '{{inputs.adminToken}}',
        SIGNUPS_ALLOWED: '{{inputs.signupsAllowed}}',
      },
    },
  ],
  smokeTest: { component: 'app', path: '/alive', status: 200 },
  postInstallNote: 'Invite users at {{app.externalUrl}}/admin with the token. Clients need the address over HTTPS.',
})
