import { networkOf } from './trusted-proxies.ts'

/** How much each client address has in progress. */
export class ClientLoad {
  private readonly counts = new Map<string, number>()
  readonly most: number

  constructor(most: number) {
    this.most = most
  }

  /** Counts one more. False, and not counted, when the address has as many as it may. */
  tryEnter(address: string): boolean {
    const key = networkOf(address)
    const count = this.counts.get(key) ?? 0
    if (count >= this.most) return false
    this.counts.set(key, count + 1)
    return true
  }

  /** Must be called once for every `tryEnter` that succeeded. */
  leave(address: string): void {
    const key = networkOf(address)
    const count = (this.counts.get(key) ?? 0) - 1
    if (count > 0) this.counts.set(key, count)
    else this.counts.delete(key)
  }
}
