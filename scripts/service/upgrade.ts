import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { z } from 'zod'
import { findCopy, restoreCopy } from '../../src/storage/database/database-copy.ts'
import { writeDurably } from '../../src/storage/files/durable-files.ts'
import { readFreeSpace } from '../../src/storage/files/free-space.ts'
import { Refusal } from '../refusal.ts'
import { askUnit, startUnit, systemctl } from './systemd.ts'
import { type Installation, unitOf } from './units.ts'

/** In the data directory: from where the last upgrade began. */
const RECORD = 'upgrade.json'
const UPGRADE = z.object({ from: z.string(), to: z.string(), at: z.iso.datetime() })
type Upgrade = z.infer<typeof UPGRADE>

/** For packages, the compiled program, and what a start writes. */
const NEEDED_MB = 1_500
const BYTES_PER_MB = 1024 * 1024
const GIT_MS = 5 * 60_000
const SETUP_MS = 20 * 60_000

/**
 * Fetches the branch's newest commit, sets it up while the present one serves, and restarts the unit. A version that does not get
 * ready is taken back. Killed at any time, it may be run again; `rollback` then goes back as well.
 */
export async function upgrade(here: Installation): Promise<void> {
  const unit = unitOf(here.name)
  if (askUnit(unit, ['ActiveState']).ActiveState !== 'active')
    throw new Refusal(
      `${unit} is not active: an upgrade begins with a Berth that is well. See: npm run service -- status`,
    )
  const { from, to } = findVersions(here.root)
  if (from === to) return console.log(`Berth is the newest of its branch: ${from.slice(0, 12)}`)
  await assertRoom(here)
  console.log(git(here.root, 'log', '--oneline', '--no-decorate', `${from}..${to}`))
  const record = { from, to, at: new Date().toISOString() }
  writeDurably(join(here.dataDir, RECORD), JSON.stringify(record))
  try {
    git(here.root, 'merge', '--quiet', '--ff-only', to)
    // The new version's own program, which also reads the settings.
    setUp(here, 'service', 'check', '--name', here.name)
    setUp(here, 'prepare')
  } catch (error) {
    git(here.root, 'reset', '--quiet', '--keep', from)
    throw new Refusal(`Nothing has changed, Berth runs on. ${(error as Error).message}`)
  }
  try {
    await startUnit('restart', unit)
  } catch (error) {
    console.error(`${(error as Error).message}\nGoing back to ${from.slice(0, 12)} …`)
    await restore(here, record)
    throw new Refusal(`The upgrade to ${to.slice(0, 12)} was taken back; ${from.slice(0, 12)} is ready again.`)
  }
  console.log(
    `Berth is ${to.slice(0, 12)} now. To go back, which loses what was written since: npm run service -- rollback`,
  )
}

/** To before the last upgrade, database included where that was migrated. */
export async function goBack(here: Installation, { isConfirmed }: { isConfirmed: boolean }): Promise<void> {
  const file = join(here.dataDir, RECORD)
  if (!existsSync(file)) throw new Refusal('There was no upgrade to go back from.')
  const record = UPGRADE.parse(JSON.parse(readFileSync(file, 'utf8')))
  const copy = findCopy(here.dataDir, new Date(record.at))
  const loss = copy
    ? `The database becomes that of ${statSync(copy).mtime.toISOString()}: what was written since is lost.`
    : 'The database was not migrated, and stays.'
  console.log(`Going back from ${record.to.slice(0, 12)} to ${record.from.slice(0, 12)}. ${loss}`)
  if (!isConfirmed && !(await isYes('Go back?'))) return console.log('Nothing was changed.')
  await restore(here, record)
  console.log(`${record.from.slice(0, 12)} is ready.`)
}

/** The database first: an older version cannot read the newer one, and a newer one migrates the older again. */
async function restore(here: Installation, record: Upgrade): Promise<void> {
  const unit = unitOf(here.name)
  systemctl('stop', unit)
  const copy = findCopy(here.dataDir, new Date(record.at))
  if (copy) restoreCopy(here.dataDir, copy)
  git(here.root, 'reset', '--quiet', '--keep', record.from)
  await startUnit('start', unit)
}

function findVersions(root: string): { from: string; to: string } {
  if (!existsSync(join(root, '.git'))) throw new Refusal(`${root} is no clone of git: update it as it was installed`)
  const changed = git(root, 'status', '--porcelain', '--untracked-files=no')
  if (changed) throw new Refusal(`Files of the clone were changed; put them back first:\n${changed}`)
  git(root, 'fetch', '--quiet')
  const from = git(root, 'rev-parse', 'HEAD')
  const to = git(root, 'rev-parse', '@{upstream}')
  if (git(root, 'merge-base', from, to) !== from)
    throw new Refusal('The branch has commits that its upstream lacks; merge or remove them first')
  return { from, to }
}

async function assertRoom({ dataDir }: Installation): Promise<void> {
  const freeMb = (await readFreeSpace(dataDir)).bytes / BYTES_PER_MB
  const folder = join(dataDir, 'postgres')
  const neededMb = NEEDED_MB + (existsSync(folder) ? sizeMb(folder) : 0)
  if (freeMb >= neededMb) return
  throw new Refusal(
    `An upgrade needs ${Math.ceil(neededMb)} MB on the disk of ${dataDir}, for packages and a copy of the database; ${Math.floor(freeMb)} MB are free`,
  )
}

function sizeMb(folder: string): number {
  const { stdout } = spawnSync('du', ['-sk', folder], { encoding: 'utf8', timeout: GIT_MS })
  return Number.parseInt(stdout, 10) / 1024 || 0
}

/** Otherwise a power cut within half a minute leaves branches that are empty files, and a clone that has no commit. */
const DURABLY = ['-c', 'core.fsync=all']

/** Throws what git says. As the owner of the clone, who can then still change it. */
function git(root: string, ...args: string[]): string {
  const result = run(root, 'git', [...DURABLY, ...args], GIT_MS)
  if (result.status !== 0) throw new Refusal(`git ${args[0]}: ${result.stderr.trim() || 'failed'}`)
  return result.stdout.trim()
}

function setUp({ root, node }: Installation, ...args: string[]): void {
  const result = run(root, node, ['scripts/berth.mjs', ...args], SETUP_MS)
  if (result.status !== 0)
    throw new Refusal(`The new version cannot be set up:\n${(result.stdout + result.stderr).trim().slice(-2_000)}`)
}

function run(root: string, program: string, args: readonly string[], timeout: number) {
  const { uid, gid } = statSync(root)
  const owner = process.getuid?.() === 0 && uid !== 0 ? { uid, gid, env: { ...process.env, HOME: homeOf(uid) } } : {}
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: root, encoding: 'utf8', timeout, ...owner })
  return { status, stdout: stdout ?? '', stderr: stderr || error?.message || '' }
}

/** Where the owner of the clone has keys for git. */
function homeOf(uid: number): string {
  const { stdout } = spawnSync('getent', ['passwd', `${uid}`], { encoding: 'utf8', timeout: GIT_MS })
  return stdout?.split(':')[5] || '/'
}

async function isYes(question: string): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(es)?$/i.test((await prompt.question(`${question} [y/N] `)).trim())
  } finally {
    prompt.close()
  }
}
