import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { giveHighestPriority } from './client-priority.ts'
import type { OpenLoopReport } from './open-loop-process.ts'

const PROGRAM = join(import.meta.dirname, 'open-loop-process.ts')
const WARM_UP_MS = 3_000

/** Asks at a steady pace, from a process of its own and before everything else on this machine. */
export class OpenLoopClient {
  private readonly child: ChildProcess

  private constructor(child: ChildProcess) {
    this.child = child
  }

  /** Warmed up; the arguments are those of the program. */
  static async start(...args: string[]): Promise<OpenLoopClient> {
    const child = fork(PROGRAM, args, { detached: true })
    if (child.pid !== undefined) await giveHighestPriority(child.pid)
    const client = new OpenLoopClient(child)
    await client.during(() => pause(WARM_UP_MS))
    return client
  }

  async during(work: () => Promise<void>): Promise<OpenLoopReport> {
    this.child.send('begin')
    await work()
    const reported = once(this.child, 'message')
    this.child.send('end')
    return (await reported)[0] as OpenLoopReport
  }

  end(): void {
    this.child.disconnect()
  }
}
