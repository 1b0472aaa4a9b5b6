/** The recipe of an image that stands in for the official one of a program. The files of its folder belong to it. */
export interface ProgramImage {
  /** Of its folder. */
  name: string
  /** Under which the catalogue names it. */
  reference: string
  /** What it is made of, and what of the official image it cannot show. */
  about: string
  /** Packages of Debian. */
  packages: readonly string[]
  /** Packages of npm, each with its version, in `npmFolder`. Their own scripts do not run. */
  npm?: readonly string[]
  npmFolder?: string
  /** Versions of packages that those of npm need, where what they name is not to be had. */
  overrides?: Readonly<Record<string, string>>
  /** Packages that are compiled here. They bind the image to the Node.js of the PATH, which it then has. */
  compiled?: readonly string[]
  /** As in the official image. */
  user: { name: string; id: number }
  /** Whether the official entry point starts as root. */
  startsAsRoot: boolean
  /** Folders that belong to the user. */
  folders: readonly string[]
  volume: string | null
  environment: Readonly<Record<string, string>>
  /** Run by the file entrypoint.sh when the container has no command of its own. */
  command: readonly string[]
  workingFolder: string
  /** Adds files to the folder that lies over the packages. */
  fill?: (folder: string) => Promise<void>
}
