export interface WriteOptions {
  signal: AbortSignal
  /**
   * Called before content is sent to a storage that keeps unfinished uploads, with what `remove` needs to find this one
   * after the worker was killed.
   */
  begun: (unfinished: string) => Promise<void>
}

export interface Removal {
  /** Beginning of the names of files. */
  prefix: string
  /** The one file to keep. */
  except: string | null
  /** The id that `begun` got, of an upload that may not have ended. */
  unfinished: string | null
  signal: AbortSignal
}

/** Where the files of backups are: each is written once, and appears under its name only when it is whole. */
export interface BackupStore {
  /** Throws the content's own error, or BackupFailed, and leaves no file then. */
  write(file: string, content: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<void>
  /** Throws BackupFailed BACKUP_MISSING where there is no such file. */
  read(file: string, signal: AbortSignal): AsyncIterable<Uint8Array>
  /** Removes files, finished or not. Succeeds when there are none. */
  remove(removal: Removal): Promise<void>
}
