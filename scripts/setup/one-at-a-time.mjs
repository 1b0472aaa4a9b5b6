import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bootId } from './boot-id.mjs'
import { SetupError, step } from './step.mjs'

const POLL_MS = 200
const WAIT_MINUTES = 15
const ENDED = ''

/**
 * Does `work` unless `isDone()`. Of several commands that find it missing in one clone, one does it and the others wait:
 * two installs at once break each other. `work` gets `keepFor(child)`: a program that outlives its command keeps the
 * others waiting as well.
 */
export async function oneAtATime(root, isDone, work) {
  if (await isDone()) return
  const turn = await takeTurn(root)
  try {
    if (!(await isDone())) await work(turn.keepFor)
  } finally {
    turn.end()
  }
}

/**
 * Turns are files with rising numbers, each with the ids of the processes that have it, none once it has ended, and the
 * boot that these are of. The newest file stays, so that a number is never given twice.
 */
async function takeTurn(root) {
  // Not below node_modules, which `npm ci` empties.
  const folder = join(root, '.setup')
  mkdirSync(folder, { recursive: true })
  const deadline = Date.now() + WAIT_MINUTES * 60_000
  const next = () => {
    const newest = turnsIn(folder).at(-1) ?? 0
    return livingOf(folder, newest).length === 0 && claim(folder, newest + 1)
  }
  const turn = next()
  if (turn) return turn
  return step('Waiting for another command to set Berth up in this folder', async () => {
    while (Date.now() < deadline) {
      const turn = next()
      if (turn) return turn
      await sleep(POLL_MS)
    }
    const newest = turnsIn(folder).at(-1)
    throw new SetupError(
      `Process ${livingOf(folder, newest).join(' and ')} has been setting Berth up in this folder for more than ${WAIT_MINUTES} minutes.\n` +
        `End it and start again. If it is not Berth's: delete ${folder}.`,
    )
  })
}

/** The turn, or null if another process was faster. */
function claim(folder, number) {
  const file = join(folder, `${number}`)
  const holders = [`boot=${bootId()}`, process.pid]
  // Linked when it is written, so that nobody reads half of it.
  const unfinished = join(folder, `claim-${process.pid}`)
  writeFileSync(unfinished, holders.join(' '))
  try {
    linkSync(unfinished, file)
  } catch (error) {
    if (error.code === 'EEXIST') return null
    throw error
  } finally {
    rmSync(unfinished, { force: true })
  }
  const turns = turnsIn(folder)
  // The number was given, and its file removed, since this process has looked.
  if (turns.at(-1) !== number) {
    rmSync(file, { force: true })
    return null
  }
  for (const older of turns.slice(0, -1)) rmSync(join(folder, `${older}`), { force: true })
  const write = () => writeFileSync(file, holders.join(' '))
  return {
    keepFor: (child) => {
      if (!child.pid) return
      holders.push(child.pid)
      write()
    },
    end: () => writeFileSync(file, ENDED),
  }
}

const turnsIn = (folder) =>
  readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b)

/** Processes that still have this turn. */
function livingOf(folder, number) {
  return idsIn(join(folder, `${number}`)).filter((id) => id !== process.pid && isAlive(id))
}

function idsIn(file) {
  try {
    const [first = '', ...others] = readFileSync(file, 'utf8').split(' ').filter(Boolean)
    if (!first.startsWith('boot=')) return [first, ...others].filter(Boolean).map(Number)
    // After a boot the same numbers are those of other programs.
    return first === `boot=${bootId()}` ? others.map(Number) : []
  } catch (error) {
    if (error.code === 'ENOENT') return []
    throw error
  }
}

function isAlive(id) {
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
