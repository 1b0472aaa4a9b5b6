import { defineSolution } from '../solution.ts'

/** Variables: docs.n8n.io, "Environment variables", Database, Deployment, Endpoints and Queue mode. */
const shared = {
  DB_TYPE: 'postgresdb',
  DB_POSTGRESDB_HOST: '{{db.host}}',
  DB_POSTGRESDB_PORT: '{{db.port}}',
  DB_POSTGRESDB_DATABASE: '{{db.database}}',
  DB_POSTGRESDB_USER: '{{db.user}}',
  DB_POSTGRESDB_PASSWORD: '{{db.password}}',
  EXECUTIONS_MODE: 'queue',
  QUEUE_BULL_REDIS_HOST: '{{queue.host}}',
  QUEUE_BULL_REDIS_PORT: '{{queue.port}}',
  QUEUE_BULL_REDIS_USERNAME: '{{queue.user}}',
  QUEUE_BULL_REDIS_PASSWORD: '{{queue.password}}',
  N8N_ENCRYPTION_KEY: '{{inputs.encryptionKey}}',
  GENERIC_TIMEZONE: '{{inputs.timeZone}}',
  WEBHOOK_URL: '{{webhook.externalUrl}}/',
  N8N_PROXY_HOPS: '1',
}

const program = { dockerPreset: 'CUSTOM', image: 'n8nio/n8n:1.100.1', port: 5678, healthCheckPath: '/healthz' }

export const n8n = defineSolution({
  slug: 'n8n',
  name: 'n8n',
  description: 'Workflow automation in queue mode: an editor, a process for webhooks and a worker.',
  category: 'AUTOMATION',
  revision: 1,
  inputs: [
    { name: 'timeZone', label: 'Time zone of schedules, such as Europe/Vienna', type: 'STRING', default: 'UTC' },
    {
      name: 'encryptionKey',
      label: 'Key that encrypts the credentials of workflows',
      type: 'STRING',
      secret: true,
      generated: 48,
    },
  ],
  components: [
    { key: 'db', name: 'Database', dockerPreset: 'POSTGRESQL', dockerPresetVersion: 'POSTGRESQL_17' },
    { key: 'queue', name: 'Queue', dockerPreset: 'REDIS', dockerPresetVersion: 'REDIS_7' },
    {
      key: 'editor',
      name: 'Editor',
      isMain: true,
      ...program,
      dependsOn: ['db', 'queue'],
      variables: { ...shared, N8N_EDITOR_BASE_URL: '{{editor.externalUrl}}/' },
    },
    {
      key: 'worker',
      name: 'Worker',
      ...program,
      dependsOn: ['editor'],
      startupConfig: { command: 'n8n', args: ['worker'] },
      variables: { ...shared, QUEUE_HEALTH_CHECK_ACTIVE: 'true' },
    },
    {
      key: 'webhook',
      name: 'Webhooks',
      ...program,
      dependsOn: ['editor'],
      startupConfig: { command: 'n8n', args: ['webhook'] },
      variables: shared,
    },
  ],
  smokeTest: { component: 'editor', path: '/healthz', status: 200, contains: 'ok' },
  postInstallNote: 'Open {{editor.externalUrl}} and create the owner of the instance: until then, anybody can.',
})
