/** The window is kept in so many parts: what is left out of it is late by one of them at most. */
const PARTS = 100
const MIN_PART_MS = 500

/** The largest of the values that a number had within the last seconds. */
export class PeakWindow {
  private parts: { at: number; peak: number }[] = []

  private readonly seconds: () => number

  constructor(seconds: () => number) {
    this.seconds = seconds
  }

  record(value: number, now: number): void {
    const last = this.parts.at(-1)
    if (last && now - last.at < this.partMs) last.peak = Math.max(last.peak, value)
    else this.parts.push({ at: now, peak: value })
    if (this.parts.length > 2 * PARTS) this.dropOld(now)
  }

  of(now: number): number {
    this.dropOld(now)
    return this.parts.reduce((most, { peak }) => Math.max(most, peak), 0)
  }

  private get partMs(): number {
    return Math.max(MIN_PART_MS, (this.seconds() * 1000) / PARTS)
  }

  private dropOld(now: number): void {
    const since = now - this.seconds() * 1000 - this.partMs
    this.parts = this.parts.filter(({ at }) => at >= since)
  }
}
