import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import { useSecret } from '../../graphql/read-secret.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Refused } from '../../ui/refused.tsx'
import { RevealedVariables } from './documents.ts'
import styles from './variables.module.css'

interface RevealedProps {
  env: string
  name: string
  missing: string | null
  onReplace: () => void
}

/** A secret: masked, shown for a while to those who may see it, or replaced. */
export function Revealed({ env, name, missing, onReplace }: RevealedProps) {
  const missingReveal = useMissing('variable:reveal')
  const secret = useSecret(RevealedVariables, { env })
  const value = secret.value?.appEnv?.variables.find((one) => one.name === name)?.value ?? null
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
            isBusy={secret.isReading}
            onClick={secret.show}
          />
        ) : (
          <>
            <Copy text={value} label={`Copy ${name}`} />
            <IconButton icon="eyeOff" label={`Hide ${name}`} onClick={secret.hide} />
          </>
        )}
        <Button missing={missing} onClick={onReplace} aria-label={`Replace ${name}`}>
          Replace
        </Button>
      </div>
      {secret.refusal && <Refused refusal={secret.refusal} />}
    </div>
  )
}
