/** A file of a container, often a secret: its content is in no label, log or error. */
export interface ContainerFile {
  /** Absolute. Its folder must not be one that the image needs to write to. */
  path: string
  content: string
}

/** What a container may do beyond the least. Everything that is not named here is dropped or refused. */
export interface Sandbox {
  /** `uid:gid`, numeric. Owns the volume and the files. */
  user: string
  /** All others are dropped. */
  capabilities: readonly string[]
  readOnlyRoot: boolean
  /** Folders in memory of limited size, writable also where the root is not. They count towards the memory limit. */
  tmpfs: readonly string[]
  /** Size of /dev/shm; null: the engine's default. */
  sharedMemoryMb: number | null
  /** Limit of open files; null: the engine's default. */
  openFiles: number | null
}
