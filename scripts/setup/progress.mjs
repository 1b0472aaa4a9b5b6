const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 120
const LINE_SECONDS = 10
const CLEAR_TO_END = '\x1b[K'

/**
 * Shows that a step goes on: on a terminal, in one line that changes; elsewhere, where a line can only be added, in one
 * every ten seconds. Returns `end(outcome)`, where '' is success.
 */
export function showProgress(label, state) {
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1000
  const now = () => [`${Math.floor(seconds())} s`, state()].filter(Boolean).join(', ')
  const outcomeLine = (outcome) =>
    `  ${label} … ${[outcome, `${seconds().toFixed(1)} s`].filter(Boolean).join(' after ')}\n`
  const show = process.stdout.isTTY && process.env.TERM !== 'dumb' ? onTerminal : inLines
  return { end: show(label, now, outcomeLine) }
}

function onTerminal(label, now, outcomeLine) {
  let frame = 0
  const draw = () => {
    frame = (frame + 1) % FRAMES.length
    // A line that is too long would wrap, and stay.
    const line = `${FRAMES[frame]} ${label} … ${now()}`.slice(0, (process.stdout.columns || 80) - 1)
    process.stdout.write(`\r${line}${CLEAR_TO_END}`)
  }
  draw()
  const timer = setInterval(draw, FRAME_MS)
  return (outcome) => {
    clearInterval(timer)
    process.stdout.write(`\r${outcomeLine(outcome)}`.replace('\n', `${CLEAR_TO_END}\n`))
  }
}

function inLines(label, now, outcomeLine) {
  process.stdout.write(`  ${label} …\n`)
  const timer = setInterval(() => process.stdout.write(`    ${now()}\n`), LINE_SECONDS * 1000)
  return (outcome) => {
    clearInterval(timer)
    process.stdout.write(outcomeLine(outcome))
  }
}
