/** Of a package.json, what decides how it is built. */
export interface PackageFacts {
  scripts: Readonly<Record<string, string>>
  main: string | null
  /** Installing needs more than this file and the lock file: own scripts that run then, or packages of the source's own. */
  installsFromSource: boolean
}

/** What a preset is told of the source before it writes. */
export interface SourceFacts {
  /** Names in the top folder of the build context. */
  files: ReadonlySet<string>
  packageJson: PackageFacts | null
  /** The command of the `web` line of a Procfile. */
  webProcess: string | null
  /** requirements.txt names other files of the source. */
  requirementsNameFiles: boolean
  /** Variables that the settings of a package manager ask for, to sign in to a registry. */
  registryVariables: ReadonlySet<string>
}

export interface DockerfileRequest {
  /** Without the preset's own name: `NODE_JS_22`. */
  version: string
  facts: SourceFacts
  /** Names of the variables that the build may read. Their values never become part of the Dockerfile. */
  buildVariables: readonly string[]
  /** Begins the names of caches that only this environment's builds see; null where the builder has none. */
  cacheScope: string | null
}

/** A way to turn a common kind of source into an image. Pure: the same facts give the same Dockerfile. */
export interface BuildPreset {
  /** Oldest first, without the preset's own name. */
  versions: readonly string[]
  defaultVersion: string
  /** Throws BuildFailure PRESET_NOT_APPLICABLE for a source that it cannot build. */
  dockerfile(request: DockerfileRequest): string
}
