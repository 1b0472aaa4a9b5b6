import type { SealedVariable } from './configuration.ts'

/** The builder that detects how to build a source. The other one, DOCKER, has a Dockerfile. */
export const NIXPACKS = 'NIXPACKS'

/** Where the source of a version comes from. */
export type BuildSource =
  | {
      kind: 'git'
      /** Of the repository, without credentials. */
      url: string
      /** Null: the repository's default branch. */
      branch: string | null
      /** Set when a commit is built again; null: the branch's newest. */
      commit: string | null
      /** A GitHub App's installation, for private repositories. */
      installationId: string | null
      /** In place of the branch: where the host keeps the head of a pull request. */
      ref?: string
    }
  | { kind: 'upload'; storageKey: string; sha256: string }
  /** An inline Dockerfile that needs no files. */
  | { kind: 'none' }

/**
 * Everything that decides the result of a build. Recorded with the version, and copied to every later one that runs its
 * image: deploying an image with other settings does not change what it was built from.
 */
export interface BuildPlan {
  source: BuildSource
  builder: string
  preset: string
  presetVersion: string | null
  contextDir: string
  dockerfilePath: string | null
  dockerfileContent: string | null
  buildArgs: string | null
  /** Null, and absent in older versions: the last stage. */
  buildTarget?: string | null
  pullCredentialId: string | null
  /** The variables that the build reads, and those which they refer to. */
  variables: SealedVariable[]
  /** Build even if a version of the same source and settings exists. */
  isForced: boolean
}

/** The fields whose change needs a build (contract §3), by their names on the app. */
const COMPARED: readonly (readonly [field: string, of: (plan: BuildPlan) => unknown])[] = [
  ['builder', ({ builder }) => builder],
  ['gitRepo', ({ source }) => (source.kind === 'git' ? source.url : null)],
  ['gitBranch', ({ source }) => (source.kind === 'git' ? source.branch : null)],
  ['dockerPreset', ({ preset }) => preset],
  ['dockerPresetVersion', ({ presetVersion }) => presetVersion],
  ['contextDir', ({ contextDir }) => contextDir],
  ['dockerfilePath', ({ dockerfilePath }) => dockerfilePath],
  ['customDockerfileContent', ({ dockerfileContent }) => dockerfileContent],
  ['buildArgs', ({ buildArgs }) => buildArgs],
  ['buildTarget', ({ buildTarget }) => buildTarget ?? null],
  ['buildPullAccountSecretId', ({ pullCredentialId }) => pullCredentialId],
]

/** The settings in which two plans differ, each with its old and new value; variables are not among them. */
export const buildDifferences = (from: BuildPlan, to: BuildPlan): { field: string; from: unknown; to: unknown }[] =>
  COMPARED.filter(([, of]) => of(from) !== of(to)).map(([field, of]) => ({ field, from: of(from), to: of(to) }))

/** As a plan is shown outside the environment that it was made for: all of its variables count as secrets. */
export const withoutValues = (plan: BuildPlan): BuildPlan => ({
  ...plan,
  variables: plan.variables.map((variable) => ({ ...variable, isSecret: true })),
})

/** The plan that built a version; null for a prebuilt image. The database column is untyped JSON. */
export const recordedPlan = ({ buildPlan }: { buildPlan: unknown }): BuildPlan | null => buildPlan as BuildPlan | null
