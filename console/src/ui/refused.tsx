import { useEffect, useState } from 'react'
import type { Refusal } from '../graphql/refusal.ts'
import { Button } from './button.tsx'
import { Copy } from './copy.tsx'
import { Icon } from './icons.tsx'
import styles from './refused.module.css'

/** What the API says of a refusal, what to do about it, and how to try again. Only the part that failed shows it. */
export function Refused({ refusal, onRetry }: { refusal: Refusal; onRetry?: () => void }) {
  const step = useNextStep(refusal)
  return (
    <div className={styles.refused} role="alert">
      <Icon name={refusal.code === 'FORBIDDEN' ? 'shield' : 'circleAlert'} />
      <div className="stack tight">
        <p>{refusal.message}</p>
        {step && <p className="soft">{step}</p>}
        {refusal.retryAfterSeconds && <p className="soft">Try again in {refusal.retryAfterSeconds} s.</p>}
        <p className="row">
          {onRetry && (
            <Button icon="refreshCw" onClick={onRetry}>
              Try again
            </Button>
          )}
          <span className="soft mono">{[refusal.code, refusal.reason].filter(Boolean).join(' ')}</span>
          {refusal.requestId && <Copy text={refusal.requestId} label="Copy the request id" />}
        </p>
      </div>
    </div>
  )
}

/** Of `/docs/errors`; loaded with the first refusal, because it is long. */
function useNextStep({ code, reason }: Refusal): string | null {
  const [step, setStep] = useState<string | null>(null)
  useEffect(() => {
    let isWanted = true
    void import('../graphql/next-steps.ts').then(({ nextStep }) => {
      if (isWanted) setStep(nextStep(code, reason))
    })
    return () => {
      isWanted = false
    }
  }, [code, reason])
  return step
}
