import { type ReactNode, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useAccount } from '../../account/session.tsx'
import type { Chosen } from '../../environment/upload.ts'
import { UploadField } from '../../environment/upload-field.tsx'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useData } from '../../graphql/use-data.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { FieldProblem, SelectField, TextField } from '../../ui/form.tsx'
import { GitBranches, InspectSource, type NewAppChoices } from './documents.ts'
import styles from './new-app.module.css'
import { BUILD_PRESETS, type Fields, type Repository, repositoryOf, type Source, takesNoPort } from './new-app-input.ts'

export type Choices = ResultOf<typeof NewAppChoices>

interface PartProps {
  fields: Fields
  onChange: (changed: Fields) => void
  choices: Choices
}

interface SourceFieldsProps extends PartProps {
  source: Source
  repositories: readonly (Repository & { url: string })[]
  chosen: Chosen | null
  onChoose: (chosen: Chosen | null) => void
}

/** The few fields that an app of this source needs. */
export function SourceFields({ source, repositories, chosen, onChoose, ...part }: SourceFieldsProps) {
  if (source === 'service') return <ServiceFields {...part} />
  return (
    <>
      {source === 'image' && (
        <Text
          {...part}
          name="image"
          label="Image"
          required
          autoFocus
          placeholder="ghcr.io/acme/shop:1.4"
          help="Its reference, with registry and tag. The version keeps the digest of today."
        />
      )}
      {source === 'git' && <GitFields {...part} repositories={repositories} />}
      {source === 'upload' && (
        <div className="stack tight">
          <UploadField chosen={chosen} onChoose={onChoose} />
          <FieldProblem name="upload" />
        </div>
      )}
      <Text {...part} name="name" label="Name" required placeholder="shop" />
      {source !== 'image' && <PresetField {...part} />}
      <div className={styles.pair}>
        {!takesNoPort(part.fields) && <PortField {...part} />}
        <EnvironmentField {...part} />
      </div>
    </>
  )
}

const PortField = (part: PartProps) => (
  <Text
    {...part}
    name="port"
    label="Port"
    type="number"
    inputMode="numeric"
    min={1}
    max={65_535}
    help="On which the program listens in its container."
  />
)

const EnvironmentField = (part: PartProps) => (
  <Text {...part} name="appEnv.name" label="Environment" required help="You can add others, such as staging, later." />
)

/** A field of the draft. */
function Text({
  fields,
  onChange,
  choices: _choices,
  name,
  ...rest
}: PartProps & { name: string } & Omit<React.ComponentProps<typeof TextField>, 'name' | 'value' | 'onChange'>) {
  return (
    <TextField
      {...rest}
      name={name}
      value={fields[name] ?? ''}
      onChange={(event) => onChange({ [name]: event.target.value })}
    />
  )
}

function PresetField({ fields, onChange, choices }: PartProps) {
  const options = [
    { value: '', label: 'By its files' },
    ...Object.entries(BUILD_PRESETS).map(([value, label]) => ({ value, label })),
    ...typesOf(choices),
  ]
  return (
    <SelectField
      name="dockerPreset"
      label="How it is built"
      options={options}
      value={fields.dockerPreset ?? ''}
      onChange={(event) => onChange({ dockerPreset: event.target.value })}
      help="By its files: by the Dockerfile if there is one, else by what the build finds (package.json, requirements.txt, go.mod, index.html)."
    />
  )
}

/** Other than an app that runs all the time. */
export function typesOf({ account, plans }: Choices): { value: string; label: string }[] {
  const isIncluded = plans?.find(({ code }) => code === account?.plan)?.functionsIncluded ?? false
  const mayFunctions = Boolean(account?.allowFunctions && isIncluded)
  return [
    ...(mayFunctions ? [{ value: 'FUNCTION', label: 'Function: sleeps until it is called' }] : []),
    { value: 'JOB', label: 'Job: runs to its end, when started or by schedule' },
  ]
}

const SETTLED_MS = 500

function GitFields({ repositories, ...part }: PartProps & { repositories: SourceFieldsProps['repositories'] }) {
  const account = useAccount()
  const { fields, onChange } = part
  const written = fields.gitRepo ?? ''
  const [settled, setSettled] = useState(written)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(written), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [written])
  const repository = repositoryOf(settled, repositories)
  const isNamed = /^https?:\/\/[^/]+\/.+/.test(repository.gitRepo) || 'gitInstallationId' in repository
  const branches = useData(GitBranches, {
    variables: { accountId: account.id, ...repository },
    isPaused: !isNamed,
  })
  const found = isNamed ? branches.data?.gitBranches : null
  const branch = fields['appEnv.branch'] ?? ''
  const [only, another] = found?.branches ?? []
  const proposed = found?.defaultBranch ?? (another ? null : only?.name) ?? null
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each repository, and never over what was typed
  useEffect(() => {
    if (proposed && branch === '') onChange({ 'appEnv.branch': proposed })
  }, [proposed])
  return (
    <>
      <Text
        {...part}
        name="gitRepo"
        label="Repository"
        required
        autoFocus
        list="git-repositories"
        placeholder="https://github.com/acme/shop"
        help={
          repositories.length > 0
            ? 'An address, or owner/name of a repository that your git installations reach.'
            : 'Its https address, or owner/name at GitHub. Private ones need a git installation.'
        }
      />
      <datalist id="git-repositories">
        {repositories.map(({ gitNamespace, gitRepo, url }) => (
          <option key={url} value={`${gitNamespace}/${gitRepo}`} />
        ))}
      </datalist>
      {isNamed && branches.refusals[0] && (
        <p className="soft" role="status">
          Its branches cannot be listed: {visibleText(branches.refusals[0].message)} You can name one all the same.
        </p>
      )}
      <Text
        {...part}
        name="appEnv.branch"
        label="Branch"
        required
        list="git-branches"
        placeholder="main"
        help={found && !found.isComplete ? 'The repository has more branches than are listed.' : undefined}
      />
      <datalist id="git-branches">
        {found?.branches.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Inspection repository={repository} branch={branch} isNamed={isNamed} onChange={onChange} />
    </>
  )
}

interface InspectionProps {
  repository: ReturnType<typeof repositoryOf>
  branch: string
  isNamed: boolean
  onChange: (changed: Fields) => void
}

const LONGEST_WAIT_SECONDS = 45

/** Has the source looked at as a build would, and fills in what that finds. */
function Inspection({ repository, branch, isNamed, onChange }: InspectionProps) {
  const account = useAccount()
  const { send, isSending, refusal } = useWrite(InspectSource)
  const [said, setSaid] = useState<ReactNode>(null)
  const look = async () => {
    setSaid(null)
    const { gitRepo } = repository
    const answer = await send({
      accountId: account.id,
      gitRepo,
      ...('gitInstallationId' in repository
        ? { gitInstallationId: repository.gitInstallationId, gitNamespace: repository.gitNamespace }
        : {}),
      ...(branch ? { branch } : {}),
      waitSeconds: LONGEST_WAIT_SECONDS,
    })
    const found = answer?.inspectSource?.sourceInspection
    if (!found) return
    const [port] = found.ports
    onChange({
      ...(found.dockerfilePath ? { dockerPreset: '' } : found.preset ? { dockerPreset: found.preset } : {}),
      ...(port ? { port: String(port) } : {}),
    })
    const { composePath } = found
    setSaid(
      <>
        {found.status === 'QUEUED'
          ? 'No worker has looked at it yet. You can go on without.'
          : found.status === 'FAILED'
            ? visibleText(found.message ?? 'It cannot be read.')
            : found.dockerfilePath
              ? `It has a Dockerfile: ${visibleText(found.dockerfilePath)}.`
              : found.preset
                ? `${BUILD_PRESETS[found.preset as keyof typeof BUILD_PRESETS] ?? found.preset}, by ${visibleText(found.sign ?? 'its files')}.`
                : visibleText(found.problem ?? 'No preset builds it.')}
        {composePath && (
          <>
            {' '}
            It has a compose file, {visibleText(composePath)}:{' '}
            <Link href={pathTo('compose', { account: account.slug })}>install that instead</Link>.
          </>
        )}
      </>,
    )
  }
  return (
    <div className="row">
      <Button
        icon="search"
        isBusy={isSending}
        missing={isNamed ? null : 'Name the repository first'}
        onClick={() => void look()}
      >
        Fill in preset and port from it
      </Button>
      <span role="status" className="soft">
        {isSending ? 'Reading the source…' : refusal ? visibleText(refusal.message) : said}
      </span>
    </div>
  )
}

function ServiceFields({ fields, onChange, choices }: PartProps) {
  const presets = choices.databasePresets ?? []
  const preset = presets.find(({ dockerPreset }) => dockerPreset === fields.dockerPreset) ?? presets[0]
  const part = { fields, onChange, choices }
  if (!preset) return null
  const { defaultVersion, versions, limits } = preset
  return (
    <>
      <div className={styles.pair}>
        <SelectField
          name="dockerPreset"
          label="Kind"
          options={presets.map(({ dockerPreset, name }) => ({ value: dockerPreset, label: name }))}
          value={preset.dockerPreset}
          onChange={(event) =>
            onChange({ dockerPreset: event.target.value, 'appEnv.dockerPresetVersion': '', 'appEnv.disk': '' })
          }
        />
        <SelectField
          name="appEnv.dockerPresetVersion"
          label="Version"
          options={versions.map(({ dockerPresetVersion, label }) => ({ value: dockerPresetVersion, label }))}
          value={fields['appEnv.dockerPresetVersion'] || defaultVersion}
          onChange={(event) => onChange({ 'appEnv.dockerPresetVersion': event.target.value })}
        />
      </div>
      <Text {...part} name="name" label="Name" required autoFocus placeholder="orders" />
      <div className={styles.pair}>
        <TextField
          name="appEnv.disk"
          label="Disk in MB"
          type="number"
          inputMode="numeric"
          min={limits.disk.min}
          max={limits.disk.max}
          value={fields['appEnv.disk'] || String(limits.disk.default)}
          onChange={(event) => onChange({ 'appEnv.disk': event.target.value })}
          help={`${limits.disk.min.toLocaleString('en')} to ${limits.disk.max.toLocaleString('en')} MB.`}
        />
        <EnvironmentField {...part} />
      </div>
    </>
  )
}
