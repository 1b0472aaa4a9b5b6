import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import { preferences, usePreferences } from '../../ui/preferences.ts'
import { formatTime } from '../../ui/time.tsx'
import { numberText, type PlotLine, type Range } from './plots.ts'

/** A version that began to serve; seconds. */
export interface Mark {
  at: number
  label: string
}

interface PlotCanvasProps {
  times: number[]
  lines: readonly PlotLine[]
  range: Range
  marks: readonly Mark[]
  /** A line across: what the containers are allotted. */
  limit: number | null
  onCursor: (index: number | null) => void
  onRange: (range: Range) => void
}

const HEIGHT_PX = 180
const LEAST_DRAG_PX = 8
const DAY_SECONDS = 86_400

/** Colours of lines, in their order; a line that has no colour of its own is dashed. */
export const INKS = ['accent', 'info', 'warn', 'bad', 'good', 'soft'] as const
export const dashOf = (index: number): number[] => (index < INKS.length ? [] : [4 * Math.floor(index / INKS.length), 4])

/** The colour that a token has now: a canvas takes no custom properties. */
function inkOf(element: HTMLElement, token: string): string {
  element.style.color = `var(--${token})`
  const { color } = getComputedStyle(element)
  element.style.color = ''
  return color
}

/** Values without neighbours, which no line would show. */
const alone: UPlot.Series.Points.Filter = (plot, series) => {
  const values = plot.data[series] ?? []
  return [...values.keys()].filter((at) => values[at] != null && values[at - 1] == null && values[at + 1] == null)
}

/** Lines over time. Its cursor is that of all plots on the page; dragging chooses a range. */
export function PlotCanvas({ times, lines, range, marks, limit, onCursor, onRange }: PlotCanvasProps) {
  const frame = useRef<HTMLDivElement>(null)
  const { scheme, zone } = usePreferences()
  const listeners = useRef({ onCursor, onRange })
  listeners.current = { onCursor, onRange }
  // biome-ignore lint/correctness/useExhaustiveDependencies: other colours and another zone draw it again
  useEffect(() => {
    const element = frame.current
    if (!element) return
    let plot: UPlot | undefined
    const draw = () => {
      plot?.destroy()
      const ink = (token: string) => inkOf(element, token)
      const soft = ink('soft')
      const font = `12px ${getComputedStyle(element).fontFamily}`
      const isLong = range.to - range.from > DAY_SECONDS
      const isCoarse = matchMedia('(pointer: coarse)').matches
      plot = new UPlot(
        {
          width: element.clientWidth || 300,
          height: HEIGHT_PX,
          legend: { show: false },
          ...(preferences().zone === 'utc' ? { tzDate: (at) => UPlot.tzDate(new Date(at * 1000), 'Etc/UTC') } : {}),
          cursor: {
            sync: { key: 'metrics' },
            y: false,
            drag: { x: !isCoarse, y: false, setScale: false },
            points: { size: 6 },
          },
          scales: {
            x: { time: true, range: () => [range.from, range.to] },
            y: { range: (_plot, _least, most) => [0, most > 0 ? most * 1.15 : 1] },
          },
          axes: [
            {
              stroke: soft,
              font,
              size: 30,
              grid: { show: false },
              ticks: { stroke: ink('line'), width: 1, size: 4 },
              space: isLong ? 110 : 60,
              values: (_plot, splits) =>
                splits.map((at) => (isLong ? formatTime(at * 1000) : formatTime(at * 1000, 'clock').slice(0, 5))),
            },
            {
              stroke: soft,
              font,
              size: 52,
              space: 34,
              grid: { stroke: ink('line'), width: 1 },
              ticks: { show: false },
              values: (_plot, splits) => splits.map(numberText),
            },
          ],
          series: [
            {},
            ...lines.map(({ label }, index): UPlot.Series => {
              const stroke = ink(INKS[index % INKS.length] ?? 'accent')
              return {
                label,
                stroke,
                width: 1.5,
                dash: dashOf(index),
                points: { show: false, size: 4, fill: stroke, filter: alone },
              }
            }),
          ],
          hooks: {
            setCursor: [(self) => listeners.current.onCursor(self.cursor.idx ?? null)],
            setSelect: [
              (self) => {
                const { left, width } = self.select
                if (width < LEAST_DRAG_PX) return
                const chosen = { from: self.posToVal(left, 'x'), to: self.posToVal(left + width, 'x') }
                self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
                listeners.current.onRange(chosen)
              },
            ],
            draw: [(self) => drawMarks(self, { marks, limit, ink, font })],
          },
        },
        [times, ...lines.map(({ values }) => values)],
        element,
      )
    }
    draw()
    const query = matchMedia('(prefers-color-scheme: dark)')
    query.addEventListener('change', draw)
    let width = element.clientWidth
    const observer = new ResizeObserver(() => {
      if (element.clientWidth === width || element.clientWidth === 0) return
      width = element.clientWidth
      plot?.setSize({ width, height: HEIGHT_PX })
    })
    observer.observe(element)
    return () => {
      query.removeEventListener('change', draw)
      observer.disconnect()
      plot?.destroy()
    }
  }, [times, lines, range.from, range.to, marks, limit, scheme, zone])
  return <div ref={frame} aria-hidden="true" />
}

interface Drawn {
  marks: readonly Mark[]
  limit: number | null
  ink: (token: string) => string
  font: string
}

/** Versions as lines from top to bottom, with their names; the limit across. */
function drawMarks(plot: UPlot, { marks, limit, ink, font }: Drawn): void {
  const { ctx, bbox } = plot
  const ratio = devicePixelRatio
  ctx.save()
  ctx.lineWidth = ratio
  ctx.font = font.replace(/^\d+/, (size) => String(Number(size) * ratio))
  ctx.textBaseline = 'top'
  ctx.setLineDash([3 * ratio, 3 * ratio])
  ctx.strokeStyle = ctx.fillStyle = ink('info')
  let free = 0
  for (const { at, label } of marks) {
    const x = Math.round(plot.valToPos(at, 'x', true))
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
    const width = ctx.measureText(label).width
    const start = x + width + 4 * ratio > bbox.left + bbox.width ? x - width - 4 * ratio : x + 4 * ratio
    // Names of versions that came one upon another would cover each other.
    if (start < free) continue
    ctx.fillText(label, start, bbox.top)
    free = start + width
  }
  const y = limit === null ? -1 : Math.round(plot.valToPos(limit, 'y', true))
  if (y >= bbox.top && y <= bbox.top + bbox.height) {
    ctx.strokeStyle = ctx.fillStyle = ink('warn')
    ctx.beginPath()
    ctx.moveTo(bbox.left, y)
    ctx.lineTo(bbox.left + bbox.width, y)
    ctx.stroke()
    ctx.fillText('limit', bbox.left + 4 * ratio, y + 2 * ratio)
  }
  ctx.restore()
}
