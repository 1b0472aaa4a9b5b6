import { useState } from 'react'
import { type Chosen, notReadable, packed, uploadSource } from '../../environment/upload.ts'
import { UploadField } from '../../environment/upload-field.tsx'
import type { Refusal } from '../../graphql/refusal.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, Form, FormActions, TextField } from '../../ui/form.tsx'
import { say } from '../../ui/toast.tsx'
import { BuildEnvironment, DeployImage } from './documents.ts'

interface DeployDialogProps {
  appEnvId: string
  name: string
  /** Of an app that runs images; its source is built else. */
  image: string | null
  /** The repository and branch that are built, in words. */
  source: string | null
  /** The source is uploaded. */
  isUploaded: boolean
  isOpen: boolean
  onClose: () => void
}

/** Deploys an image, or builds the source: whichever the app is set up for. */
export function DeployDialog({ appEnvId, name, image, source, isUploaded, isOpen, onClose }: DeployDialogProps) {
  return (
    <Dialog title={`Deploy ${name}`} isOpen={isOpen} onClose={onClose}>
      {isUploaded ? (
        <UploadForm appEnvId={appEnvId} onClose={onClose} />
      ) : source === null ? (
        <ImageForm appEnvId={appEnvId} image={image} onClose={onClose} />
      ) : (
        <BuildForm appEnvId={appEnvId} source={source} onClose={onClose} />
      )}
    </Dialog>
  )
}

function ImageForm({ appEnvId, image, onClose }: { appEnvId: string; image: string | null; onClose: () => void }) {
  const { send, isSending, refusal } = useWrite(DeployImage)
  return (
    <Form
      draftKey={`deploy.${appEnvId}`}
      refusal={refusal}
      onSend={async (fields) => {
        const answer = await send({ appEnvId, image: fields.image ?? '' })
        if (!answer?.deployImage) return false
        say(answer.deployImage.message)
        onClose()
        return true
      }}
    >
      <TextField
        name="image"
        label="Image"
        required
        autoFocus
        defaultValue={image ?? ''}
        placeholder="ghcr.io/acme/shop:1.4"
        help="A tag is resolved once, and the version keeps its digest."
      />
      <FormActions>
        <Button kind="primary" type="submit" icon="rocket" isBusy={isSending}>
          Deploy it
        </Button>
        <Button onClick={onClose}>Close</Button>
      </FormActions>
    </Form>
  )
}

function UploadForm({ appEnvId, onClose }: { appEnvId: string; onClose: () => void }) {
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [step, setStep] = useState<string | null>(null)
  const send = async () => {
    if (!chosen || step !== null) return false
    setRefusal(null)
    try {
      setStep('Packing…')
      const archive = await packed(chosen)
      const refused = await uploadSource(appEnvId, archive, (share) =>
        setStep(`Uploading: ${Math.floor(share * 100)} %`),
      )
      setRefusal(refused)
      if (refused) return false
      say('What you uploaded is built and deployed')
      onClose()
      return true
    } catch (error) {
      setRefusal(notReadable(error))
      return false
    } finally {
      setStep(null)
    }
  }
  return (
    <Form refusal={refusal} onSend={send}>
      <UploadField chosen={chosen} onChoose={setChosen} />
      <FormActions>
        <Button
          kind="primary"
          type="submit"
          icon="rocket"
          isBusy={step !== null}
          missing={chosen ? null : 'Choose a folder or an archive first'}
        >
          Upload and deploy
        </Button>
        <Button onClick={onClose}>Close</Button>
        <span role="status" className="soft">
          {step}
        </span>
      </FormActions>
    </Form>
  )
}

function BuildForm({ appEnvId, source, onClose }: { appEnvId: string; source: string; onClose: () => void }) {
  const { send, isSending, refusal } = useWrite(BuildEnvironment)
  return (
    <Form
      refusal={refusal}
      onSend={async (fields) => {
        const answer = await send({ appEnvId, forceNewBuild: fields.forceNewBuild === 'true' })
        if (!answer?.buildAppEnv) return false
        say(answer.buildAppEnv.message)
        onClose()
        return true
      }}
    >
      <p>
        Builds the newest commit of <code>{source}</code>, and deploys it when it is ready.
      </p>
      <CheckField
        name="forceNewBuild"
        label="Build it even if this commit was built already"
        help="Else a commit that was built with the same settings is deployed without another build."
      />
      <FormActions>
        <Button kind="primary" type="submit" icon="rocket" isBusy={isSending}>
          Build and deploy
        </Button>
        <Button onClick={onClose}>Close</Button>
      </FormActions>
    </Form>
  )
}
