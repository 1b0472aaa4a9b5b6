import { memo, useMemo, useState } from 'react'
import { visibleText } from '../../../../text/visible-text.ts'
import { Section } from '../../ui/page.tsx'
import { formatTime } from '../../ui/time.tsx'
import styles from './metrics.module.css'
import { INKS, type Mark, PlotCanvas } from './plot-canvas.tsx'
import { numberText, type PlotLine, type Range } from './plots.ts'

interface PlotCardProps {
  title: string
  unit: string
  times: number[]
  lines: readonly PlotLine[]
  range: Range
  marks: readonly Mark[]
  limit: number | null
  /** Why there may be nothing. */
  whyEmpty: string
  onRange: (range: Range) => void
}

const MAX_TABLE_ROWS = 200

/** A plot with the values where the cursor is, or the last ones; and the same as a table. */
export const PlotCard = memo(function PlotCard({
  title,
  unit,
  times,
  lines,
  range,
  marks,
  limit,
  whyEmpty,
  onRange,
}: PlotCardProps) {
  const [cursor, setCursor] = useState<number | null>(null)
  const [isTable, setTable] = useState(false)
  // Where the cursor is says nothing new about the lines: another list would draw them again.
  const shown = useMemo(() => lines.filter(({ values }) => values.some((value) => value !== null)), [lines])
  const last = times.findLastIndex((_, index) => shown.some(({ values }) => values[index] !== null))
  const at = cursor ?? last
  return (
    <Section
      title={
        <>
          {title} {unit && <span className={styles.unit}>{unit}</span>}
        </>
      }
    >
      {shown.length === 0 ? (
        <p className="soft">{whyEmpty}</p>
      ) : (
        <div className="stack tight">
          <ul className={styles.legend} aria-label={`Values at ${formatTime((times[at] ?? 0) * 1000)}`}>
            {shown.map(({ label, values }, index) => (
              <li key={label}>
                <span
                  className={styles.ink}
                  data-ink={INKS[index % INKS.length]}
                  data-dashed={index >= INKS.length || undefined}
                />
                <span className="soft">{visibleText(label)}</span> <b>{valueText(values[at])}</b>
              </li>
            ))}
            <li className="soft">{formatTime((times[at] ?? 0) * 1000)}</li>
          </ul>
          <PlotCanvas
            times={times}
            lines={shown}
            range={range}
            marks={marks}
            limit={limit}
            onCursor={setCursor}
            onRange={onRange}
          />
          <details onToggle={(event) => setTable(event.currentTarget.open)}>
            <summary className="soft">As a table</summary>
            {isTable && <PlotTable title={title} unit={unit} times={times} lines={shown} />}
          </details>
        </div>
      )}
    </Section>
  )
})

const valueText = (value: number | null | undefined) =>
  value === null || value === undefined ? '–' : numberText(value)

/** Newest first; steps without a value are left out. */
function PlotTable({ title, unit, times, lines }: Pick<PlotCardProps, 'title' | 'unit' | 'times' | 'lines'>) {
  const rows = times
    .map((time, index) => ({ time, values: lines.map(({ values }) => values[index]) }))
    .filter(({ values }) => values.some((value) => value !== null))
    .reverse()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
    <section className={styles.table} tabIndex={0} aria-label={`${title} as a table`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {lines.map(({ label }) => (
              <th key={label} scope="col">
                {visibleText(label)} {unit}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_TABLE_ROWS).map(({ time, values }) => (
            <tr key={time}>
              <th scope="row">{formatTime(time * 1000)}</th>
              {lines.map(({ label }, index) => (
                <td key={label}>{valueText(values[index])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MAX_TABLE_ROWS && (
        <p className="soft">
          The newest {MAX_TABLE_ROWS} of {rows.length}. A shorter time has all of its own.
        </p>
      )}
    </section>
  )
}
