/** The parts of a package.json that decide how it is built. */
export interface PackageFacts {
  scripts: Readonly<Record<string, string>>
  main: string | null
  /**
   * Installing needs more than this file and the lock file: the package's own install scripts, or packages inside the
   * source.
   */
  installsFromSource: boolean
}

/** The facts about a source that a preset gets. */
export interface SourceFacts {
  /** Names in the top folder of the build context. */
  files: ReadonlySet<string>
  packageJson: PackageFacts | null
  /** The command of the `web` line of a Procfile. */
  webProcess: string | null
  /** requirements.txt names other files of the source. */
  requirementsNameFiles: boolean
  /** Variables that a package manager's settings use to sign in to a registry. */
  registryVariables: ReadonlySet<string>
}

export interface DockerfileRequest {
  /** Without the preset's own name: `NODE_JS_22`. */
  version: string
  facts: SourceFacts
  /** Names of the variables that the build may read. Their values never become part of the Dockerfile. */
  buildVariables: readonly string[]
  /** Prefix for names of caches that only this environment's builds see; null if the builder has no caches. */
  cacheScope: string | null
}

/** A way to turn a common kind of source into an image. Pure: the same facts give the same Dockerfile. */
export interface BuildPreset {
  /** Oldest first, without the preset's own name. */
  versions: readonly string[]
  defaultVersion: string
  /** A version also builds sources of the earlier minor releases, back to the first of its major one. */
  buildsEarlierReleases?: true
  /** Throws BuildFailure PRESET_NOT_APPLICABLE for a source that it cannot build. */
  dockerfile(request: DockerfileRequest): string
}
