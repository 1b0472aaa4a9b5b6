import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { PART_STATES } from '../../src/domain/part-states.ts'
import { diskState } from '../../src/platform/disk-readiness.ts'
import { certificateFinding, checkCertificates } from '../../src/platform/doctor/certificate.ts'
import { checkDatabase, clockFinding } from '../../src/platform/doctor/database.ts'
import { withParts } from '../../src/platform/doctor/doctor.ts'
import { cgroupFinding, engineFinding, readEngine } from '../../src/platform/doctor/engine.ts'
import { fail, lineOf, ok, warn } from '../../src/platform/doctor/finding.ts'
import {
  checkDataDirModes,
  checkDataDisk,
  diskFinding,
  memoryFinding,
  serviceFinding,
} from '../../src/platform/doctor/machine.ts'
import { checkNames, nameFinding } from '../../src/platform/doctor/names.ts'
import { checkPorts } from '../../src/platform/doctor/ports.ts'
import { processFindings, readyzFinding } from '../../src/platform/doctor/processes.ts'
import { registryFindings } from '../../src/platform/doctor/registry.ts'
import type { ProcessInfo } from '../../src/platform/process-registry/process-info.ts'
import { reachableAddresses } from '../../src/platform/reachable-addresses.ts'
import { mountSmallDisk } from '../crash/harness/small-disk.ts'
import { createTestDatabase } from '../support/database.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { fakeEngine } from '../support/fake-engine.ts'
import { freePort } from '../support/free-ports.ts'

const DAY_MS = 86_400_000
const isRoot = process.getuid?.() === 0
if (!isRoot) console.warn('Skipped: a disk of its own needs root')

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-doctor-'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a line says how it is, what was found, and what to do', () => {
  expect(lineOf(ok('engine', 'Docker Engine 28.5.2'))).toBe('ok    engine: Docker Engine 28.5.2')
  expect(lineOf(fail('names', 'nothing resolves.', 'Add a record'))).toBe(
    'fail  names: nothing resolves — Add a record',
  )
})

describe('the names of apps', () => {
  test('are looked up for real: with a wildcard record, with another machine’s, without one, and without an answer', async () => {
    const [own = '192.0.2.9'] = reachableAddresses()
    const records = new Map([
      ['A *.apps.test', own],
      ['A *.elsewhere.test', '192.0.2.1'],
    ])
    const dns = await startDnsServer(records)
    const look = async (BERTH_DOMAIN: string, BERTH_DNS_SERVERS = dns.address) =>
      (await Promise.all(checkNames(readConfig({ BERTH_DOMAIN, BERTH_DNS_SERVERS }), [own])))[0]
    expect(await look('apps.test')).toMatchObject({ level: 'ok', found: expect.stringContaining(own) })
    expect(await look('elsewhere.test')).toMatchObject({ level: 'warn', found: expect.stringContaining('192.0.2.1') })
    expect(await look('missing.test')).toMatchObject({
      level: 'fail',
      found: 'names below missing.test do not resolve',
      nextStep: `Add a wildcard DNS record: *.missing.test with the address of this machine (${own})`,
    })
    await dns.close()
    expect(await look('apps.test')).toMatchObject({ level: 'warn', found: expect.stringContaining('no name server') })
  })

  test('below localhost are right until other machines are served', async () => {
    const levelOf = async (settings: Record<string, string>) =>
      (await Promise.all(checkNames(readConfig(settings), []))).map(({ level }) => level)
    expect(await levelOf({})).toEqual(['ok'])
    expect(await levelOf({ BERTH_INGRESS_HOST: '0.0.0.0' })).toEqual(['warn'])
  })

  test('that lead to loopback are for this machine only', () => {
    expect(nameFinding('127.0.0.1.sslip.io', ['127.0.0.1'], [])).toMatchObject({ level: 'ok' })
  })
})

describe('a port', () => {
  const RUNNING = { pid: 1, roles: ['ingress'], apiUrl: null, ingressUrl: null, isStopping: false }
  const check = async (
    settings: Record<string, string>,
    ports: number[],
    { isServer = false, silent = [] as (number | null)[], hasService = false } = {},
  ) => {
    const config = readConfig({ BERTH_ROLES: 'ingress', ...settings })
    const found = { living: ports.length > 0 ? [{ ...RUNNING, ports }] : [], silent }
    const [finding] = await Promise.all(checkPorts(config, { own: reachableAddresses(), found, hasService, isServer }))
    return finding
  }

  test('that answers at loopback only, and should at every address, fails', async () => {
    const [own] = reachableAddresses()
    if (!own) return console.warn('Skipped: this machine has no address besides loopback')
    const port = await freePort()
    const server = createServer().listen(port, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const settings = { INGRESS_PORT: `${port}`, BERTH_INGRESS_HOST: '0.0.0.0' }
    expect(await check(settings, [port])).toMatchObject({
      level: 'fail',
      found: `nothing answers at ${own}:${port}, an address of this machine (ECONNREFUSED)`,
    })
    await new Promise((resolve) => server.close(resolve))
  })

  test('of another program fails, with the word of /readyz', async () => {
    const port = await freePort()
    const server = createServer().listen(port, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    expect(await check({ INGRESS_PORT: `${port}` }, [])).toMatchObject({ level: 'fail', state: 'PORT_TAKEN' })
    // It may be Berth's own, at work or paused: it is never said to be ended.
    const silent = await check({ INGRESS_PORT: `${port}` }, [], { silent: [712], hasService: true })
    expect(silent).toMatchObject({
      level: 'warn',
      found: expect.stringContaining('perhaps by process 712 of Berth'),
      nextStep: expect.stringMatching(/npm run service -- restart$/),
    })
    await new Promise((resolve) => server.close(resolve))
    expect(await check({ INGRESS_PORT: `${port}` }, [])).toMatchObject({ level: 'ok' })
    expect(await check({ INGRESS_PORT: `${port}` }, [], { isServer: true })).toMatchObject({ level: 'warn' })
  })

  test('of the API that is open to other machines is a warning: it has no TLS', async () => {
    const settings = { BERTH_ROLES: 'api', HOST: '0.0.0.0', PORT: `${await freePort()}` }
    expect(await check(settings, [])).toMatchObject({ level: 'warn', found: expect.stringContaining('without TLS') })
  })
})

describe('a certificate', () => {
  test('that has expired, and one that is self-signed, fail as they are served', async () => {
    const [expired, selfSigned] = [certificate('-1'), certificate('90')]
    const host = (await servedFrom(expired)) ?? ''
    expect(await found(host)).toMatchObject({ level: 'fail', found: expect.stringMatching(/expired on \d{4}-/) })
    expect(await found(await servedFrom(selfSigned))).toMatchObject({
      level: 'fail',
      found: expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT'),
    })
    expect(await found(`https://localhost:${await freePort()}`)).toMatchObject({
      level: 'fail',
      found: expect.stringContaining('ECONNREFUSED'),
    })
  })

  const found = async (url: string) =>
    (
      await Promise.all(checkCertificates(readConfig({ BERTH_API_URL: url, BERTH_INGRESS_URL: 'http://plain.test' })))
    )[0]

  test('is well for two weeks before its end, and not for other hosts', () => {
    const now = Date.parse('2026-06-01')
    const until = (days: number, wrongHost: string | null = null) =>
      certificateFinding(
        { place: 'a.test:443', isOfApps: false },
        { validTo: new Date(now + days * DAY_MS), untrusted: null, wrongHost },
        now,
      )
    // A proxy that gets certificates on demand has none for a name that no app has.
    const onDemand = (isOfApps: boolean) =>
      certificateFinding({ place: '*.a.test:443', isOfApps }, { failed: 'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR' }, now)
    expect([true, false].map((isOfApps) => onDemand(isOfApps).level)).toEqual(['ok', 'fail'])
    expect([90, 13].map((days) => until(days).level)).toEqual(['ok', 'warn'])
    expect(until(90, 'Host: a.test. is not cert’s CN: b.test')).toMatchObject({ level: 'fail' })
  })

  function certificate(days: string) {
    const [key, request, file] = ['key', 'csr', 'pem'].map((end) => join(folder, `${days}.${end}`)) as [
      string,
      string,
      string,
    ]
    const quiet = { stdio: 'ignore' } as const
    execFileSync(
      'openssl',
      ['req', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', request, '-subj', '/CN=localhost'],
      quiet,
    )
    execFileSync('openssl', ['x509', '-req', '-in', request, '-signkey', key, '-days', days, '-out', file], quiet)
    return { key: readFileSync(key), cert: readFileSync(file) }
  }

  const servers: { close(): void }[] = []
  afterAll(() => servers.forEach((server) => void server.close()))

  async function servedFrom(options: { key: Buffer; cert: Buffer }): Promise<string> {
    const port = await freePort()
    const server = createTlsServer(options).listen(port)
    servers.push(server)
    await new Promise((resolve) => server.once('listening', resolve))
    return `https://localhost:${port}`
  }
})

describe('a clock', () => {
  const at = Date.parse('2026-06-01T12:00:00Z')
  const answered = (date: string | null) =>
    registryFindings({ url: 'https://registry.test/v2/', date, askedAt: at, answeredAt: at + 400 })

  test('is compared with the registry’s, whose date has whole seconds', () => {
    expect(answered('Mon, 01 Jun 2026 12:00:00 GMT').map(({ level }) => level)).toEqual(['ok', 'ok'])
    expect(answered('Mon, 01 Jun 2026 11:59:56 GMT').map(({ level }) => level)).toEqual(['ok', 'ok'])
    expect(answered('Mon, 01 Jun 2026 12:00:30 GMT')[1]).toMatchObject({
      level: 'warn',
      state: 'CLOCK_SKEWED',
      found: 'The clock of the registry is 30 s ahead of that of this machine',
    })
    expect(answered(null)).toHaveLength(1)
  })

  test('of a registry that cannot be reached says nothing, and being offline is allowed', () => {
    const away = registryFindings({ url: 'https://registry.test/v2/', failed: 'ENOTFOUND' })
    expect(away.map(({ level }) => level)).toEqual(['warn'])
  })
})

describe('the database', () => {
  test('answers, has no tables yet, or does not answer', async () => {
    const [full, empty] = [await createTestDatabase(), await createTestDatabase({ empty: true })]
    const check = (DATABASE_URL: string) => checkDatabase(readConfig({ DATABASE_URL }), folder)
    expect(await check(full.url)).toEqual([ok('database', 'answers'), ok('clock', 'as that of the database')])
    expect(await check(empty.url)).toMatchObject([{ level: 'ok', found: expect.stringContaining('no tables yet') }])
    expect((await check(`postgres://absent@127.0.0.1:${await freePort()}/none`))[0]).toMatchObject({
      level: 'fail',
      state: 'DATABASE_UNREACHABLE',
      nextStep: PART_STATES.DATABASE_UNREACHABLE,
    })
    await Promise.all([full.drop(), empty.drop()])
  })

  test('of its own is left stopped', async () => {
    expect(await checkDatabase(readConfig({}), folder)).toMatchObject([{ level: 'ok' }])
  })
})

describe('the machine', () => {
  test.skipIf(!isRoot)('whose disk is full fails, with the word of /readyz', async () => {
    using disk = mountSmallDisk(64)
    expect(await checkDataDisk(disk.folder)).toMatchObject({ level: 'warn', name: 'dataDisk' })
    disk.fill()
    expect(await checkDataDisk(disk.folder)).toMatchObject({
      level: 'fail',
      state: 'DISK_FULL',
      nextStep: PART_STATES.DISK_FULL,
    })
  })

  test('has room in bytes and in inodes', () => {
    const levelOf = (freeMb: number, freeInodes: number | null) => {
      const use = { bytes: freeMb * 1024 ** 2, inodes: freeInodes }
      return diskFinding('dataDisk', diskState(use, 'the data directory'), use)
    }
    expect(levelOf(20_000, null)).toMatchObject({ level: 'ok', found: '19.5 GB free' })
    expect(levelOf(20_000, 20_000)).toMatchObject({ level: 'warn' })
    expect(levelOf(20_000, 10)).toMatchObject({
      level: 'fail',
      state: 'DISK_FULL',
      found: 'The disk of the data directory has 10 inodes left',
    })
  })

  test('has memory for Berth and for apps', () => {
    const levels = [
      { totalMb: 4_000, availableMb: 3_000, freeSwapMb: 0 },
      { totalMb: 4_000, availableMb: 50, freeSwapMb: 0 },
      { totalMb: 512, availableMb: 400, freeSwapMb: 0 },
      { totalMb: 512, availableMb: 50, freeSwapMb: 1_000 },
    ].map((memory) => memoryFinding(memory).level)
    expect(levels).toEqual(['ok', 'warn', 'warn', 'ok'])
  })

  test('starts Berth after a reboot if its service is enabled', () => {
    expect(serviceFinding('enabled', true).level).toBe('ok')
    expect(serviceFinding('enabled', false)).toMatchObject({
      level: 'fail',
      nextStep: 'Read its log: journalctl -u berth; then run: npm run service -- restart',
    })
    expect(serviceFinding('not-found', true)).toMatchObject({
      level: 'warn',
      nextStep: 'Run: npm run service -- install',
    })
    expect(serviceFinding('no systemd', false).level).toBe('ok')
  })

  test('keeps secrets in files that only their owner reads', () => {
    const dataDir = join(folder, 'data')
    expect(checkDataDirModes(dataDir).level).toBe('ok')
    mkdirSync(dataDir, { mode: 0o700 })
    const file = join(dataDir, 'admin-token')
    writeFileSync(file, 'berth_u_secret\n', { mode: 0o600 })
    expect(checkDataDirModes(dataDir)).toMatchObject({ level: 'ok' })
    chmodSync(file, 0o644)
    expect(checkDataDirModes(dataDir)).toMatchObject({
      level: 'fail',
      nextStep: `Run: chmod 600 ${file}; until then Berth does not start`,
    })
    chmodSync(file, 0o600)
    chmodSync(dataDir, 0o755)
    expect(checkDataDirModes(dataDir)).toMatchObject({ level: 'warn', nextStep: `Run: chmod 700 ${dataDir}` })
  })
})

describe('the engine', () => {
  test('that is too old, and one that is not there, fail with the words of /readyz', async () => {
    await using old = await fakeEngine(() => ({
      body: { Version: '19.03.15', ApiVersion: '1.40', DockerRootDir: '/' },
    }))
    const check = async (DOCKER_HOST: string) => engineFinding(await readEngine(readConfig({ DOCKER_HOST })))
    expect(await check(old.host)).toMatchObject({
      level: 'fail',
      state: 'ENGINE_UNSUPPORTED',
      nextStep: PART_STATES.ENGINE_UNSUPPORTED,
      found: expect.stringContaining('19.03.15'),
    })
    expect(await check('unix:///nonexistent/docker.sock')).toMatchObject({
      level: 'fail',
      state: 'ENGINE_UNREACHABLE',
      nextStep: PART_STATES.ENGINE_UNREACHABLE,
    })
  })

  test('without limits of memory is a warning', () => {
    const machine = {
      imageStore: 'overlay2',
      dataRoot: '/',
      cgroupVersion: '2',
      cgroupDriver: 'systemd',
      mirrors: [],
      cpus: 1,
      memoryBytes: 1,
    }
    expect(cgroupFinding({ ...machine, hasMemoryLimit: true })).toEqual(ok('cgroup', 'version 2, driver systemd'))
    expect(cgroupFinding({ ...machine, hasMemoryLimit: false }).level).toBe('warn')
  })
})

describe('processes of Berth', () => {
  const living = [{ pid: 5, roles: ['api'], ports: [4000], apiUrl: null, ingressUrl: null, isStopping: false }]

  test('that do not answer are named, with what to do, and never to be ended', () => {
    const found = (silent: (number | null)[], hasService: boolean) => processFindings({ living, silent }, hasService)[0]
    for (const hasService of [true, false])
      for (const silent of [[712], [712, null], [null]]) {
        const finding = found(silent, hasService)
        expect(finding?.level).toBe('fail')
        expect(finding?.nextStep).not.toMatch(/\b(end|stop|kill(?! -CONT))\b/i)
        expect(finding?.nextStep?.includes('npm run service -- restart')).toBe(hasService)
        if (silent.includes(712))
          expect(`${finding?.found} ${finding?.nextStep}`).toMatch(/process 712.*kill -CONT 712\)/)
      }
    expect(found([], true)).toMatchObject({ level: 'ok', found: 'process 5 (api)' })
  })

  test('are started by the service where there is one', () => {
    const nextStep = (hasService: boolean) => processFindings({ living: [], silent: [] }, hasService)[0]?.nextStep
    expect([true, false].map(nextStep)).toEqual(['Start it: npm run service -- restart', 'Start it: npm start'])
    expect(readyzFinding([{ ...living[0], apiUrl: 'http://127.0.0.1:4000' } as ProcessInfo], {}, true)).toMatchObject([
      { level: 'fail', nextStep: expect.stringContaining('npm run service -- restart') },
    ])
  })
})

test('a clock that could not be compared is a warning', () => {
  const reason = 'The database does not answer, so the clocks could not be compared'
  expect(clockFinding({ ready: true, reason })).toMatchObject({ level: 'warn', found: reason })
  expect(clockFinding({ ready: true, reason: null })).toMatchObject({ level: 'ok' })
})

test('whether the database is reached is said by the processes that run', () => {
  const own = { ...fail('database', 'The database refuses the password', 'Correct it') }
  const part = { ready: true, state: 'READY', reason: null, nextStep: null, isRequired: true } as const
  expect(withParts([own], { database: part })).toMatchObject([
    { level: 'ok', found: expect.stringContaining('refuses') },
  ])
  expect(withParts([own], {})).toEqual([own])
})

test('what the running processes find wrong is said in their words, and what is well keeps its numbers', () => {
  const part = { ready: true, state: 'READY', reason: null, nextStep: null, isRequired: true } as const
  const lost = {
    ...part,
    ready: false,
    state: 'ENGINE_TAKEN',
    reason: 'Another Berth has it',
    nextStep: 'Stop it',
  } as const
  const found = withParts([ok('engine', 'Docker Engine 28'), ok('dataDisk', '20 GB free')], {
    engine: { ...lost, isRequired: false },
    dataDisk: part,
    worker: lost,
  })
  expect(found).toEqual([
    { ...warn('engine', 'Another Berth has it', 'Stop it'), state: 'ENGINE_TAKEN' },
    ok('dataDisk', '20 GB free'),
    { ...fail('worker', 'Another Berth has it', 'Stop it'), state: 'ENGINE_TAKEN' },
  ])
})
