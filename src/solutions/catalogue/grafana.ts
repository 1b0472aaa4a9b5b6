import { defineSolution } from '../solution.ts'

/** Variables: grafana.com/docs, "Override configuration with environment variables". */
export const grafana = defineSolution({
  slug: 'grafana',
  name: 'Grafana',
  description: 'Dashboards and alerts about metrics, logs and databases.',
  category: 'MONITORING',
  revision: 1,
  inputs: [
    {
      name: 'adminPassword',
      label: 'Password of the user admin',
      type: 'STRING',
      required: true,
      secret: true,
      pattern: '.{12,128}',
      patternRule: 'must be 12 to 128 characters long',
    },
  ],
  components: [
    {
      key: 'app',
      name: 'Grafana',
      isMain: true,
      dockerPreset: 'CUSTOM',
      image: 'grafana/grafana:11.4.0',
      port: 3000,
      healthCheckPath: '/api/health',
      volume: { path: '/var/lib/grafana', disk: 2048 },
      variables: {
        GF_SECURITY_ADMIN_USER: 'admin',
        GF_SECURITY_ADMIN_PASSWORD: '{{inputs.adminPassword}}',
        GF_SERVER_ROOT_URL: '{{app.externalUrl}}',
      },
    },
  ],
  smokeTest: { component: 'app', path: '/api/health', status: 200, contains: 'ok' },
  postInstallNote: 'Log in at {{app.externalUrl}} as admin, and add data sources.',
})
