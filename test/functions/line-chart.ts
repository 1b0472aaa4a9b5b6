export interface Line {
  name: string
  color: string
  /** Seconds and values, by time. */
  points: readonly (readonly [seconds: number, value: number])[]
}

export interface Panel {
  title: string
  lines: readonly Line[]
}

const WIDTH = 900
const PANEL = { height: 180, left: 60, right: 150, top: 30, bottom: 25 }
const GRID = 4

/** Draws panels below each other over the same time, as SVG. */
export function drawPanels(title: string, panels: readonly Panel[]): string {
  const seconds = Math.max(1, ...panels.flatMap(({ lines }) => lines.flatMap(({ points }) => points.map(([at]) => at))))
  const height = 40 + panels.length * PANEL.height
  const drawn = panels.map((panel, index) => drawPanel(panel, seconds, 40 + index * PANEL.height))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="white"/>
<text x="${PANEL.left}" y="22" font-size="15" font-weight="bold">${title}</text>
${drawn.join('\n')}
</svg>
`
}

function drawPanel({ title, lines }: Panel, seconds: number, top: number): string {
  const most = Math.max(1, ...lines.flatMap(({ points }) => points.map(([, value]) => value)))
  const [width, height] = [WIDTH - PANEL.left - PANEL.right, PANEL.height - PANEL.top - PANEL.bottom]
  const x = (at: number) => (PANEL.left + (at / seconds) * width).toFixed(1)
  const y = (value: number) => (top + PANEL.top + height - (value / most) * height).toFixed(1)
  const grid = Array.from({ length: GRID + 1 }, (_, step) => {
    const [value, at] = [(most * step) / GRID, (seconds * step) / GRID]
    return `<line x1="${x(0)}" x2="${x(seconds)}" y1="${y(value)}" y2="${y(value)}" stroke="#ddd"/>
<text x="${PANEL.left - 6}" y="${y(value)}" dy="4" text-anchor="end">${Number(value.toFixed(1))}</text>
<text x="${x(at)}" y="${y(0)}" dy="16" text-anchor="middle">${at.toFixed(0)} s</text>`
  })
  const curves = lines.map(({ name, color, points }, index) => {
    const path = points.map(([at, value]) => `${x(at)},${y(value)}`).join(' ')
    return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="1.8"/>
<text x="${WIDTH - PANEL.right + 10}" y="${top + PANEL.top + 14 + index * 18}" fill="${color}">${name}</text>`
  })
  return `<text x="${PANEL.left}" y="${top + 20}" font-weight="bold">${title}</text>\n${[...grid, ...curves].join('\n')}`
}
