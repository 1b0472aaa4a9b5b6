import { defineSolution } from '../solution.ts'

/** Variables: github.com/coder/code-server/blob/main/docs. It runs whatever its user types, hence the sandbox. */
export const codeServer = defineSolution({
  slug: 'code-server',
  name: 'code-server',
  description: 'Visual Studio Code in the browser, with a terminal.',
  category: 'DEVELOPMENT',
  revision: 1,
  requiresSandbox: true,
  inputs: [
    {
      name: 'password',
      label: 'Password of the editor',
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
      name: 'Editor',
      isMain: true,
      dockerPreset: 'CUSTOM',
      image: 'codercom/code-server:4.96.2',
      port: 8080,
      healthCheckPath: '/healthz',
      volume: { path: '/home/coder', disk: 5120 },
      variables: { PASSWORD: '{{inputs.password}}' },
    },
  ],
  smokeTest: { component: 'app', path: '/healthz', status: 200 },
  postInstallNote: 'Open {{app.externalUrl}} and log in with the password.',
})
