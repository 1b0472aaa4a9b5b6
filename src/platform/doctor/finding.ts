import { type ReportedPart, reportedPart } from '../../api/server/health.ts'
import type { PartFault, PartState } from '../../domain/part-states.ts'

/** `fail`: something does not work. `warn`: it works, and an operator should know. */
export type Level = 'ok' | 'warn' | 'fail'

/** What one check found, and what to do about it. Holds no secrets. */
export interface Finding {
  name: string
  level: Level
  found: string
  nextStep: string | null
  /** As in `/readyz`; null where that has no word for it. */
  state: PartFault | null
}

export const ok = (name: string, found: string): Finding => ({ name, level: 'ok', found, nextStep: null, state: null })

export const warn = (name: string, found: string, nextStep: string): Finding => ({
  name,
  level: 'warn',
  found,
  nextStep,
  state: null,
})

export const fail = (name: string, found: string, nextStep: string): Finding => ({
  name,
  level: 'fail',
  found,
  nextStep,
  state: null,
})

/** A part as `/readyz` has it. */
export function ofReportedPart(name: string, part: ReportedPart): Finding {
  const { ready, state, reason, nextStep, isRequired } = part
  if (state === 'READY') return ok(name, reason ?? 'ready')
  const level = !ready && isRequired ? 'fail' : 'warn'
  return { name, level, found: reason ?? 'not ready', nextStep, state }
}

/** A check that `/readyz` makes as well, in its words. `found`: what to say where nothing is wrong. */
export const ofPart = (name: string, part: PartState, found: string): Finding => {
  const finding = ofReportedPart(name, reportedPart(part, true))
  return finding.level === 'ok' ? ok(name, found) : finding
}

/** `ok    engine: Docker Engine 28.5.2`, and after a dash what to do. */
export const lineOf = ({ name, level, found, nextStep }: Finding): string =>
  `${level.padEnd(4)}  ${name}: ${withoutFullStop(found)}${nextStep ? ` — ${nextStep}` : ''}`

const withoutFullStop = (text: string) => text.replace(/\.$/, '')
