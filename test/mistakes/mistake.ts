import { setTimeout as pause } from 'node:timers/promises'
import type { FreshBerth } from '../trust/trust-case.ts'

const READ_EVERY_MS = 100
const GIVE_UP_MS = 150_000

export interface Scene {
  berth: FreshBerth
  /** An image with Node.js that the engine has; empty where there is no engine. */
  image: string
  /** Takes the engine away from Berth, for good. */
  stopEngine(): Promise<void>
  /** Called right before the mistake: the time counts from here. */
  begin(): void
  /** Undone when the mistake has been read. */
  undo: AsyncDisposableStack
}

/** What a beginner does wrong, and what Berth must say of it. */
export interface Mistake {
  title: string
  /** Where a beginner reads it: the answer to the request, `GET /app-env/status`, or the terminal of `npm start`. */
  where: 'answer' | 'status' | 'terminal'
  needsEngine: boolean
  says: RegExp
  /** Returns how to read what Berth says of it. */
  make(scene: Scene): Promise<() => string | Promise<string>>
}

export interface Said {
  seconds: number
  message: string
}

/** Makes the mistake, and reads until Berth has said what is wrong. Throws with what it said instead. */
export async function sayingOf(mistake: Mistake, scene: Omit<Scene, 'begin' | 'undo'>): Promise<Said> {
  await using undo = new AsyncDisposableStack()
  let since = performance.now()
  const begin = () => {
    since = performance.now()
  }
  const read = await mistake.make({ ...scene, undo, begin })
  for (;;) {
    const message = await read()
    const ms = performance.now() - since
    if (mistake.says.test(message)) return { seconds: ms / 1000, message: message.trim() }
    if (ms > GIVE_UP_MS) throw new Error(`Not said within ${GIVE_UP_MS / 1000} s; instead: ${message}`)
    await pause(READ_EVERY_MS)
  }
}
