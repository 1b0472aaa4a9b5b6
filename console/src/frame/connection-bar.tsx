import { useEffect, useState } from 'react'
import { tryNow, useConnection } from '../graphql/connection.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icons.tsx'
import { formatTime } from '../ui/time.tsx'
import styles from './frame.module.css'

/** A moment without a connection is not worth a word. */
const SILENT_MS = 1_200
const SECOND_MS = 1_000

/** Says that the page is not live, since when, and when it tries again. What was read stays, "as of" then. */
export function ConnectionBar() {
  const connection = useConnection()
  const isLost = connection.state === 'LOST'
  const [isShown, setShown] = useState(false)
  const [present, setPresent] = useState(Date.now())
  useEffect(() => {
    if (!isLost) return setShown(false)
    const timer = setTimeout(() => setShown(true), SILENT_MS)
    const clock = setInterval(() => setPresent(Date.now()), SECOND_MS)
    return () => {
      clearTimeout(timer)
      clearInterval(clock)
    }
  }, [isLost])
  const isSaid = isLost && isShown
  return (
    <div role="status">
      {isSaid && (
        <p className={styles.notLive}>
          <Icon name="triangleAlert" className="warn" />
          <span>
            {connection.isStopping ? 'Berth restarts. ' : ''}
            {connection.since ? `Not live since ${formatTime(connection.since, 'clock')}` : 'Not live'}
            {connection.retryAt
              ? `, trying again in ${Math.max(0, Math.ceil((connection.retryAt - present) / SECOND_MS))} s.`
              : ', trying now.'}{' '}
            What you see is as of then.
          </span>
          <Button onClick={tryNow}>Try now</Button>
        </p>
      )}
    </div>
  )
}
