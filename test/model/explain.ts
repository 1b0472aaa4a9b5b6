import { type Answer, type Command, decide, type State, work } from './model.ts'

/** One call as a caller saw it: when it asked, what it was answered, and when. */
export interface Call {
  by: number
  command: Command
  /** The revision that it insisted on. */
  expected: number | null
  /** As much of the answer as this API returns. */
  answer: Answer
  calledAt: number
  answeredAt: number
}

export interface Unexplained {
  explained: number
  state: State
  /** Calls of which one had to come next, with what the model would have answered. */
  stuck: { call: Call; answer: Answer }[]
}

/**
 * Searches for an order of the calls, and of the worker's steps between them, in which the model gives every answer
 * that was given; two calls of which one was answered before the other was made keep their order (Wing and Gong,
 * with memory as in Lowe's variant). Null when there is one; else how far the longest attempt came.
 */
export function explain(start: State, calls: readonly Call[], isFinal: (state: State) => boolean): Unexplained | null {
  const seen = new Set<string>()
  let best: Unexplained = { explained: -1, state: start, stuck: [] }

  function search(state: State, waiting: readonly Call[]): boolean {
    const key = `${waiting.map(({ by }) => by)}|${JSON.stringify(state)}`
    if (seen.has(key)) return false
    seen.add(key)
    if (waiting.length === 0 && isFinal(state)) return true
    const firstAnswer = Math.min(...waiting.map(({ answeredAt }) => answeredAt))
    const next = waiting.filter(({ calledAt }) => calledAt < firstAnswer)
    const result = next.map((call) => ({ call, step: decide(state, call.command, call.by, call.expected) }))
    const fitting = result.filter(({ call, step }) => fits(call.answer, step.answer))
    const without = (call: Call) => waiting.filter((one) => one !== call)
    // What changes nothing can as well come at once: it only makes room for others.
    const idle = fitting.find(({ step }) => step.next === state)
    if (idle) return search(state, without(idle.call))
    if (calls.length - waiting.length > best.explained) {
      const stuck = result.map(({ call, step }) => ({ call, answer: step.answer }))
      best = { explained: calls.length - waiting.length, state, stuck }
    }
    if (fitting.some(({ call, step }) => search(step.next, without(call)))) return true
    const worked = work(state)
    return worked !== null && search(worked, waiting)
  }

  return search(start, calls) ? null : best
}

const fits = (given: Answer, result: Answer): boolean =>
  Object.entries(given).every(([name, value]) => result[name] === value) && 'refusal' in given === 'refusal' in result
