import { useState } from 'react'
import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { Button } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Form, FormActions, TextAreaField, TextField } from '../../ui/form.tsx'
import { Facts, Section } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { say } from '../../ui/toast.tsx'
import { ChangeExternalAccess, type Connection } from './documents.ts'

type Access = NonNullable<ResultOf<typeof Connection>['appEnv']>['externalAccess']

interface ExternalAccessProps {
  appEnvId: string
  version: number
  access: Access
  onChanged: () => void
}

/** Who may connect from outside of the account’s network, by address. It takes effect at once. */
export function ExternalAccessSection({ appEnvId, version, access, onChanged }: ExternalAccessProps) {
  const [isEditing, setEditing] = useState(false)
  const [isEnding, setEnding] = useState(false)
  const missing = useMissing('appEnv:change')
  const off = useWrite(ChangeExternalAccess)
  const isOn = access?.enabled ?? false
  return (
    <Section
      title="From outside"
      actions={
        !isEditing && (
          <>
            <Button icon={isOn ? 'pencil' : 'globe'} missing={missing} onClick={() => setEditing(true)}>
              {isOn ? 'Change who may' : 'Turn it on'}
            </Button>
            {isOn && (
              <Button kind="danger" missing={missing} onClick={() => setEnding(true)}>
                Turn it off…
              </Button>
            )}
          </>
        )
      }
    >
      <div className="stack">
        {isOn ? (
          <Status icon="globe" word="Reachable from the addresses below" tone="info" />
        ) : (
          <Status icon="shield" word="Off: only environments of the account reach it" tone="good" />
        )}
        {isOn && access && !isEditing && (
          <Facts
            of={[
              [
                'Address',
                access.host && (
                  <span key="address" className="row">
                    <code>{`${access.host}:${access.port}`}</code>
                    <Copy text={`${access.host}:${access.port}`} label="Copy the address" />
                  </span>
                ),
              ],
              ['May connect', <code key="who">{visibleText(access.allowedCidrs.join(', '))}</code>],
              ['Connections at a time', access.maxConnections],
            ]}
          />
        )}
        {isEditing && (
          <AccessForm
            appEnvId={appEnvId}
            version={version}
            access={access}
            onClose={() => setEditing(false)}
            onChanged={onChanged}
          />
        )}
      </div>
      <Confirm
        title="Turn off access from outside"
        isOpen={isEnding}
        onClose={() => {
          setEnding(false)
          off.reset()
        }}
        action="Turn it off"
        isSending={off.isSending}
        refusal={off.refusal}
        onConfirm={async () => {
          const answer = await off.send({ appEnvId, expectedVersion: version, externalAccess: { enabled: false } })
          if (!answer?.updateAppEnv) return
          setEnding(false)
          say('Access from outside is off')
          onChanged()
        }}
      >
        <p>
          Clients from outside lose their connections at once. The port is given away: turned on again, it is another
          one.
        </p>
      </Confirm>
    </Section>
  )
}

function AccessForm({ appEnvId, version, access, onClose, onChanged }: ExternalAccessProps & { onClose: () => void }) {
  const { send, isSending, refusal } = useWrite(ChangeExternalAccess)
  return (
    <Form
      draftKey={`externalAccess.${appEnvId}`}
      refusal={refusal}
      onSend={async (fields) => {
        const allowedCidrs = (fields['externalAccess.allowedCidrs'] ?? '').split(/[\s,]+/).filter(Boolean)
        const maxConnections = fields['externalAccess.maxConnections']
        const answer = await send({
          appEnvId,
          expectedVersion: version,
          externalAccess: {
            enabled: true,
            allowedCidrs,
            ...(maxConnections ? { maxConnections: Number(maxConnections) } : {}),
          },
        })
        if (!answer?.updateAppEnv) return false
        say('Access from outside is on')
        onChanged()
        onClose()
        return true
      }}
    >
      <TextAreaField
        name="externalAccess.allowedCidrs"
        label="Addresses that may connect"
        rows={4}
        required
        defaultValue={access?.allowedCidrs.join('\n') ?? ''}
        placeholder={'203.0.113.7\n198.51.100.0/24'}
        help="One address or CIDR range in each line. 0.0.0.0/0 and ::/0 let everybody try passwords."
      />
      <TextField
        name="externalAccess.maxConnections"
        label="Connections at a time"
        inputMode="numeric"
        defaultValue={access?.maxConnections}
        help="For each ingress. Empty: the default of this installation."
      />
      <FormActions>
        <Button kind="primary" type="submit" isBusy={isSending}>
          {access?.enabled ? 'Save' : 'Turn it on'}
        </Button>
        <Button onClick={onClose}>Close</Button>
      </FormActions>
    </Form>
  )
}
