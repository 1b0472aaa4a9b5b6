import { useEffect, useState } from 'react'
import { visibleText } from '../../../../text/visible-text.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Form, FormActions } from '../../ui/form.tsx'
import { Skeleton } from '../../ui/page.tsx'
import { say } from '../../ui/toast.tsx'
import { UpgradeInstallation } from './documents.ts'
import type { Declared, Installed } from './installation-text.ts'
import { InputFields, sentInputs, type Values } from './solution-inputs.tsx'
import styles from './solutions.module.css'

interface UpgradeDialogProps {
  installation: Installed
  declared: Declared
  onClose: () => void
}

/** The merge of an upgrade before it happens: what it sets, and what it leaves alone because a person has changed it. */
export function UpgradeDialog({ installation, declared, onClose }: UpgradeDialogProps) {
  const { id: installationId, version } = installation
  const [values, setValues] = useState<Values>({})
  const asking = useWrite(UpgradeInstallation)
  const { send, isSending, refusal } = useWrite(UpgradeInstallation)
  const [merge, setMerge] = useState<{ changed: string[]; kept: string[] } | null>(null)
  const asked = asking.refusal?.fields ?? {}
  const wanted = declared.inputs.filter(({ name }) => `inputs.${name}` in asked || name in values)
  const inputs = sentInputs(wanted, values)
  const { send: ask } = asking
  const check = async (given: typeof inputs) =>
    setMerge((await ask({ installationId, inputs: given, dryRun: true }))?.upgradeInstallation ?? null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens; then when the person asks
  useEffect(() => void check({}), [])
  return (
    <Dialog title={`Upgrade to revision ${declared.revision}`} isOpen onClose={onClose}>
      <Form
        refusal={refusal ?? asking.refusal}
        onSend={async () => {
          if (!merge) {
            await check(inputs)
            return false
          }
          const answer = await send({ installationId, inputs, expectedVersion: version })
          if (!answer?.upgradeInstallation) return false
          say('The upgrade is set. Apply the pending changes of each app to run it.')
          onClose()
          return true
        }}
      >
        {asking.isSending && <Skeleton lines={4} />}
        {wanted.length > 0 && (
          <InputFields
            inputs={wanted}
            values={values}
            onChange={(changed) => {
              setValues({ ...values, ...changed })
              setMerge(null)
            }}
          />
        )}
        {merge && (
          <>
            <h3>It sets</h3>
            {merge.changed.length > 0 ? <Lines of={merge.changed} /> : <p className="soft">Nothing.</p>}
            {merge.kept.length > 0 && (
              <>
                <h3>It leaves alone, because it was changed by hand</h3>
                <Lines of={merge.kept} />
              </>
            )}
            <p className="soft">
              What it sets is pending in each app until it is applied. New apps are deployed at once.
            </p>
          </>
        )}
        <FormActions>
          <Button kind="primary" type="submit" isBusy={isSending || asking.isSending}>
            {merge ? 'Upgrade' : 'Check again'}
          </Button>
          <Button onClick={onClose}>Leave it</Button>
        </FormActions>
      </Form>
    </Dialog>
  )
}

const Lines = ({ of }: { of: readonly string[] }) => (
  <ul className={styles.list}>
    {of.map((line) => (
      <li key={line}>{visibleText(line)}</li>
    ))}
  </ul>
)
