import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startUnit } from '../../scripts/service/systemd.ts'
import { berthUnit, firewallUnit, type Installation, settingsText } from '../../scripts/service/units.ts'
import { settingsIn } from '../../scripts/setup/service-settings.mjs'

const ROOT = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'berth-service-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const installation: Installation = {
  name: 'berth',
  root: '/srv/my apps/100%',
  dataDir: '/srv/my apps/100%/.berth',
  user: 'root',
  node: '/usr/bin/node',
  settingsFile: '/etc/berth/berth.env',
  isFirewallRequired: false,
}

describe('the units of systemd', () => {
  test('start Berth after the engine, and again whenever it ends', () => {
    const unit = berthUnit(installation)
    expect(unit).toContain('ExecStart="/usr/bin/node" "/srv/my apps/100%%/scripts/berth.mjs" start\n')
    expect(unit).toContain('WorkingDirectory=/srv/my apps/100%%\n')
    expect(unit).toMatch(/^After=.*docker\.service/m)
    expect(unit).toContain('Restart=always')
    expect(unit).toContain('KillMode=mixed')
  })

  test('lay the rules before the engine, which does not start without them where they are required', () => {
    const unit = firewallUnit(installation)
    expect(unit).toMatch(/^Before=docker\.service/m)
    expect(unit).toContain('WantedBy=docker.service')
    expect(firewallUnit({ ...installation, isFirewallRequired: true })).toContain('RequiredBy=docker.service')
  })

  const verify = spawnSync('systemd-analyze', ['--version']).status === 0
  if (!verify) console.warn('Skipped: systemd-analyze is not installed')
  test.skipIf(!verify)('are correct in the eyes of systemd', () => {
    const here = { ...installation, root: ROOT, dataDir: folder, node: process.execPath }
    for (const [name, text] of [
      ['berth.service', berthUnit(here)],
      ['berth-firewall.service', firewallUnit(here)],
    ] as const) {
      writeFileSync(join(folder, name), text)
      const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', join(folder, name)], { encoding: 'utf8' })
      expect(stderr.split('\n').filter((line) => line.includes(name) && !/not found|bad unit/i.test(line))).toEqual([])
    }
  })
})

describe('the settings of the service', () => {
  test.each(['plain', 'two words', "it's", 'a "quoted" word', 'p$a`s\\s', '#no comment', ''])(
    'keep the value %j',
    (value) => {
      const file = join(folder, 'berth.env')
      writeFileSync(file, settingsText({ BERTH_ADMIN_TOKEN: value }))
      expect(settingsIn(file)).toEqual({ BERTH_ADMIN_TOKEN: value })
    },
  )

  test('refuse what no line can hold', () => {
    expect(() => settingsText({ BERTH_MASTER_KEY: 'a\nb' })).toThrow(/BERTH_MASTER_KEY_FILE/)
    expect(() => settingsText({ DATABASE_PASSWORD: `'"$` })).toThrow(/both kinds of quotes/)
  })
})

describe('a start by systemd', () => {
  const { PATH } = process.env
  const shown: string[] = []
  beforeAll(() => {
    process.env.PATH = `${join(import.meta.dirname, 'files/systemd')}:${PATH}`
    vi.spyOn(console, 'log').mockImplementation((line: string) => void shown.push(line))
  })
  afterAll(() => {
    process.env.PATH = PATH
    vi.restoreAllMocks()
  })

  test('shows what the unit says, for people, and not more than can be read', async () => {
    await startUnit('restart', 'berth.service')
    expect(shown[0]).toBe('  Installing packages …')
    expect(shown[1]).toMatch(/worker.*Images are swept$/)
    expect(shown.at(-1)).toBe('  … and more: journalctl -u berth.service -f')
    expect(shown).toHaveLength(201)
  })

  test('that fails is refused with what the unit said last', async () => {
    await expect(startUnit('restart', 'broken.service')).rejects.toThrow(
      /broken.service does not start.*the last words/s,
    )
  })
})

test('where systemd does not run, the units are printed, and everything else says so', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ['scripts/service.ts', ...args], { cwd: ROOT, encoding: 'utf8' })
  const printed = run('print')
  expect(printed.status).toBe(0)
  expect(printed.stdout).toContain('[Service]')
  expect(run('prune')).toMatchObject({ status: 1, stderr: expect.stringContaining('no service command "prune"') })
  if (execFileSync('ls', ['/run'], { encoding: 'utf8' }).split('\n').includes('systemd')) return
  expect(run('install')).toMatchObject({ status: 1, stderr: expect.stringContaining('does not run systemd') })
})
