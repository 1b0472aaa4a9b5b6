import { useEffect, useState } from 'react'
import { readUncached } from '../../graphql/read-uncached.ts'
import type { Refusal } from '../../graphql/refusal.ts'
import { Button } from '../../ui/button.tsx'
import { Empty, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { LogPage } from './documents.ts'
import { copiedLine } from './line-text.tsx'
import { filterVariables, type LogFilter } from './log-filter.ts'
import { isLine, type Row, withOlder } from './log-rows.ts'
import styles from './logs.module.css'

const PAGE = 1_000
const MAX_PAGES = 10

interface PlainState {
  rows: readonly Row[]
  isReading: boolean
  hasOlder: boolean
  refusal: Refusal | null
}

/** The newest lines that the filter leaves, as a text: for the browser’s own search, and to be saved. */
export function PlainLog({ env, filter, onBack }: { env: string; filter: LogFilter; onBack: () => void }) {
  const [{ rows, isReading, hasOlder, refusal }, setState] = useState<PlainState>({
    rows: [],
    isReading: true,
    hasOlder: false,
    refusal: null,
  })
  useEffect(() => {
    let isWanted = true
    const read = async () => {
      let read: readonly Row[] = []
      let after: string | null = null
      for (let page = 1; page <= MAX_PAGES && isWanted; page++) {
        const { data, refusal }: Awaited<ReturnType<typeof readPage>> = await readPage(env, filter, after)
        if (!isWanted) return
        if (!data?.logs) return setState({ rows: read, isReading: false, hasOlder: true, refusal })
        read = withOlder(read, [...data.logs.nodes].reverse())
        after = data.logs.pageInfo.endCursor
        const hasOlder = data.logs.pageInfo.hasNextPage
        setState({ rows: read, isReading: hasOlder && page < MAX_PAGES, hasOlder, refusal: null })
        if (!hasOlder) return
      }
    }
    void read()
    return () => {
      isWanted = false
    }
  }, [env, filter])
  const lines = rows.filter(isLine)
  return (
    <Section title="Plain text" actions={<Button onClick={onBack}>Back to the log</Button>}>
      <div className="stack tight">
        {refusal && <Refused refusal={refusal} />}
        <p className="soft" role="status">
          {isReading
            ? `${lines.length} lines, reading more`
            : hasOlder
              ? `The newest ${lines.length} lines. A download has all of them.`
              : `All ${lines.length} lines.`}
        </p>
        {isReading && lines.length === 0 ? (
          <Skeleton lines={12} />
        ) : lines.length === 0 ? (
          <Empty title="No line is like this" />
        ) : (
          <pre className={styles.plain}>{lines.map((line) => `${copiedLine(line, [])}\n`)}</pre>
        )}
      </div>
    </Section>
  )
}

const readPage = (env: string, filter: LogFilter, after: string | null) =>
  readUncached(LogPage, { env, ...filterVariables(filter), first: PAGE, after })
