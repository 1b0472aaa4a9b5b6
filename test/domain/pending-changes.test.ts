import { describe, expect, test } from 'vitest'
import type { Configuration, SealedVariable } from '../../src/domain/configuration.ts'
import { type Effective, pendingChanges } from '../../src/domain/pending-changes.ts'

const variable = (name: string, fingerprint: string, type: SealedVariable['type'] = 'DEPLOY'): SealedVariable => ({
  id: `var_${name}`,
  name,
  type,
  isSecret: false,
  sealedValue: 'sealed',
  fingerprint,
})

const configuration = (changed: Partial<Configuration> = {}): Configuration => ({
  port: 80,
  zClouds: 1,
  startup: null,
  healthCheck: { path: null, port: null, headers: {} },
  variables: [],
  imagePullCredentialId: null,
  jobConfig: null,
  functionConfig: null,
  ...changed,
})

const effective = (changed: Partial<Effective> = {}): Effective => ({
  image: 'shop:1',
  useImage: true,
  containers: 1,
  configuration: configuration(),
  build: null,
  ...changed,
})

const show = (shown: SealedVariable) => `value ${shown.fingerprint}`

describe('pending changes', () => {
  test('are none when what is configured runs', () => {
    expect(pendingChanges(effective(), effective(), show)).toEqual([])
  })

  test('tell containers, which scale, from what needs a deployment', () => {
    const configured = effective({ containers: 3, configuration: configuration({ port: 8080 }) })
    expect(pendingChanges(effective(), configured, show)).toEqual([
      { kind: 'DEPLOY', field: 'port', from: 80, to: 8080 },
      { kind: 'SCALE', field: 'containers', from: 1, to: 3 },
    ])
  })

  test('tell what a build reads, and only where the source is built', () => {
    const build = {
      ...{ dockerPreset: 'CUSTOM', dockerPresetVersion: null, builder: 'DOCKER', gitBranch: 'main', contextDir: './' },
      ...{ dockerfilePath: 'Dockerfile', customDockerfileContent: null, buildArgs: null, pullCredentialId: null },
    }
    const running = effective({ useImage: false, configuration: configuration({ build }) })
    const next = configuration({ build: { ...build, gitBranch: 'beta', pullCredentialId: 'cred_1' } })
    expect(pendingChanges(running, effective({ useImage: false, configuration: next }), show)).toEqual([
      { kind: 'BUILD', field: 'gitBranch', from: 'main', to: 'beta' },
      { kind: 'BUILD', field: 'buildPullAccountSecretId', from: null, to: 'cred_1' },
    ])
    const imaged = effective({ configuration: configuration({ build }) })
    expect(pendingChanges(imaged, effective({ configuration: next }), show)).toEqual([])
  })

  test('name variables that are new, changed and gone, and not those that are as they were', () => {
    const running = effective({
      configuration: configuration({ variables: [variable('SAME', 'a'), variable('OLD', 'b'), variable('X', 'c')] }),
    })
    const configured = effective({
      configuration: configuration({ variables: [variable('SAME', 'a'), variable('NEW', 'd'), variable('X', 'e')] }),
    })
    expect(pendingChanges(running, configured, show)).toEqual([
      { kind: 'DEPLOY', field: 'envVars.OLD', from: 'value b', to: null },
      { kind: 'DEPLOY', field: 'envVars.X', from: 'value c', to: 'value e' },
      { kind: 'DEPLOY', field: 'envVars.NEW', from: null, to: 'value d' },
    ])
  })

  test('leave build variables out where nothing is built', () => {
    const configured = effective({ configuration: configuration({ variables: [variable('NPM_TOKEN', 'a', 'BUILD')] }) })
    expect(pendingChanges(effective(), configured, show)).toEqual([])
    const fromSource = { ...configured, useImage: false }
    const kinds = pendingChanges({ ...effective(), useImage: false }, fromSource, show).map((change) => change.kind)
    expect(kinds).toEqual(['BUILD'])
  })
})
