import type { AttemptContext } from '../attempt/attempt-context.ts'

/** The operation's deadline ends a command in any case. */
export const secondsLeft = ({ deadline }: AttemptContext): number => Math.max(1, Math.ceil(deadline.leftMs / 1000))
