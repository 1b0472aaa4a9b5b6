/** Signals by which programs mostly end. */
const SIGNALS: Readonly<Record<number, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  14: 'SIGALRM',
  15: 'SIGTERM',
}

const ABOVE_SIGNALS = 128

/** `exit code 3`, `killed (SIGKILL, exit code 137)`, `the command was not found (exit code 127)`. */
export function exitCodeText(code: number): string {
  const signal = SIGNALS[code - ABOVE_SIGNALS]
  const said = `exit code ${code}`
  if (code === 126) return `the command cannot be run (${said})`
  if (code === 127) return `the command was not found (${said})`
  if (!signal) return said
  if (signal === 'SIGKILL') return `killed (${signal}, ${said})`
  if (signal === 'SIGTERM') return `asked to end (${signal}, ${said})`
  if (signal === 'SIGSEGV') return `a memory fault (${signal}, ${said})`
  return `ended by ${signal} (${said})`
}
