/** The parts of a package.json that decide how it is built. */
export interface PackageFacts {
  scripts: Readonly<Record<string, string>>
  /** As package.json has it; the build may be what writes it. */
  main: string | null
  /** The file that Node.js would start, of those that are in the source: `main`, also in a folder, or a usual name. */
  entry: string | null
  /** Names of the packages that it depends on, those for development among them. */
  packages: ReadonlySet<string>
  /** The name before the @ in `packageManager`, and the major version after it. */
  packageManager: { name: string; major: number } | null
  /** Folders of a monorepo's packages with a script "start"; null where it is none. */
  workspaces: readonly WorkspacePackage[] | null
  /**
   * Installing needs more than this file and the lock file: the package's own install scripts, or packages inside the
   * source.
   */
  installsFromSource: boolean
}

/** A package of a monorepo, in a folder of the source. */
export interface WorkspacePackage {
  folder: string
  name: string
  scripts: Readonly<Record<string, string>>
  packages: ReadonlySet<string>
}

export interface PythonFacts {
  /** Names of the packages that it depends on, in small letters and with dashes. */
  packages: ReadonlySet<string>
  /** The file that is started, and whether it starts a server itself; null without one of a usual name. */
  entry: { file: string; startsItself: boolean; application: string | null } | null
  /** Django's module with the WSGI application, by what manage.py says: `shop.wsgi`. */
  wsgiModule: string | null
}

/** The facts about a source that a preset gets. */
export interface SourceFacts {
  /** Names in the top folder of the build context. */
  files: ReadonlySet<string>
  packageJson: PackageFacts | null
  python: PythonFacts
  /** Folders of the Go module that hold a package main, `.` for its root. */
  goPrograms: readonly string[]
  /** Folders in the context, by name, with the files in them that a preset begins with. */
  foldersBelow: ReadonlyMap<string, readonly string[]>
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
