import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Failpoint } from '../../../src/fault-injection/failpoint.ts'

/** One pass of one failpoint, at work on one thing. */
export interface Pass {
  point: Failpoint
  subject: string
  /** The how many-th time it was passed, from 1. */
  pass: number
}

/** Orders to the processes and their reports, through one folder. */
export class Orders {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  /** Written aside and renamed, because processes read it at any moment. */
  arm(pass: Pass, signal: NodeJS.Signals, id: string): void {
    rmSync(this.#path('fired'), { force: true })
    writeFileSync(this.#path('draft'), JSON.stringify({ ...pass, signal, id }))
    renameSync(this.#path('draft'), this.#path('armed'))
  }

  /** True when the order was carried out. */
  disarm(): boolean {
    rmSync(this.#path('armed'), { force: true })
    return existsSync(this.#path('fired'))
  }

  get isFired(): boolean {
    return existsSync(this.#path('fired'))
  }

  /** The process that carried it out; null while none has. */
  get firedBy(): number | null {
    return this.isFired ? Number(readFileSync(this.#path('fired'), 'utf8')) : null
  }

  forgetPasses(): void {
    rmSync(this.#path('passes'), { force: true })
  }

  /** What was passed since, each point and subject with its passes counted, up to a number of each. */
  passes(isWanted: (subject: string) => boolean, maxPerPoint: number): Pass[] {
    const counts = new Map<string, number>()
    const path = this.#path('passes')
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
    return lines.flatMap((line) => {
      const [point = '', subject = ''] = line.split(' ')
      if (point === '' || !isWanted(subject)) return []
      const pass = (counts.get(line) ?? 0) + 1
      counts.set(line, pass)
      return pass <= maxPerPoint ? [{ point: point as Failpoint, subject, pass }] : []
    })
  }

  #path(name: string): string {
    return join(this.folder, name)
  }
}
