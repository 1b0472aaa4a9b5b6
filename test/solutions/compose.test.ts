import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importCompose } from '../../src/solutions/compose/import-compose.ts'
import { GIVEN, planOf } from './compose/plan-of.ts'

/** Files as people write them; and the examples of the specification that have services, at the commit of the schema. */
const FOLDERS = ['files', 'specification']
const ROOT = join(import.meta.dirname, '../compose')
const names = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder)).flatMap((name) => (name.endsWith('.yml') ? [`${folder}/${name}`] : [])),
)
const read = (name: string) => readFileSync(join(ROOT, name.includes('/') ? name : `files/${name}`), 'utf8')
/** Files whose services are built. */
const built = names.filter((name) => /^ {4}build:/m.test(read(name)))
const REPOSITORY = { gitRepo: 'https://git.example.com/shop.git', branch: 'main', path: 'deploy' }
const problemsOf = (text: string) => importCompose(text, { A: 'x'.repeat(4_096) }).problems
const planned = (name: string) => {
  const plan = planOf(read(name))
  if ('refused' in plan) throw new Error(`${name} is refused: ${plan.refused.join('; ')}`)
  return plan
}

describe('the compose file', () => {
  test.each(names)('%s becomes what is recorded beside it', async (name) => {
    const plan = `${JSON.stringify(planOf(read(name)), null, 2)}\n`
    await expect(plan).toMatchFileSnapshot(join(ROOT, name.replace(/yml$/, 'plan')))
  })

  test.each(built)('%s becomes what is recorded beside it, with the repository that it lies in', async (name) => {
    const plan = `${JSON.stringify(planOf(read(name), REPOSITORY), null, 2)}\n`
    await expect(plan).toMatchFileSnapshot(join(ROOT, name.replace(/yml$/, 'built.plan')))
  })

  test.each(names)('%s keeps its secrets out of what is shown', (name) => {
    const { solution } = importCompose(read(name), GIVEN)
    expect(JSON.stringify(solution)).not.toContain('canary')
  })

  test.each([
    ['files', 40],
    ['specification', 90],
  ])('has kin in %s', (folder, least) => {
    expect(names.filter((name) => name.startsWith(`${folder}/`)).length).toBeGreaterThanOrEqual(least)
  })
})

describe('credentials of a managed service', () => {
  test('are recognised by their variable, not by their value', () => {
    const web = planned('django-celery.yml').components.find(({ key }) => key === 'web')
    const db = 'acme-mine-db-production'
    expect(web?.variables).toMatchObject({
      DB_HOST: `\${${db}.host}`,
      DB_USER: `\${${db}.user}`,
      DB_PASSWORD: `\${${db}.password}`,
      DB_NAME: `\${${db}.database}`,
      DB_DIALECT: 'postgres',
      THEME: 'postgres',
    })
  })

  test('are refused where nothing can be filled in', () => {
    expect(planOf(read('credentials-in-command.yml'))).toMatchObject({
      refused: expect.arrayContaining([expect.stringMatching(/services\.worker\.command: holds credentials of mysql/)]),
    })
  })
})

function longLists(): string {
  const list = Array.from({ length: 1_000 }, (_, port) => port + 1)
    .join(', ')
    .replace(/.{1000} /g, '$&\n ')
  const services = Array.from({ length: 9 }, (_, index) => ` s${index}: {image: n, ports: *a}`)
  return `x-a: &a [${list}]\nservices:\n${services.join('\n')}\n`
}

const VALUES = {
  '123456789012345678': '123456789012345678',
  '1234e5678': '1234e5678',
  '1.10': '1.10',
  '0x1F': '0x1F',
  '010': '010',
  true: 'true',
  yes: 'yes',
  '2024-01-01': '2024-01-01',
  "'12'": '12',
  '""': '',
  '12:30': '12:30',
}

test.each(Object.entries(VALUES))('the value %s is the text that is written', (written, value) => {
  for (const environment of [`{ V: ${written} }`, `\n      V: ${written}`]) {
    const { solution } = importCompose(`services:\n  a:\n    image: a\n    environment: ${environment}\n`, {})
    expect(solution?.components[0]?.variables).toEqual({ V: value })
  }
})

test('names of JavaScript mean nothing', () => {
  const names = ['constructor', 'valueOf', 'toString']
  const environment = names.map((name) => `${name}: a, DB_${name}: b`).join(', ')
  const db = 'db: { image: "postgres:17", environment: { POSTGRES_PASSWORD: p } }'
  const file = (more: string) =>
    `services: { a: { image: "a:1", environment: { DB_HOST: db, ${environment}${more} } }, ${db} }`
  const { solution, problems } = importCompose(file(''), {})
  expect(problems).toEqual([])
  expect(Object.keys(solution?.components[0]?.variables ?? {})).toEqual(expect.arrayContaining(names))
  expect(importCompose(file(`, X: "$` + `{constructor}"`), {}).problems.map(({ field }) => field)).toEqual([
    'variables.constructor',
  ])
})

const service = (fields: string) => `services: { a: { image: "a:1", ports: ["80"], ${fields} } }`
const component = (fields: string) => {
  const { solution, problems } = importCompose(service(fields), {})
  expect(problems).toEqual([])
  return solution?.components[0]
}

describe('what was changed in silence is honoured', () => {
  test.each([
    ['mem_limit: 1g', { size: { cpu: 1, memoryMb: 1024 } }],
    ['mem_limit: 536870912', { size: { cpu: 1, memoryMb: 512 } }],
    ['cpus: 0.5', { size: { cpu: 0.5, memoryMb: 512 } }],
    ['deploy: { resources: { limits: { memory: 1G, cpus: "2" } } }', { size: { cpu: 2, memoryMb: 1024 } }],
    ['deploy: { replicas: 3 }', { containers: 3 }],
    [`deploy: { replicas: "\${N:-4}" }`, { containers: 4 }],
    ['scale: 2', { containers: 2 }],
    ['stop_signal: SIGINT', { containerSettings: { stopSignal: 'SIGINT' } }],
    ['stop_grace_period: 1m30s', { containerSettings: { stopGraceSeconds: 90 } }],
    ['cap_drop: [ALL]', { containerSettings: { dropCapabilities: ['ALL'] } }],
    ['cap_drop: [CAP_KILL]', { containerSettings: { dropCapabilities: ['KILL'] } }],
    ['init: false', { containerSettings: { init: false } }],
    ['read_only: true', { containerSettings: { readOnlyRoot: true } }],
    ['tmpfs: /tmp', { containerSettings: { tmpfs: [{ path: '/tmp' }] } }],
    [
      'volumes: [{ type: tmpfs, target: /t, tmpfs: { size: 64m } }]',
      { containerSettings: { tmpfs: [{ path: '/t', sizeMb: 64 }] } },
    ],
    ['user: "1000"', { containerSettings: { user: '1000' } }],
    ['user: 1000:1000', { containerSettings: { user: '1000:1000' } }],
    ['working_dir: /srv', { containerSettings: { workingDir: '/srv' } }],
    ['working_dir: /srv, command: [a]', { startupConfig: { command: null, args: ['a'], workingDir: '/srv' } }],
    ['hostname: h', { containerSettings: { hostname: 'h' }, networkAliases: ['a', 'h'] }],
    ['container_name: cc', { networkAliases: ['a', 'cc'] }],
    ['networks: { n: { aliases: [x, y] } }', { networkAliases: ['a', 'x', 'y'] }],
    [
      'ulimits: { nofile: 5, nproc: { soft: 1, hard: -1 } }',
      {
        containerSettings: {
          ulimits: [
            { name: 'nofile', soft: 5, hard: 5 },
            { name: 'nproc', soft: 1, hard: -1 },
          ],
        },
      },
    ],
    ['init: true', { containerSettings: { init: true } }],
    ['shm_size: 1gb', { containerSettings: { sharedMemoryMb: 1024 } }],
    ['security_opt: ["no-new-privileges:true"]', { image: 'a:1' }],
    ['expose: ["3000/tcp"]', { port: 80 }],
    ['depends_on: { b: { condition: service_started, required: false } }', { dependsOn: [] }],
    ['entrypoint: [x, y], command: z', { startupConfig: { command: 'x', args: ['y', 'z'] } }],
    ['entrypoint: [], command: [z, w]', { startupConfig: { command: 'z', args: ['w'] } }],
  ])('%s', (fields, expected) => expect(component(fields)).toMatchObject(expected))
})

const awaiting = (job: string) =>
  `services: { a: { image: "a:1", ports: ["80"], depends_on: { j: { condition: service_completed_successfully } } }, j: { image: "j:1", ${job} } }`

describe('a service that another awaits until it has ended', () => {
  test('is a job, with its command and folder', () => {
    const { solution, problems } = importCompose(awaiting('command: a b, working_dir: /srv, mem_limit: 1g'), {})
    expect(problems).toEqual([])
    expect(solution?.components[1]).toMatchObject({
      dockerPreset: 'JOB',
      jobConfig: { args: ['a', 'b'], workingDir: '/srv', shell: false },
      size: { cpu: 1, memoryMb: 1024 },
    })
  })

  test.each([
    ['volumes: ["v:/v"]', 'services.j.volumes'],
    ['scale: 2', 'services.j.deploy.replicas'],
    ['ports: ["81"]', 'services.j.ports'],
  ])('cannot have %s', (fields, place) => {
    expect(importCompose(awaiting(fields), {}).problems.map(({ field }) => field)).toEqual([`compose.${place}`])
  })
})

describe('or refused at its place:', () => {
  test.each([
    ['platform: linux/arm64', 'services.a.platform', /is not supported/],
    ['volumes: ["v:/v:ro"]', 'services.a.volumes.0', /ro is not supported/],
    ['volumes: ["x:/x", "y:/y"]', 'services.a.volumes.1', /a second volume/],
    ['deploy: { replicas: 0 }', 'services.a.deploy.replicas', /must be 1 to 10/],
    ['deploy: { replicas: 11 }', 'services.a.deploy.replicas', /must be 1 to 10/],
    ['mem_limit: 1g, deploy: { resources: { limits: { memory: 2G } } }', 'services.a.mem_limit', /differs from/],
    ['mem_limit: 1m', 'services.a.mem_limit', /must be a size/],
    ['cpus: 100', 'services.a.cpus', /must be 0.1 to 64/],
    ['colour: red', 'services.a.colour', /is not a field of the compose specification/],
    ['healthcheck: { test: [curl, localhost] }', 'services.a.healthcheck.test', /begins with CMD and a program/],
    ['healthcheck: { test: [CMD-SHELL, a, b] }', 'services.a.healthcheck.test', /begins with CMD and a program/],
    ['healthcheck: { test: a, timeout: 2m }', 'services.a.healthcheck.timeout', /must be a duration of at most 60s/],
    ['healthcheck: { test: a, interval: often }', 'services.a.healthcheck.interval', /must be a duration/],
    ['healthcheck: { test: a, retries: 0 }', 'services.a.healthcheck.retries', /must be 1 to 100/],
    ['healthcheck: { test: a, every: 1s }', 'services.a.healthcheck.every', /is not a field/],
    ['tmpfs: "/t:mode=1777"', 'services.a.tmpfs.0', /size is the one option/],
    ['user: [1]', 'services.a.user', /must be a text; it is a list/],
    ['build: .', 'services.a.build', /push the image to a registry/],
    ['command: "a \\"b"', 'services.a.command', /a quote without its other half/],
    [`command: [${'a, '.repeat(101)}]`, 'services.a.command', /at most 100 words/],
    ['depends_on: [b]', 'services.a.depends_on', /names b, which is no service/],
    ['environment: { __proto__: x }', 'services.a.environment.__proto__', /is no name of a variable/],
    ['environment: { "A=B": x }', 'services.a.environment.A=B', /is no name of a variable/],
  ])('%s', (fields, place, message) => {
    const { problems } = importCompose(service(fields), {})
    expect(problems.map(({ field }) => field)).toEqual([`compose.${place}`])
    expect(problems[0]?.message).toMatch(message)
  })
})

describe('a text is refused', () => {
  test.each([
    ['that is no YAML', 'services: [', /is no YAML/],
    ['that says where it is none', 'services:\n  a: b\n  c: [', /is no YAML on line 3/],
    [
      'with a tag that nothing knows',
      'services: { a: { image: a, ports: !reset [] } }',
      /is no YAML on line 1: Unresolved tag/,
    ],
    ['with a line that is never read', `services: ${'? - '.repeat(1_000)}`, /more than 2048 characters on line 1/],
    ['whose names are lists', `services:\n  ${'? - '.repeat(400)}a`, /a list or an object for the name of a field/],
    [
      'whose variables become too long',
      `services: {a: {image: "a", ports: [1], command: [${'"$A",'.repeat(100)}]}}`,
      /262144 characters/,
    ],
    ['whose defaults are too deep', `services: { a: { image: "${'${X:-'.repeat(30)}${'}'.repeat(30)}" } }`, /20 deep/],
    ['without services', 'version: "3"', /at least one service/],
    ['that is a list', '[]', /at least one service/],
    ['whose aliases multiply', bomb(), /is no YAML/],
    ['with more services than an installation has', many(11), /has 11 services; at most 10/],
    // The schema compares each port with each other one.
    ['whose aliases make long lists of one', longLists(), /more than 5000 values with its aliases/],
    [
      'with an ordered map',
      '%YAML 1.1\n---\nservices: {a: {image: a, environment: !!omap [A: b]}}',
      /has a tag of YAML/,
    ],
    ['with one name in two writings', 'services: {1: {image: a}, "1": {image: b}}', /Map keys must be unique/],
    [
      'with a name that is too long',
      `services: {${'n'.repeat(101)}: {image: a}, b: {image: b}}`,
      /at most 100 letters/,
    ],
    [
      'with more problems than are counted, and a value that is none',
      `${Array.from({ length: 101 }, (_, index) => `bad${index}: 1`).join('\n')}\nservices: {w: {image: a, environment: {A: {toString: x}}, volumes: [{type: {toString: 1}}]}}`,
      /is not a field of the compose specification/,
    ],
    [
      'with a cycle',
      'services: {a: {image: "a", ports: [1], depends_on: [b]}, b: {image: "b", ports: [1], depends_on: [a]}}',
      /depend on each other/i,
    ],
    ['with UDP', 'services: {a: {image: "a", ports: ["53:53/udp"]}}', /only TCP/],
    ['with two of one name', 'services: {a: {image: "a"}, b: {image: "b", hostname: a}}', /is called a on the network/],
    ['with a service that is text', 'services: {a: b}', /must be an object; it is a text/],
  ])('%s', (_what, text, message) => {
    expect(
      problemsOf(text)
        .map((one) => one.message)
        .join('\n'),
    ).toMatch(message)
  })
})

function bomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
  for (let level = 1; level < 9; level += 1) {
    const alias = `*a${level - 1}`
    lines.push(`a${level}: &a${level} [${Array(9).fill(alias).join(', ')}]`)
  }
  return [...lines, 'services: *a8'].join('\n')
}

function many(count: number): string {
  const services = Array.from({ length: count }, (_, number) => `  s${number}: { image: nginx, ports: [80] }`)
  return ['services:', ...services].join('\n')
}
