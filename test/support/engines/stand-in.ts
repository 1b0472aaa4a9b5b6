import type { EngineVersion } from '../../../src/app-types/engines/engine.ts'

/** The recipe of an image that stands in for an official one. The files of its folder belong to it. */
export interface StandIn {
  /** The engine's preset. */
  engine: string
  /** What it is made of, and which facts of the official image it cannot show. */
  about: string
  /** Debian's suite that the packages are of; the machine's own when omitted. */
  suite?: 'trixie' | 'sid'
  /** Debian packages of the server and of the client programs that the official image has. */
  packages: readonly [string, ...string[]]
  /** As in the official image, because volumes belong to these numbers. */
  user: { name: string; id: number; home: string }
  /** Folders that belong to the user, beside its home. */
  folders: readonly string[]
  environment: (version: EngineVersion) => Readonly<Record<string, string>>
  /** Path that the official image declares as a volume. */
  volume: (version: EngineVersion) => string
  /** Arguments when none are given. */
  command: readonly [string, ...string[]]
  workingFolder?: string
  /** Adds files to the folder that lies over the packages. */
  fill?: (folder: string) => Promise<void>
  /** Files beside the recipes that `fill` works by. */
  filledBy?: readonly string[]
}
