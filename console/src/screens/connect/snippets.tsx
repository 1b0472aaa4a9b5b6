import type { Snippet } from '../../../../text/connection-snippets.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import { Copy } from '../../ui/copy.tsx'
import styles from './connect.module.css'

/** Each with its tool before it, and a button that copies it. */
export function Snippets({ of }: { of: readonly Snippet[] }) {
  return (
    <dl className={styles.snippets}>
      {of.map(({ tool, code }) => (
        <div key={tool} className={styles.snippet}>
          <dt>{tool}</dt>
          <dd>
            <pre>{visibleText(code)}</pre>
            <Copy text={code} label={`Copy for ${tool}`} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
