/** Work in pieces: each is short, and others may be served before the next. */
export interface InPieces {
  /** Does one piece, and joins again if there are more. */
  doPiece(): void
}

/**
 * Work that one turn of the event loop is too short for. In each later turn, the one that has waited longest does a piece;
 * between them, the loop reads what other connections have sent.
 */
export class Turns {
  private readonly waiting: InPieces[] = []
  private isScheduled = false

  /** Must not be called again for work that still waits. */
  join(work: InPieces): void {
    this.waiting.push(work)
    this.schedule()
  }

  private schedule(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    setImmediate(this.serve)
  }

  private readonly serve = (): void => {
    this.isScheduled = false
    this.waiting.shift()?.doPiece()
    if (this.waiting.length > 0) this.schedule()
  }
}

/** Shared by the whole process, as its event loop is. */
export const turns = new Turns()
