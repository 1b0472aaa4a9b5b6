import { describe, expect, test } from 'vitest'
import type { BuildPlan } from '../../src/domain/build-plan.ts'
import { type Configuration, isReadByBuilds, type SealedVariable } from '../../src/domain/configuration.ts'
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
  typeConfig: null,
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
  test('are empty when the configuration runs', () => {
    expect(pendingChanges(effective(), effective(), show)).toEqual([])
  })

  test('separate the number of containers, which scales, from changes that need a deployment', () => {
    const configured = effective({ containers: 3, configuration: configuration({ port: 8080 }) })
    expect(pendingChanges(effective(), configured, show)).toEqual([
      { kind: 'DEPLOY', field: 'port', from: 80, to: 8080 },
      { kind: 'SCALE', field: 'containers', from: 1, to: 3 },
    ])
  })

  const plan = (changed: Partial<BuildPlan> = {}): BuildPlan => ({
    source: { kind: 'none' },
    builder: 'DOCKER',
    preset: 'CUSTOM',
    presetVersion: null,
    contextDir: './',
    dockerfilePath: null,
    dockerfileContent: null,
    buildArgs: null,
    pullCredentialId: null,
    variables: [],
    isForced: false,
    ...changed,
  })
  const built = (variables: SealedVariable[], changed: Partial<BuildPlan> = {}): Effective =>
    effective({
      useImage: false,
      configuration: configuration({ variables }),
      build: plan({ variables: variables.filter(isReadByBuilds), ...changed }),
    })
  const changesOf = (running: Effective, configured: Effective) =>
    pendingChanges(running, configured, show).map(({ kind, field, from, to }) => `${kind} ${field}: ${from} → ${to}`)

  test('include what a build reads, only if the app builds from source', () => {
    const next = { builder: 'NIXPACKS', buildArgs: 'A=1', pullCredentialId: 'cred_1' }
    expect(changesOf(built([]), built([], next))).toEqual([
      'BUILD builder: DOCKER → NIXPACKS',
      'BUILD buildArgs: null → A=1',
      'BUILD buildPullAccountSecretId: null → cred_1',
    ])
    expect(changesOf(effective(), effective({ build: plan(next) }))).toEqual([])
  })

  test('compare a build variable with the image’s build', () => {
    const [old, next] = [variable('TOKEN', 'a', 'BUILD'), variable('TOKEN', 'b', 'BUILD')]
    const redeployed = { ...built([old]), configuration: configuration({ variables: [next] }) }
    expect(changesOf(redeployed, built([next]))).toEqual(['BUILD envVars.TOKEN: value a → value b'])
    const both = variable('TOKEN', 'a', 'BOTH')
    expect(changesOf(built([variable('TOKEN', 'a')]), built([both]))).toEqual([
      'BUILD envVars.TOKEN: value a → value a',
    ])
    expect(changesOf(built([both]), built([variable('TOKEN', 'a')]))).toEqual([
      'BUILD envVars.TOKEN: value a → value a',
    ])
    expect(changesOf(built([both]), built([]))).toEqual(['BUILD envVars.TOKEN: value a → null'])
  })

  test('include a variable that a build only refers to when it has changed', () => {
    const [host, url] = [variable('HOST', 'h'), variable('URL', 'u', 'BUILD')]
    const before = built([host])
    const referring = built([host, url], { variables: [host, url] })
    expect(changesOf(before, referring)).toEqual(['BUILD envVars.URL: null → value u'])
    const moved = variable('HOST', 'i')
    expect(changesOf(referring, built([moved, url], { variables: [moved, url] }))).toEqual([
      'BUILD envVars.HOST: value h → value i',
    ])
  })

  test('name new, changed and removed variables, and no unchanged ones', () => {
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

  test('leave out build variables if nothing is built', () => {
    const configured = effective({ configuration: configuration({ variables: [variable('NPM_TOKEN', 'a', 'BUILD')] }) })
    expect(pendingChanges(effective(), configured, show)).toEqual([])
  })

  test('include a switch to source, which builds, and a switch to an image, which deploys', () => {
    expect(changesOf(effective(), effective({ useImage: false }))).toEqual(['BUILD useImage: true → false'])
    const image = effective({ image: 'shop:2', build: plan() })
    expect(changesOf(built([]), image)).toEqual(['DEPLOY useImage: false → true', 'DEPLOY image: shop:1 → shop:2'])
  })
})
