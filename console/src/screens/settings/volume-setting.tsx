import { useState } from 'react'
import { useClient } from 'urql'
import { useMissing } from '../../account/session.tsx'
import { type Refusal, refusalsOf } from '../../graphql/refusal.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/form.tsx'
import styles from '../../ui/setting.module.css'
import { numberIn, shown } from '../../ui/setting.tsx'
import { say } from '../../ui/toast.tsx'
import { TryUpdate, UpdateEnvironment } from './documents.ts'
import { EnvironmentSetting, type SettingsOf } from './setting.tsx'

/** Data that outlives containers. */
export function VolumeSetting({ env, settings }: { env: string; settings: SettingsOf }) {
  const { volume } = settings
  return (
    <>
      <EnvironmentSetting
        title="Volume"
        env={env}
        settings={settings}
        mutation={UpdateEnvironment}
        warningOf={(answer) => answer.updateAppEnv?.warning}
        fieldsOf={(all) => ({
          'volume.path': shown(all.volume?.path),
          ...(all.volume ? {} : { 'volume.disk': '' }),
        })}
        inputOf={(fields) => ({
          volume: {
            path: fields['volume.path'] ?? '',
            disk: volume ? volume.disk : (numberIn(fields['volume.disk']) ?? 0),
          },
        })}
        action={volume ? 'Save' : 'Add a volume'}
      >
        {(fields) => (
          <>
            <p className="soft">
              {volume
                ? `${volume.disk} MB, ${volume.used === null ? 'not measured yet' : `${volume.used} MB used`}. Its size is set under Size.`
                : 'What containers write is gone with them, but for what is in a volume. All containers mount the same one.'}
            </p>
            <div className={styles.columns}>
              <TextField
                name="volume.path"
                label="Path at which it is mounted"
                required
                placeholder="/data"
                defaultValue={fields['volume.path']}
              />
              {!volume && (
                <TextField
                  name="volume.disk"
                  label="Size in MB"
                  type="number"
                  required
                  placeholder="1024"
                  defaultValue={fields['volume.disk']}
                />
              )}
            </div>
          </>
        )}
      </EnvironmentSetting>
      {volume && <Removal settings={settings} />}
    </>
  )
}

function Removal({ settings: { id: appEnvId, version, volume } }: { settings: SettingsOf }) {
  const client = useClient()
  const missing = useMissing('appEnv:change')
  const { send, isSending, refusal, reset } = useWrite(UpdateEnvironment)
  const [asked, setAsked] = useState<{ warning: string | null; refusal: Refusal | null } | null>(null)
  const ask = async () => {
    const { data, error } = await client
      .mutation(TryUpdate, { input: { appEnvId, volume: null, dryRun: true } })
      .toPromise()
    setAsked({ warning: data?.updateAppEnv?.warning ?? null, refusal: refusalsOf(error)[0] ?? null })
  }
  return (
    <div className="row">
      <Button kind="danger" icon="trash" missing={missing} onClick={ask}>
        Detach the volume…
      </Button>
      <Confirm
        title="Detach the volume"
        isOpen={asked !== null}
        onClose={() => {
          setAsked(null)
          reset()
        }}
        action="Detach it"
        isSending={isSending}
        refusal={refusal ?? asked?.refusal ?? null}
        onConfirm={async () => {
          const answer = await send({ appEnvId, volume: null, expectedVersion: version })
          if (!answer?.updateAppEnv) return
          setAsked(null)
          say('Saved. It is detached once that is applied.')
        }}
      >
        {asked?.warning && <p className="bad">{asked.warning}</p>}
        <p>
          Containers no longer find their data at <code>{volume?.path}</code>. The volume itself stays until it is
          deleted.
        </p>
      </Confirm>
    </div>
  )
}
