import { defineSolution } from '../solution.ts'

/** Variables: meilisearch.com/docs, "Configure Meilisearch at launch". */
export const meilisearch = defineSolution({
  slug: 'meilisearch',
  name: 'Meilisearch',
  description: 'Search engine for sites and apps, by a REST API.',
  category: 'SEARCH',
  revision: 1,
  inputs: [
    {
      name: 'masterKey',
      label: 'Master key of the API',
      type: 'STRING',
      required: true,
      secret: true,
      pattern: '[\\x21-\\x7e]{16,128}',
      patternRule: 'must be 16 to 128 characters without spaces',
    },
  ],
  components: [
    {
      key: 'app',
      name: 'Meilisearch',
      isMain: true,
      dockerPreset: 'CUSTOM',
      image: 'getmeili/meilisearch:v1.12.0',
      port: 7700,
      healthCheckPath: '/health',
      volume: { path: '/meili_data', disk: 5120 },
      variables: { MEILI_ENV: 'production', MEILI_NO_ANALYTICS: 'true', MEILI_MASTER_KEY: '{{inputs.masterKey}}' },
    },
  ],
  smokeTest: { component: 'app', path: '/health', status: 200, contains: 'available' },
})
