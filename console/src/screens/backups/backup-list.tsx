import { useState } from 'react'
import { durationText } from '../../../../text/duration.ts'
import { sizeText } from '../../../../text/size.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import { linkable } from '../../environment/environment-text.tsx'
import { readUncached } from '../../graphql/read-uncached.ts'
import type { Refusal } from '../../graphql/refusal.ts'
import { useDryRun } from '../../graphql/use-dry-run.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Refused } from '../../ui/refused.tsx'
import { useRowKeys } from '../../ui/row-keys.ts'
import { outcomeOf, Status } from '../../ui/status.tsx'
import { formatTime, Time } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'
import { type Backup, backupText, kindOf, storageText } from './backup-text.ts'
import styles from './backups.module.css'
import { DeleteBackup, DownloadBackup, VerifyBackup } from './documents.ts'
import type { Storage } from './storage-field.tsx'

interface BackupListProps {
  env: string
  appEnvId: string
  backups: readonly Backup[]
  storages: readonly Storage[]
  onDeleted: () => void
}

export function BackupList({ env, appEnvId, backups, storages, onDeleted }: BackupListProps) {
  const rows = useRowKeys<HTMLTableSectionElement>('backup')
  const [chosen, setChosen] = useState<{ backup: Backup; to: 'DELETE' | 'DOWNLOAD' } | null>(null)
  const verify = useWrite(VerifyBackup)
  const missing = {
    verify: useMissing('backup:create'),
    restore: useMissing('backup:restore'),
    download: useMissing('backup:download'),
    remove: useMissing('backup:delete'),
  }
  const close = () => setChosen(null)
  return (
    <>
      {verify.refusal && <Refused refusal={verify.refusal} />}
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Taken</th>
            <th scope="col">Status</th>
            <th scope="col">Verified</th>
            <th scope="col">Why</th>
            <th scope="col">Size</th>
            <th scope="col">Stored in</th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody ref={rows}>
          {backups.map((backup) => {
            const notWhole = backup.status === 'AVAILABLE' ? null : 'It is not whole'
            return (
              <tr key={backup.id}>
                <th scope="row">
                  {formatTime(backup.date)}{' '}
                  <span className="soft">
                    <Time at={backup.date} />
                  </span>
                </th>
                <td>
                  <Status {...outcomeOf(backup.status)} />
                  {backup.message && <p className={styles.cause}>{visibleText(backup.message)}</p>}
                </td>
                <td>
                  <Verified backup={backup} />
                </td>
                <td>{kindOf(backup)}</td>
                <td>
                  {backup.size === null ? '' : sizeText(backup.size)}{' '}
                  {backup.finishedAt && (
                    <span className="soft">
                      in {durationText(Date.parse(backup.finishedAt) - Date.parse(backup.date))}
                    </span>
                  )}
                </td>
                <td>{visibleText(storageText(backup.storage, storages))}</td>
                <td className={styles.actions}>
                  <LinkButton
                    href={`${pathTo('restore', { env })}?backup=${backup.id}`}
                    missing={missing.restore ?? notWhole}
                  >
                    Restore…
                  </LinkButton>
                  <Menu
                    label={`Actions for the backup of ${backupText(backup)}`}
                    icon="ellipsis"
                    items={[
                      {
                        label: 'Verify',
                        icon: 'shield',
                        missing: missing.verify ?? notWhole,
                        run: async () => {
                          const answer = await verify.send({ appEnvId, backupKey: backup.id })
                          if (answer?.verifyBackup) say(answer.verifyBackup.message)
                        },
                      },
                      {
                        label: 'Download…',
                        icon: 'download',
                        missing: missing.download ?? notWhole,
                        run: () => setChosen({ backup, to: 'DOWNLOAD' }),
                      },
                      {
                        label: 'Delete…',
                        icon: 'trash',
                        startsGroup: true,
                        isDanger: true,
                        missing: missing.remove,
                        run: () => setChosen({ backup, to: 'DELETE' }),
                      },
                    ]}
                  />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {chosen?.to === 'DELETE' && <Delete backup={chosen.backup} onClose={close} onDeleted={onDeleted} />}
      {chosen?.to === 'DOWNLOAD' && <Download backup={chosen.backup} onClose={close} />}
    </>
  )
}

/** Restored into a container that was thrown away, and read by the engine: not merely that the file is there. */
function Verified({ backup: { verified, verifiedAt, verifyMessage, status } }: { backup: Backup }) {
  if (status !== 'AVAILABLE') return null
  if (verified)
    return (
      <span title="It was restored into a container of its own, and the engine read what it holds">
        <Status icon="circleCheck" word="Restored and read" tone="good" />{' '}
        <span className="soft">
          <Time at={verifiedAt} />
        </span>
      </span>
    )
  if (verifyMessage)
    return (
      <>
        <Status icon="circleX" word="Cannot be restored" tone="bad" />
        <p className={styles.cause}>{visibleText(verifyMessage)}</p>
      </>
    )
  return <Status icon="circleDashed" word="Not tried" tone="soft" />
}

function Delete({ backup, onClose, onDeleted }: { backup: Backup; onClose: () => void; onDeleted: () => void }) {
  const dryRun = useDryRun(DeleteBackup, { backupKey: backup.id })
  const { send, isSending, refusal } = useWrite(DeleteBackup)
  return (
    <Confirm
      title="Delete a backup"
      isOpen
      onClose={onClose}
      name={formatTime(backup.date)}
      action="Delete it"
      isReady={dryRun.answer !== null}
      isSending={isSending}
      refusal={refusal ?? dryRun.refusal}
      onConfirm={async () => {
        const answer = await send({ backupKey: backup.id })
        if (!answer?.deleteBackup) return
        say(answer.deleteBackup.message)
        onDeleted()
        onClose()
      }}
    >
      <p>The backup of {backupText(backup)} is deleted, and nothing brings it back.</p>
      {backup.pointInTimeFrom && backup.pointInTimeTo && (
        <p>With it go the moments from {formatTime(backup.pointInTimeFrom, 'exact')} that no earlier backup reaches.</p>
      )}
    </Confirm>
  )
}

function Download({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const [isSending, setSending] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  return (
    <Confirm
      title="Download a backup"
      isOpen
      onClose={onClose}
      action="Download all data"
      isSending={isSending}
      refusal={refusal}
      onConfirm={async () => {
        setSending(true)
        const { data, refusal: refused } = await readUncached(DownloadBackup, { input: { backupKey: backup.id } })
        setSending(false)
        setRefusal(refused)
        const address = linkable(data?.downloadBackup?.downloadUrl ?? null)
        if (!address) return
        // It comes as an attachment, so the page stays.
        location.assign(address)
        onClose()
      }}
    >
      <p>
        The file has <b>all data of the service, decrypted</b>: its reader can read everything, passwords of your users
        included.
      </p>
      <p>That you have downloaded it is recorded. The address works for 15 minutes, also for others who learn it.</p>
    </Confirm>
  )
}
