import { defineSolution } from '../solution.ts'

/** Variables: min.io/docs, "Root access settings". */
export const minio = defineSolution({
  slug: 'minio',
  name: 'MinIO',
  description: 'Object storage with the API of S3.',
  category: 'DEVELOPMENT',
  revision: 1,
  inputs: [
    { name: 'rootUser', label: 'Name of the root user', type: 'STRING', default: 'admin' },
    {
      name: 'rootPassword',
      label: 'Password of the root user',
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
      name: 'Storage',
      isMain: true,
      dockerPreset: 'CUSTOM',
      image: 'minio/minio:RELEASE.2024-12-18T13-15-44Z',
      port: 9000,
      healthCheckPath: '/minio/health/live',
      startupConfig: { command: 'minio', args: ['server', '/data'] },
      volume: { path: '/data', disk: 20_480 },
      variables: {
        MINIO_ROOT_USER: '{{inputs.rootUser}}',
        MINIO_ROOT_PASSWORD: '{{inputs.rootPassword}}',
        MINIO_BROWSER: 'off',
      },
    },
  ],
  smokeTest: { component: 'app', path: '/minio/health/live', status: 200 },
  postInstallNote: 'Clients of S3 reach it at {{app.externalUrl}}, with path-style addresses.',
})
