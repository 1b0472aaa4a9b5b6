import { setTimeout as pause } from 'node:timers/promises'

const POLL_MS = 100
/** Three minutes on an idle machine. They are counted, because a machine may also be suspended for a while. */
const MAX_POLLS = 1_800

/** Waits until a state has come about, and returns what was read then; says what was read last when it does not. */
export async function eventually<T>(
  state: string,
  read: () => T | Promise<T>,
  isSo: (value: T) => boolean = Boolean,
): Promise<T> {
  let last: unknown
  for (let polls = 0; polls < MAX_POLLS; polls += 1) {
    try {
      const value = await read()
      if (isSo(value)) return value
      last = value
    } catch (error) {
      last = error
    }
    await pause(POLL_MS)
  }
  throw new Error(`Never came about: ${state}. Read last: ${last instanceof Error ? last.stack : JSON.stringify(last)}`)
}
