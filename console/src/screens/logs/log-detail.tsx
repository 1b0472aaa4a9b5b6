import { visibleText } from '../../../../text/visible-text.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Facts } from '../../ui/page.tsx'
import { formatTime } from '../../ui/time.tsx'
import { fieldsOf } from './line-text.tsx'
import type { Versions } from './log-list.tsx'
import type { LineRow } from './log-rows.ts'
import styles from './logs.module.css'

interface LogDetailProps {
  /** Oldest first. */
  lines: readonly LineRow[]
  versions: Versions
  onCopy: () => void
  onCopyLink: () => void
  onAround: () => void
  onSearch: (text: string) => void
  onContainer: (name: string) => void
  onClose: () => void
  /** Whether there is room for all that a line says. */
  isOpen: boolean
}

/** What is selected: what can be done with it, and of a single line all that it says. */
export function LogDetail({
  lines,
  versions,
  onCopy,
  onCopyLink,
  onAround,
  onSearch,
  onContainer,
  onClose,
  isOpen,
}: LogDetailProps) {
  const [line] = lines
  if (!line) return null
  const fields = lines.length === 1 ? fieldsOf(line) : null
  return (
    <section className={styles.detail} aria-label="Selected lines">
      <div className={styles.detailHead}>
        <p role="status">{lines.length === 1 ? 'One line' : `${lines.length} lines`} selected</p>
        <div className="row">
          <Button icon="copy" onClick={onCopy}>
            Copy
          </Button>
          <Button icon="link" onClick={onCopyLink}>
            Copy link
          </Button>
          <Button icon="scrollText" onClick={onAround}>
            Show around
          </Button>
        </div>
        <IconButton icon="x" label="Close" onClick={onClose} />
      </div>
      {lines.length === 1 && (
        <details className={styles.facts} open={isOpen}>
          <summary>What it says</summary>
          <Facts
            of={[
              ['Time', formatTime(line.at, 'exact')],
              ['Version', versions.text(line.contentId)],
              [
                'Container',
                <button
                  key="container"
                  type="button"
                  className={styles.value}
                  onClick={() => onContainer(line.container)}
                  title="Only its lines"
                >
                  {visibleText(line.container)}
                </button>,
              ],
              ['Stream', line.isError ? 'stderr' : 'stdout'],
              ...(fields ?? []).map(
                ({ name, value }) =>
                  [
                    visibleText(name),
                    <button
                      key={name}
                      type="button"
                      className={styles.value}
                      onClick={() => onSearch(value)}
                      title="Search for it"
                    >
                      {visibleText(value)}
                    </button>,
                  ] as const,
              ),
            ]}
          />
        </details>
      )}
    </section>
  )
}
