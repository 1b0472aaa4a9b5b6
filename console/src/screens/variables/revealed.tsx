import { useEffect, useState } from 'react'
import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import { readUncached } from '../../graphql/read-secret.ts'
import type { Refusal } from '../../graphql/refusal.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Refused } from '../../ui/refused.tsx'
import { RevealedVariables } from './documents.ts'
import styles from './variables.module.css'

const SHOWN_MS = 30_000

interface RevealedProps {
  env: string
  name: string
  missing: string | null
  onReplace: () => void
}

/** A secret: masked, shown for a while to those who may see it, or replaced. */
export function Revealed({ env, name, missing, onReplace }: RevealedProps) {
  const [value, setValue] = useState<string | null>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [isReading, setReading] = useState(false)
  const missingReveal = useMissing('variable:reveal')
  useEffect(() => {
    if (value === null) return
    const hide = () => setValue(null)
    const timer = setTimeout(hide, SHOWN_MS)
    document.addEventListener('visibilitychange', hide)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', hide)
    }
  }, [value])
  const reveal = async () => {
    setReading(true)
    const { data, refusal: refused } = await readUncached(RevealedVariables, { env })
    setReading(false)
    setRefusal(refused)
    setValue(data?.appEnv?.variables.find((one) => one.name === name)?.value ?? null)
  }
  return (
    <div className="stack tight">
      <div className={styles.masked}>
        {value === null ? (
          <span className="soft" title="A secret">
            ••••••••
          </span>
        ) : (
          <code className={styles.revealed}>{visibleText(value)}</code>
        )}
        {value === null ? (
          <IconButton
            icon="eye"
            label={`Show ${name} for 30 s; the audit log names you`}
            missing={missingReveal}
            isBusy={isReading}
            onClick={reveal}
          />
        ) : (
          <>
            <Copy text={value} label={`Copy ${name}`} />
            <IconButton icon="eyeOff" label={`Hide ${name}`} onClick={() => setValue(null)} />
          </>
        )}
        <Button missing={missing} onClick={onReplace} aria-label={`Replace ${name}`}>
          Replace
        </Button>
      </div>
      {refusal && <Refused refusal={refusal} />}
    </div>
  )
}
