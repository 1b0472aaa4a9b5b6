import { visibleText } from '../../../text/visible-text.ts'
import styles from './changes.module.css'
import { wordsOf } from './status.tsx'

export interface Change {
  field: string
  from: unknown
  to: unknown
  kind?: string
}

/** What changes, from what to what: added in green, removed in red, and in words for those who see no colours. */
export function Changes({
  changes,
  from = 'Now',
  to = 'Then',
}: {
  changes: readonly Change[]
  from?: string
  to?: string
}) {
  return (
    <table className={styles.changes}>
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">{from}</th>
          <th scope="col">{to}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <tr key={`${change.field} ${change.kind}`}>
            <th scope="row">{visibleText(fieldText(change.field))}</th>
            <td className={styles.from}>
              <Value of={change.from} />
            </td>
            <td className={styles.to}>
              <Value of={change.to} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** `envVars.LOG_LEVEL` as `LOG_LEVEL`; `zClouds` as it is. */
const fieldText = (field: string) => field.replace(/^(?:envVars|variables)\./, '')

function Value({ of }: { of: unknown }) {
  if (of === null || of === undefined) return <span className="soft">none</span>
  if (typeof of === 'boolean') return <>{of ? 'yes' : 'no'}</>
  if (typeof of === 'object') return <code>{visibleText(JSON.stringify(of))}</code>
  return <code>{visibleText(/^[A-Z][A-Z_]+$/.test(String(of)) ? wordsOf(String(of)) : String(of))}</code>
}
