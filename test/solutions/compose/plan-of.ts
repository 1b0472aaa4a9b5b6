import type { ComposeFolder } from '../../../src/solutions/compose/compose-build.ts'
import { importCompose } from '../../../src/solutions/compose/import-compose.ts'
import { planSolution } from '../../../src/solutions/plan.ts'

const PLACE = { accountId: 'acc_1', accountSlug: 'acme', appName: 'Mine', region: 'local' }

/** Values of the variables of every file; GREETING is there, and so are the passwords. */
export const GIVEN: Readonly<Record<string, string>> = {
  SECRET_KEY: 'canary-key',
  RAILS_MASTER_KEY: 'canary-master',
  APP_KEY: 'canary-app',
  APP_SECRET: 'canary-secret',
  N8N_ENCRYPTION_KEY: 'canary-n8n',
  SECRET_KEY_BASE: 'canary-base',
  MINIO_PASSWORD: 'canary-minio',
  ADMIN_PASSWORD: 'canary-admin',
  GREETING: 'hello',
}

interface Plan {
  components: { key: string; variables: Record<string, string>; [field: string]: unknown }[]
  inputs: string[]
  noEffect: string[]
  note?: string
}

/** What becomes of a file, in few words: everything that its apps and environments are created with, or all refusals. */
export function planOf(text: string, folder: ComposeFolder | null = null): Plan | { refused: string[] } {
  const { solution, values, problems } = importCompose(text, GIVEN, folder)
  if (!solution) return { refused: problems.map(({ field, message }) => `${field}: ${message}`) }
  const planned = planSolution(solution, values, PLACE)
  return {
    components: planned.map(({ key, app, appEnv, dependsOn, variables }) => {
      const { accountId: _account, useImage: _use, ...ofApp } = app
      const { accountId: _owner, name: _name, region: _region, containerSettings: _settings, ...ofEnv } = appEnv
      const component = solution.components.find((one) => one.key === key)
      return {
        key,
        app: ofApp,
        appEnv: ofEnv,
        networkAliases: component?.networkAliases,
        ...(component?.containerSettings ? { containerSettings: component.containerSettings } : {}),
        dependsOn,
        variables: Object.fromEntries(
          variables.map(({ name, value, isSecret }) => [name, isSecret ? `(secret) ${value}` : value]),
        ),
      }
    }),
    inputs: solution.inputs.map(({ name, label, secret }) => `${name}: ${label}${secret ? ', secret' : ''}`),
    noEffect: solution.noEffect ?? [],
    ...(solution.postInstallNote ? { note: solution.postInstallNote } : {}),
  }
}
